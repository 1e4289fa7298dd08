import type { CallToolResult } from "@modelcontextprotocol/server";
import type { MapResult, RunResult } from "../execution.ts";
import type { OutputStore } from "../output/output-store.ts";
import { contentOf, linkTo } from "./answer.ts";
import { artifactToWire } from "./answer-shown.ts";

/** A joined list that is longer is linked instead of shown (bytes of JSON). */
const SHOWN_RESULT_BYTES = 500_000;

/**
 * The answer to a map. A chunk's own `result` is left out where the joined one is there: it would say the same again.
 *
 * @param outputs keeps a joined list that is too long to be shown
 */
export function answerMap(
  { results, chunkSizes, resultJson, artifacts = [], notes = [] }: MapResult,
  outputs: OutputStore,
): CallToolResult {
  const long =
    resultJson === undefined || Buffer.byteLength(resultJson) <= SHOWN_RESULT_BYTES
      ? undefined
      : keep(resultJson, outputs);
  const told = long === undefined ? notes : [...notes, long.note];
  const shown = resultJson === undefined ? results : results.map(withoutOwnResult);
  const shape = (runs: unknown): unknown => ({
    results: runs,
    chunk_sizes: chunkSizes,
    ...(artifacts.length > 0 ? { artifacts: artifacts.map(artifactToWire) } : {}),
    ...(told.length > 0 ? { notes: told } : {}),
  });
  const [first, ...rest] = contentOf(shown, "chunk", shape, artifacts);
  if (first?.type !== "text") throw new Error("an answer begins with its JSON");
  const isShown = resultJson !== undefined && long === undefined;
  // as it came: parsed and written again, long numbers would lose digits
  const text = isShown ? `${first.text.slice(0, -1)},"result":${resultJson}}` : first.text;
  return {
    content: [{ type: "text", text }, ...(long?.link === undefined ? [] : [long.link]), ...rest],
  };
}

function withoutOwnResult(run: RunResult): RunResult {
  const { truncated, ...kept } = run;
  delete kept.result;
  const streams = { ...truncated };
  delete streams.result;
  return Object.keys(streams).length > 0 ? { ...kept, truncated: streams } : kept;
}

function keep(
  json: string,
  outputs: OutputStore,
): { note: string; link?: CallToolResult["content"][number] } {
  const bytes = Buffer.from(json);
  const file = outputs.open(outputs.newRunId(), "result");
  file?.write(bytes);
  const size = `The joined \`result\` is ${bytes.length} bytes of JSON, too long to be shown`;
  if (file === undefined)
    return { note: `${size}, and could not be kept. Have it written to a file.` };
  const cut = { totalBytes: bytes.length, shownBytes: 0, uri: file.uri };
  return { note: `${size}; it is kept as ${file.uri}.`, link: linkTo(file.uri, "result", cut) };
}
