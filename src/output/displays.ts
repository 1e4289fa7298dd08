import type { Display, Picture } from "../execution.ts";
import type { Shown } from "../workers/shown.ts";
import { CHART, chartOf, textOf } from "./display-text.ts";
import { extensionOf } from "./mime.ts";
import type { OutputStore } from "./output-store.ts";

/** Displays of one run; the run's process has the same bound, and tells how many it left out. */
const MAX_DISPLAYS = 50;
/** All that one run may show, also what is replaced or forgotten later. */
const MAX_TAKEN = 2000;
const MAX_NOTES = 20;
/** Of one display's text, in characters; the whole is kept. */
const MAX_TEXT_CHARS = 4000;
/** What pictures models take, in the order in which they are chosen. */
const VISIBLE = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/** The largest picture that is handed to a model, in bytes. */
const MAX_PICTURE_BYTES = 1.5 * 1024 * 1024;
/** Pictures of one run that are held to be handed over. */
const MAX_PICTURES = 4;
/** What is worth most to whoever opens it, in this order. */
const BEST = [
  ...["text/html", "application/vnd.apache.parquet", "text/csv", "image/svg+xml"],
  ...["application/pdf", ...VISIBLE, "application/json", "text/markdown", "text/latex"],
];
const PICTURES_FIRST = [...VISIBLE, ...BEST];

interface Entry {
  id: string | undefined;
  display: Display;
  /** What its text takes of the room for texts. */
  chars: number;
}

/** Takes what a run shows, keeps it, and tells of it at the end. */
export class Displays {
  readonly #store: OutputStore;
  readonly #runId: string;
  readonly #notes: string[] = [];
  #shown: Entry[] = [];
  #count = 0;
  #isFull = false;
  /** Of all texts together, in characters. */
  #room: number;

  /** @param textChars how much text of displays is told in all */
  constructor(store: OutputStore, runId: string, textChars: number) {
    this.#store = store;
    this.#runId = runId;
    this.#room = textChars;
  }

  take(shown: Shown): void {
    if (shown.kind === "note") {
      if (shown.text !== undefined && this.#notes.length < MAX_NOTES) this.#notes.push(shown.text);
    } else if (shown.kind === "clear") {
      for (const entry of this.#shown) this.#forget(entry);
      this.#shown = [];
    } else {
      this.#add(shown);
    }
  }

  /** What was shown; undefined if nothing was. */
  get displays(): Display[] | undefined {
    return this.#shown.length === 0 ? undefined : this.#shown.map(({ display }) => display);
  }

  get notes(): readonly string[] {
    const full = `Only the first ${MAX_TAKEN} displays, with those that were replaced, were taken.`;
    return this.#isFull ? [...this.#notes, full] : this.#notes;
  }

  #add(shown: Shown): void {
    const { id, kind } = shown;
    const isUpdate = kind === "update" && id !== undefined;
    const at = isUpdate ? this.#shown.findIndex((other) => other.id === id) : -1;
    const replaced = this.#shown[at];
    if (replaced === undefined && this.#shown.length >= MAX_DISPLAYS) return;
    if (this.#count >= MAX_TAKEN) {
      this.#isFull = true;
      return;
    }
    if (replaced !== undefined) this.#forget(replaced);
    const room = this.#room;
    const display = this.#describe(shown, (this.#count += 1));
    const entry = { id, display, chars: room - this.#room };
    if (replaced === undefined) this.#shown.push(entry);
    else this.#shown[at] = entry;
  }

  #describe(shown: Shown, number: number): Display {
    const { source, data, originals, notes } = shown;
    const artifacts: Record<string, string> = {};
    const names = new Set<string>();
    const keep = (mimeType: string, bytes: Buffer, mark = ""): void => {
      const extension = extensionOf(mimeType);
      let name = `displays/${number}${mark}.${extension}`;
      for (let other = 2; names.has(name); other += 1)
        name = `displays/${number}${mark}-${other}.${extension}`;
      names.add(name);
      const uri = this.#store.put(this.#runId, name, mimeType, bytes);
      if (uri !== undefined) artifacts[mimeType] = uri;
    };
    const chart = chartOf(shown);
    const text = textOf(shown);
    const told = this.#fit(text);
    const isCut = told !== text;
    for (const [mimeType, bytes] of data) {
      const isTold =
        (mimeType === "text/plain" && !isCut) || (mimeType === CHART && chart !== undefined);
      if (!originals.has(mimeType) && !isTold) keep(mimeType, bytes);
    }
    for (const [mimeType, bytes] of originals) keep(mimeType, bytes, ".original");
    const picture = this.#pictureOf(shown);
    const order = picture === undefined ? BEST : PICTURES_FIRST;
    const best = order.find((mimeType) => artifacts[mimeType] !== undefined);
    const artifact = best === undefined ? Object.values(artifacts)[0] : artifacts[best];
    return {
      source,
      mimeTypes: [...data.keys()],
      ...(told === undefined ? {} : { text: told }),
      ...(chart === undefined ? {} : { chart }),
      ...(picture === undefined ? {} : { picture }),
      ...(artifact === undefined ? {} : { artifact }),
      artifacts,
      ...(notes.length > 0 ? { notes } : {}),
    };
  }

  /** As much of a text as there is room for. */
  #fit(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const length = Math.min(text.length, MAX_TEXT_CHARS, Math.max(this.#room, 200));
    this.#room -= length;
    if (length === text.length) return text;
    return `${text.slice(0, length).toWellFormed()}\n[… ${text.length - length} characters not shown …]`;
  }

  #pictureOf({ data, metadata }: Shown): Picture | undefined {
    const held = this.#shown.filter(({ display }) => display.picture !== undefined).length;
    if (held >= MAX_PICTURES) return undefined;
    for (const mimeType of VISIBLE) {
      const bytes = data.get(mimeType);
      if (bytes === undefined || bytes.length > MAX_PICTURE_BYTES) continue;
      const { width, height } = metadata[mimeType] ?? {};
      const size = typeof width === "number" && typeof height === "number" ? { width, height } : {};
      return { mimeType, bytes: Buffer.from(bytes), ...size }; // a copy: the rest of its frame goes
    }
    return undefined;
  }

  #forget({ display, chars }: Entry): void {
    for (const uri of Object.values(display.artifacts)) this.#store.drop(uri);
    delete display.picture; // others may be handed over then
    this.#room += chars;
  }
}
