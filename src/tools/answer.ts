import type { CallToolResult } from "@modelcontextprotocol/server";
import type { OutputStream, RunResult, Truncation } from "../execution.ts";

type ContentBlock = CallToolResult["content"][number];

/**
 * Clients of the official SDKs lose the connection at a message of 10 MiB; JSON escapes can make a byte six long, so
 * that the bound on output alone is not enough (characters).
 */
const MAX_TEXT_CHARS = 4_000_000;
const STREAMS: readonly OutputStream[] = ["stdout", "stderr"];

/** The answer to a call that ran one snippet: JSON text first, then links to what was too long to be shown. */
export function answerRun(result: RunResult): CallToolResult {
  return { content: [{ type: "text", text: toBoundedJson([result], ([run]) => run) }, ...links([result])] };
}

/** The answer to a call that ran several. */
export function answerBatch(results: readonly RunResult[]): CallToolResult {
  const text = toBoundedJson(results, (runs) => ({ results: runs }));
  return { content: [{ type: "text", text }, ...links(results)] };
}

/** A result in the words of the protocol; the first five keys are those of the older Python server. */
export function toWire(result: RunResult): Record<string, unknown> {
  const { truncated } = result;
  return {
    stdout: result.stdout,
    stderr: result.stderr,
    exit_code: result.exitCode,
    success: result.success,
    executable: result.executable,
    status: result.status,
    ...(result.signal === undefined ? {} : { signal: result.signal }),
    ...(result.result === undefined ? {} : { result: result.result }),
    duration_ms: result.durationMs,
    ...(truncated === undefined ? {} : { truncated: truncationToWire(truncated) }),
    ...(result.notes === undefined ? {} : { notes: result.notes }),
  };
}

function truncationToWire(truncated: NonNullable<RunResult["truncated"]>): Record<string, unknown> {
  const words: Record<string, unknown> = truncated.result === true ? { result: true } : {};
  for (const stream of STREAMS) {
    const cut = truncated[stream];
    if (cut === undefined) continue;
    words[stream] = { total_bytes: cut.totalBytes, shown_bytes: cut.shownBytes, uri: cut.uri };
  }
  return words;
}

/** The JSON of an answer, its streams cut further where the escapes make it too long. */
function toBoundedJson(
  results: readonly RunResult[],
  shape: (runs: Record<string, unknown>[]) => unknown,
): string {
  let runs = results.map(toWire);
  let text = JSON.stringify(shape(runs));
  for (let room = MAX_TEXT_CHARS; text.length > MAX_TEXT_CHARS && room > 1000; room /= 2) {
    const each = Math.floor(room / (12 * results.length)); // two streams, six characters a byte
    runs = runs.map((run) => ({ ...run, stdout: shorten(run["stdout"], each), stderr: shorten(run["stderr"], each) }));
    text = JSON.stringify(shape(runs));
  }
  return text;
}

function shorten(text: unknown, chars: number): unknown {
  if (typeof text !== "string" || text.length <= chars) return text;
  const half = Math.floor(chars / 2);
  const [head, tail] = [text.slice(0, half), text.slice(text.length - half)];
  return `${head.toWellFormed()}\n[… ${text.length - 2 * half} characters not shown …]\n${tail.toWellFormed()}`;
}

function links(results: readonly RunResult[]): ContentBlock[] {
  return results.flatMap((result, index) =>
    STREAMS.flatMap((stream) => {
      const cut = result.truncated?.[stream];
      if (cut?.uri === undefined) return [];
      const whose = results.length > 1 ? ` of snippet ${index}` : "";
      return [linkTo(cut.uri, `${stream}${whose}`, cut)];
    }),
  );
}

function linkTo(uri: string, name: string, { totalBytes }: Truncation): ContentBlock {
  return {
    type: "resource_link",
    uri,
    name,
    description: `All ${totalBytes} bytes, up to the limit of what is kept`,
    mimeType: "text/plain",
    size: totalBytes,
  };
}
