import { endOfLastCharacter, startOfFirstCharacter } from "../output/capture.ts";

/** JSON escapes may make a byte six characters long; clients give up at a message of 10 MiB. */
export const MAX_PART_CHARS = 8_000_000;
/** A UTF-8 character has at most this many bytes after its first (RFC 3629, section 3). */
export const MAX_CONTINUATION_BYTES = 3;

/** The part of a text that an address asks for by `?offset=…&length=…`, in bytes. */
export interface Range {
  offset: number;
  length: number;
}

export function rangeOf(uri: URL, whole = MAX_PART_CHARS): Range {
  return { offset: position(uri, "offset", 0), length: position(uri, "length", whole) };
}

/**
 * A part of a text, as much as clients take.
 *
 * @param bytes what lies in the range, and up to three bytes more
 */
export function textOfPart(bytes: Buffer, { offset, length }: Range): string {
  return fitting(charactersFrom(bytes, offset === 0, length));
}

/** The characters that begin in the first `length` bytes, so that parts put together are the whole. */
function charactersFrom(bytes: Buffer, isStart: boolean, length: number): Buffer {
  const start = isStart ? 0 : startOfFirstCharacter(bytes);
  const end = length + startOfFirstCharacter(bytes.subarray(length));
  return bytes.subarray(start, Math.max(start, end));
}

/** As much of the text as clients take in JSON. */
function fitting(bytes: Buffer): string {
  let kept = bytes;
  let text = kept.toString();
  while (JSON.stringify(text).length > MAX_PART_CHARS) {
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
