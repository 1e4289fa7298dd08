import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Artifact, OutputStream, RunResult, Truncation } from "../execution.ts";
import { artifactToWire, displayToWire, PictureBlocks } from "./answer-shown.ts";
import { toBoundedJson } from "./bounded-json.ts";
import { sessionToWire } from "./session-to-wire.ts";

type ContentBlock = CallToolResult["content"][number];

/** Files that get a link of their own. */
const MAX_LINKED = 10;
const STREAMS: readonly OutputStream[] = ["stdout", "stderr"];

/** The answer to a call that ran one snippet: JSON text first, then pictures, then links to what was too long to be shown. */
export function answerRun(result: RunResult): CallToolResult {
  return { content: contentOf([result], "snippet", ([run]) => run, result.artifacts) };
}

/** The answer to a call that ran several; `artifacts`: files that they have made or changed. */
export function answerBatch(
  results: readonly RunResult[],
  artifacts: readonly Artifact[] = [],
): CallToolResult {
  const listed = artifacts.length > 0 ? { artifacts: artifacts.map(artifactToWire) } : {};
  const shape = (runs: unknown): unknown => ({ results: runs, ...listed });
  return { content: contentOf(results, "snippet", shape, artifacts) };
}

/** All blocks of an answer; `unit`: what each of several results is of. */
export function contentOf(
  results: readonly RunResult[],
  unit: string,
  shape: (runs: Record<string, unknown>[]) => unknown,
  artifacts: readonly Artifact[] = [],
): ContentBlock[] {
  const pictures = new PictureBlocks(results);
  const write = (runs: readonly RunResult[]): string =>
    JSON.stringify(shape(runs.map((run) => toWire(run, pictures))));
  return [
    { type: "text", text: toBoundedJson(results, write) },
    ...pictures.blocks,
    ...linksToOutput(results, unit),
    ...linksToArtifacts(artifacts),
  ];
}

/** A result in the words of the protocol; the first five keys are those of the older Python server. */
export function toWire(result: RunResult, pictures?: PictureBlocks): Record<string, unknown> {
  const { truncated, displays, artifacts } = result;
  return {
    stdout: result.stdout,
    stderr: result.stderr,
    exit_code: result.exitCode,
    success: result.success,
    executable: result.executable,
    status: result.status,
    ...(result.sandbox === undefined ? {} : { sandbox: result.sandbox }),
    ...(result.signal === undefined ? {} : { signal: result.signal }),
    ...(result.result === undefined ? {} : { result: result.result }),
    duration_ms: result.durationMs,
    ...(displays && { displays: displays.map((one) => displayToWire(one, pictures)) }),
    ...(artifacts && { artifacts: artifacts.map(artifactToWire) }),
    ...(truncated === undefined ? {} : { truncated: truncationToWire(truncated) }),
    ...(result.notes === undefined ? {} : { notes: result.notes }),
    ...(result.session === undefined ? {} : { session: sessionToWire(result.session) }),
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

/** Links to streams that are not shown whole; `unit`: what each of several results is of. */
function linksToOutput(results: readonly RunResult[], unit: string): ContentBlock[] {
  return results.flatMap((result, index) =>
    STREAMS.flatMap((stream) => {
      const cut = result.truncated?.[stream];
      if (cut?.uri === undefined) return [];
      const whose = results.length > 1 ? ` of ${unit} ${index}` : "";
      return [linkTo(cut.uri, `${stream}${whose}`, cut)];
    }),
  );
}

export function linkTo(uri: string, name: string, { totalBytes }: Truncation): ContentBlock {
  return {
    type: "resource_link",
    uri,
    name,
    description: `All ${totalBytes} bytes, up to the limit of what is kept`,
    mimeType: "text/plain",
    size: totalBytes,
  };
}

/** Links to the first few files: hosts show them to people, and the JSON has them all. */
function linksToArtifacts(artifacts: readonly Artifact[]): ContentBlock[] {
  return artifacts.slice(0, MAX_LINKED).map(({ uri, path, mimeType, size, change }) => ({
    type: "resource_link",
    uri,
    name: path,
    description: `A file that was ${change}`,
    mimeType,
    size,
  }));
}
