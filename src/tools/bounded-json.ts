import type { Display, OutputStream, RunResult } from "../execution.ts";

/**
 * Clients of the official SDKs lose the connection at a message of 10 MiB, of which pictures may take 4. A bound on
 * what is shown isn't enough: escaped twice, as the text of a message, a byte can become seven (bytes).
 */
const MAX_TEXT_BYTES = 4_500_000;
const MOST_BYTES_OF_A_CHARACTER = 7;
const STREAMS: readonly OutputStream[] = ["stdout", "stderr"];
/** What is left of the text of a display that is cut (characters). */
const CUT_TEXT_CHARS = 200;
const CUT_MIME_TYPES = 5;

/** The JSON of an answer; its streams and displays are cut where it would be too long for a message. */
export function toBoundedJson(
  results: readonly RunResult[],
  write: (results: readonly RunResult[]) => string,
): string {
  let text = write(results);
  for (let room = MAX_TEXT_BYTES; room > 1000 && !isFitting(text); room /= 2) {
    const each = Math.floor(room / results.length);
    text = write(results.map((result) => shortenDisplays(shortenStreams(result, each), each)));
  }
  return text;
}

function isFitting(text: string): boolean {
  if (text.length * MOST_BYTES_OF_A_CHARACTER <= MAX_TEXT_BYTES) return true;
  return bytesInMessage(text) <= MAX_TEXT_BYTES;
}

function bytesInMessage(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** A result whose streams take a half of so many bytes at most, apart from a mark, and that says so. */
function shortenStreams(result: RunResult, bytes: number): RunResult {
  const chars = Math.floor(bytes / (4 * MOST_BYTES_OF_A_CHARACTER));
  const truncated = { ...result.truncated };
  const texts = { stdout: result.stdout, stderr: result.stderr };
  for (const stream of STREAMS) {
    const text = result[stream];
    if (text.length <= chars) continue;
    const { head, tail } = endsOf(text, Math.floor(chars / 2));
    const hidden = text.length - head.length - tail.length;
    texts[stream] = `${head}\n[… ${hidden} characters not shown …]\n${tail}`;
    const { totalBytes = Buffer.byteLength(text), uri } = truncated[stream] ?? {};
    truncated[stream] = { totalBytes, shownBytes: Buffer.byteLength(head + tail), uri };
  }
  return Object.keys(truncated).length > 0 ? { ...result, ...texts, truncated } : result;
}

/** A result whose displays take a half of so many bytes at most, shared equally, and that says so. */
function shortenDisplays(result: RunResult, bytes: number): RunResult {
  if (result.displays === undefined) return result;
  let room = bytes / 2;
  const kept: Display[] = [];
  for (const [index, display] of result.displays.entries()) {
    const share = room / (result.displays.length - index);
    for (const one of [display, cut(display)]) {
      const size = sizeOf(one, share);
      if (size > share) continue;
      room -= size;
      kept.push(one);
      break;
    }
  }
  const left = result.displays.length - kept.length;
  const note = `${left} displays are left out: the answer would be too long. Show less in one call.`;
  const notes = left > 0 ? { notes: [...(result.notes ?? []), note] } : {};
  return { ...result, displays: kept, ...notes };
}

/** What a display takes of a message, without its picture; infinite where its text alone is too long. */
function sizeOf(display: Display, most: number): number {
  if ((display.text?.length ?? 0) > most) return Infinity;
  return bytesInMessage(JSON.stringify({ ...display, picture: undefined }));
}

/** A display with the beginning of its text and the address of what has most of it. */
function cut(display: Display): Display {
  const { text } = display;
  const short: Display = {
    ...display,
    mimeTypes: display.mimeTypes.slice(0, CUT_MIME_TYPES),
    ...(text === undefined
      ? {}
      : { text: `${text.slice(0, CUT_TEXT_CHARS).toWellFormed()}\n[… more not shown …]` }),
    artifacts: {},
  };
  delete short.chart;
  delete short.notes;
  return short;
}

/** The beginning and the end of a text, each at most so long, with no surrogate pair cut in two. */
function endsOf(text: string, chars: number): { head: string; tail: string } {
  const head = text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "");
  const tail = text.slice(text.length - chars).replace(/^[\uDC00-\uDFFF]/, "");
  return { head, tail };
}
