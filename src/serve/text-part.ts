import { isUtf8 } from "node:buffer";
import { endOfLastCharacter, startOfFirstCharacter } from "../output/capture.ts";

/** Clients give up at a message of 10 MiB. */
const MAX_PART_BYTES = 8_000_000;
/** A UTF-8 character has at most this many bytes after its first (RFC 3629, section 3). */
export const MAX_CONTINUATION_BYTES = 3;

/** The part of a text that an address asks for by `?offset=…&length=…`, in bytes. */
export interface Range {
  offset: number;
  length: number;
}

export function rangeOf(uri: URL): Range {
  const length = Math.min(position(uri, "length", MAX_PART_BYTES), MAX_PART_BYTES);
  return { offset: position(uri, "offset", 0), length };
}

/**
 * A part of a text, as much as clients take.
 *
 * @param bytes what lies in the range, and up to three bytes more
 */
export function textOfPart(bytes: Buffer, { offset, length }: Range): string {
  return fitting(charactersFrom(bytes, offset === 0, length));
}

/** Whether the part is UTF-8, so that nothing of it is lost as text. */
export function isText(bytes: Buffer, { offset, length }: Range): boolean {
  return isUtf8(charactersFrom(bytes, offset === 0, length));
}

/** The characters that begin in the first `length` bytes, so that parts put together are the whole. */
function charactersFrom(bytes: Buffer, isStart: boolean, length: number): Buffer {
  const start = isStart ? 0 : startOfFirstCharacter(bytes);
  const end = length + startOfFirstCharacter(bytes.subarray(length));
  return bytes.subarray(start, Math.max(start, end));
}

/** As much of the text as clients take in JSON, where escapes may make a byte six long. */
function fitting(bytes: Buffer): string {
  let kept = bytes;
  let text = kept.toString();
  while (Buffer.byteLength(JSON.stringify(text)) > MAX_PART_BYTES) {
    kept = kept.subarray(0, Math.floor(kept.length / 2));
    kept = kept.subarray(0, endOfLastCharacter(kept));
    text = kept.toString();
  }
  return text;
}

function position(uri: URL, name: string, unset: number): number {
  const value = Number(uri.searchParams.get(name) ?? unset);
  return Number.isInteger(value) && value >= 0 ? value : unset;
}
