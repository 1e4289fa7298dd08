import { z } from "zod";
import { BrokenFrameError, decodeFields } from "./wire.ts";

/** Something that a run shows, as its own process tells it: nothing of it is to be trusted. */
export interface Shown {
  /** `update`: in the place of the one with the same id. `clear`: what was shown before is to be forgotten. */
  kind: "display" | "update" | "clear" | "note";
  /** What shows it: a call of `display`, the value that the code ends in, a figure that was shown or left open. */
  source: "display" | "result" | "figure";
  id: string | undefined;
  /** The text of a note. */
  text: string | undefined;
  /** By MIME type. */
  data: Map<string, Buffer>;
  /** By MIME type, what is smaller in `data`. */
  originals: Map<string, Buffer>;
  /** By MIME type. */
  metadata: Record<string, Record<string, unknown>>;
  notes: string[];
}

const MAX_NOTES = 10;
const MAX_NOTE_CHARS = 500;
/** Of `data` and of `originals`; the run's process has the same bound. */
const MAX_TYPES = 20;
/** Of metadata and of notes; what is longer than they can be is not parsed. */
const MAX_JSON_BYTES = 256 * 1024;
/** RFC 6838, section 4.2, with parameters. */
const MIME_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[\w!#$&^.+-]{1,127}(?:;[\w\s=."-]{0,100})?$/i;
/** What stands before a MIME type in a field's name; `display_link.py` is the other end. */
const MARKS = new Set(["=", ":", "+"]);

const kinds = z.enum(["display", "update", "clear", "note"]);
const sources = z.enum(["display", "result", "figure"]).catch("display");
const facts = z.record(z.string(), z.record(z.string(), z.unknown()).catch({})).catch({});
const sentences = z
  .array(z.string())
  .transform((notes) => notes.slice(0, MAX_NOTES).map(shortened))
  .catch([]);

/** What a DISPLAY frame holds; undefined if it is nothing that could be shown. */
export function readShown(payload: Buffer): Shown | undefined {
  let fields: Map<string, Buffer>;
  try {
    fields = decodeFields(payload);
  } catch (error) {
    if (!(error instanceof BrokenFrameError)) throw error;
    return undefined;
  }
  const text = (name: string): string | undefined => fields.get(name)?.toString();
  const json = (name: string): unknown => parsed(fields.get(name));
  const kind = kinds.safeParse(text("kind"));
  if (!kind.success) return undefined;
  const shown: Shown = {
    kind: kind.data,
    source: sources.parse(text("source")),
    id: text("display_id")?.slice(0, MAX_NOTE_CHARS),
    text: shortened(text("text") ?? "") || undefined,
    data: new Map(),
    originals: new Map(),
    metadata: facts.parse(json("metadata")),
    notes: sentences.parse(json("notes")),
  };
  for (const [name, content] of fields) {
    const mimeType = name.slice(1);
    if (!MARKS.has(name.slice(0, 1)) || !MIME_TYPE.test(mimeType)) continue;
    const place = name.startsWith("+") ? shown.originals : shown.data;
    if (place.size < MAX_TYPES) place.set(mimeType, content);
  }
  return shown;
}

function parsed(json: Buffer | undefined): unknown {
  if (json === undefined || json.length > MAX_JSON_BYTES) return undefined;
  try {
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  return text.slice(0, MAX_NOTE_CHARS).toWellFormed();
}
