import type { CallToolResult } from "@modelcontextprotocol/server";
import type { MapResult, RunResult } from "../execution.ts";
import type { OutputStore } from "../output/output-store.ts";
import { linksToOutput, linkTo, toBoundedJson } from "./answer.ts";

/** A joined list that is longer is linked instead of shown (bytes of JSON). */
const SHOWN_RESULT_BYTES = 500_000;

/**
 * The answer to a map. A chunk's own `result` is left out where the joined one is there: it would say the same again.
 *
 * @param outputs keeps a joined list that is too long to be shown
 */
export function answerMap(
  { results, chunkSizes, resultJson, notes = [] }: MapResult,
  outputs: OutputStore,
): CallToolResult {
  const long =
    resultJson === undefined || Buffer.byteLength(resultJson) <= SHOWN_RESULT_BYTES
      ? undefined
      : keep(resultJson, outputs);
  const told = long === undefined ? notes : [...notes, long.note];
  const shown = resultJson === undefined ? results : results.map(withoutOwnResult);
  const text = toBoundedJson(shown, (runs) => ({
    results: runs,
    chunk_sizes: chunkSizes,
    ...(told.length > 0 ? { notes: told } : {}),
  }));
  const isShown = resultJson !== undefined && long === undefined;
  return {
    content: [
      // as it came: parsed and written again, long numbers would lose digits
      { type: "text", text: isShown ? `${text.slice(0, -1)},"result":${resultJson}}` : text },
      ...(long?.link === undefined ? [] : [long.link]),
      ...linksToOutput(results, "chunk"),
    ],
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
