import type { OutputStream } from "../execution.ts";

/** Output that was written in one go, as far as anyone could tell. */
interface OutputPiece {
  /** Which run of the request wrote it; see `RunOptions.onOutput`. */
  index: number;
  stream: OutputStream;
  text: string;
}

/** What came after a cursor. */
export interface NewOutput {
  pieces: OutputPiece[];
  /** Where the next look begins. */
  cursor: number;
  /** Characters after the cursor that were not kept. */
  skipped: number;
}

interface KeptPiece extends OutputPiece {
  /** Characters that came before it. */
  start: number;
}

/** Pieces of one source are joined up to this; larger ones would be hard to drop one by one (characters). */
const MAX_JOINED_CHARS = 4096;
/** What a piece counts besides its text: many tiny ones make a long answer too. */
const PIECE_CHARS = 50;

/** Keeps the newest output of a run for those who look now and then. A cursor counts the characters that came before. */
export class OutputLog {
  readonly #maxChars: number;
  readonly #pieces: KeptPiece[] = [];
  #kept = 0;
  #total = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  add(stream: OutputStream, text: string, index: number): void {
    const last = this.#pieces.at(-1);
    const isSameSource = last?.stream === stream && last.index === index;
    if (isSameSource && last.text.length + text.length <= MAX_JOINED_CHARS) {
      last.text += text;
      this.#kept += text.length;
    } else {
      const shown = lastOf(text, this.#maxChars);
      const start = this.#total + text.length - shown.length;
      this.#pieces.push({ index, stream, text: shown, start });
      this.#kept += shown.length + PIECE_CHARS;
    }
    this.#total += text.length;
    while (this.#kept > this.#maxChars && this.#pieces.length > 1) this.#forget();
  }

  /** Lets go of the oldest piece, or of its beginning if that is enough. */
  #forget(): void {
    const [oldest] = this.#pieces;
    const left = oldest === undefined ? 0 : oldest.text.length - (this.#kept - this.#maxChars);
    if (oldest === undefined || left <= 0) {
      this.#kept -= (this.#pieces.shift()?.text.length ?? 0) + PIECE_CHARS;
      return;
    }
    const { length } = oldest.text;
    oldest.text = lastOf(oldest.text, left);
    oldest.start += length - oldest.text.length;
    this.#kept -= length - oldest.text.length;
  }

  /** @param cursor 0 for everything that is kept, else what an earlier look gave */
  since(cursor: number): NewOutput {
    const from = Math.min(Math.max(0, cursor), this.#total);
    const pieces = this.#pieces
      .map(({ start, text, ...source }) => ({
        ...source,
        text: text.slice(Math.max(0, from - start)),
      }))
      .filter(({ text }) => text !== "");
    const shown = pieces.reduce((sum, { text }) => sum + text.length, 0);
    return { pieces, cursor: this.#total, skipped: this.#total - from - shown };
  }
}

/** The end of a text, with no surrogate pair cut in two. */
function lastOf(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(-chars).replace(/^[\uDC00-\uDFFF]/, "");
}
