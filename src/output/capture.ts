import type { OutputStream } from "../execution.ts";
import type { OutputFile } from "./output-store.ts";

/** A stream as it is shown: whole, or its beginning and its end with a mark between them. */
export interface ShownOutput {
  text: string;
  totalBytes: number;
  shownBytes: number;
  isCut: boolean;
}

/**
 * Keeps what one stream of a run wrote: the beginning and the end in memory, and, if that is not all of it, the text
 * up to a larger bound in a file.
 */
export class Capture {
  readonly #stream: OutputStream;
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #openFile: () => OutputFile | undefined;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #total = 0;
  #file: OutputFile | undefined;
  #wantedFile = false;

  /**
   * @param limit bytes to show, half of them from the beginning
   * @param openFile where a text that is longer than that is kept; called once at most
   */
  constructor(stream: OutputStream, limit: number, openFile: () => OutputFile | undefined) {
    this.#stream = stream;
    this.#headBytes = Math.ceil(limit / 2);
    this.#tailBytes = Math.floor(limit / 2);
    this.#openFile = openFile;
  }

  add(bytes: Buffer): void {
    this.#outgrow(bytes.length);
    this.#file?.write(bytes);
    this.#total += bytes.length;
    const room = this.#headBytes - this.#headSize;
    const toHead = bytes.subarray(0, room);
    if (toHead.length > 0) this.#head.push(toHead);
    this.#headSize += toHead.length;
    if (bytes.length > toHead.length) this.#addToTail(bytes.subarray(toHead.length));
  }

  /** Notes output of which only the end is known. */
  skip(skipped: number, tail: Buffer): void {
    this.#outgrow(skipped);
    this.#file?.skip(skipped);
    this.#total += skipped;
    if (tail.length < skipped) {
      this.#tail = []; // there is a gap between what came before and this end
      this.#tailSize = 0;
    }
    this.#addToTail(tail);
  }

  /** What is kept, with a mark where something was cut. Invalid UTF-8 becomes U+FFFD, but no character is cut in two. */
  show(): ShownOutput {
    const head = Buffer.concat(this.#head, this.#headSize);
    const tail = Buffer.concat(this.#tail, this.#tailSize).subarray(
      -this.#tailBytes || this.#tailSize,
    );
    const kept = head.length + (this.#tailBytes === 0 ? 0 : tail.length);
    if (kept >= this.#total) {
      const text = Buffer.concat([head, tail]).toString();
      return { text, totalBytes: this.#total, shownBytes: this.#total, isCut: false };
    }
    const first = head.subarray(0, endOfLastCharacter(head));
    const last =
      this.#tailBytes === 0
        ? tail.subarray(tail.length)
        : tail.subarray(startOfFirstCharacter(tail));
    const shownBytes = first.length + last.length;
    const mark = `\n[… ${this.#total - shownBytes} of ${this.#total} bytes of ${this.#stream} not shown …]\n`;
    return {
      text: first.toString() + mark + last.toString(),
      totalBytes: this.#total,
      shownBytes,
      isCut: true,
    };
  }

  /** The file with the longer text, if there is one. */
  get file(): OutputFile | undefined {
    return this.#file;
  }

  #addToTail(bytes: Buffer): void {
    this.#tail.push(bytes);
    this.#tailSize += bytes.length;
    // dropped piece by piece, and joined now and then: many small pieces would keep whole chunks alive
    for (
      let first = this.#tail[0];
      first && this.#tailSize - first.length >= this.#tailBytes;
      first = this.#tail[0]
    ) {
      this.#tail.shift();
      this.#tailSize -= first.length;
    }
    if (this.#tail.length > 256) this.#tail = [Buffer.concat(this.#tail, this.#tailSize)];
  }

  /** Opens the file if more than can be shown is coming, while all that came before is still in memory. */
  #outgrow(coming: number): void {
    if (this.#wantedFile || this.#total + coming <= this.#headBytes + this.#tailBytes) return;
    this.#wantedFile = true;
    this.#file = this.#openFile();
    for (const piece of [...this.#head, ...this.#tail]) this.#file?.write(piece);
  }
}

/** Where a buffer that may end inside a UTF-8 character has to be cut (RFC 3629, section 3). */
export function endOfLastCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const wanted = byte >= 0b1111_0000 ? 4 : byte >= 0b1110_0000 ? 3 : byte >= 0b1100_0000 ? 2 : 1;
    return wanted > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Where a buffer that may begin inside a UTF-8 character has its first whole one. */
export function startOfFirstCharacter(bytes: Buffer): number {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000)
    start += 1;
  return start;
}
