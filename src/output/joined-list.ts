import type { ListAsJson } from "../workers/worker.ts";

/** The longest list that is put together, in bytes of JSON. */
const MAX_JOINED_BYTES = 8 * 1024 * 1024;

/** Lists put together: their items, and the same as JSON text, in which no number has lost a digit. */
export type JoinedList = { values: unknown[]; json: string } | { problem: string };

/** Puts the lists of a map's chunks together; if one is missing there is none, and the reason is put into words. */
export function joinLists(lists: readonly ListAsJson[]): JoinedList {
  const problems: string[] = [];
  const values: unknown[] = [];
  const parts: string[] = [];
  let size = 2;
  for (const [index, list] of lists.entries()) {
    const read = readList(list);
    if ("problem" in read) {
      problems.push(`chunk ${index}: ${read.problem}`);
      continue;
    }
    if (read.values.length === 0) continue;
    size += Buffer.byteLength(read.inner) + 1;
    if (size > MAX_JOINED_BYTES) {
      const limit = `together the lists are longer than ${MAX_JOINED_BYTES} bytes of JSON`;
      return { problem: withRemedy([limit]) };
    }
    for (const value of read.values) values.push(value);
    parts.push(read.inner);
  }
  if (problems.length > 0) return { problem: withRemedy(problems) };
  return { values, json: `[${parts.join(",")}]` };
}

/** The text comes from the code: only what is a list in every respect may become a part of an answer. */
function readList(list: ListAsJson): { values: unknown[]; inner: string } | { problem: string } {
  if ("problem" in list) return list;
  try {
    const values: unknown = JSON.parse(list.json);
    if (Array.isArray(values)) return { values, inner: list.json.trim().slice(1, -1) };
  } catch {
    // the code has written its own report
  }
  return { problem: "its list is no JSON" };
}

function withRemedy(problems: readonly string[]): string {
  return (
    `There is no joined \`result\` (${problems.join("; ")}). ` +
    "It takes code that ends in a list of what JSON knows: numbers, texts, None, lists, dicts."
  );
}
