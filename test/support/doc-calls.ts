/** Pages whose JSON blocks are calls, each with the answer that the page shows for it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findExamples } from "./doc-examples.ts";

export type Json = Record<string, unknown>;

/** A call, as a page has it. */
export interface DocCall {
  /** Where it begins, such as `docs/sessions.md:12`. */
  readonly place: string;
  readonly code: string;
  /** The answer's keys that the page shows. */
  readonly answer: { readonly code: string; readonly json: Json };
}

/** The calls of a page, in their order. Throws if a call has no answer, or an answer no call. */
export function findCalls(page: string): DocCall[] {
  const path = fileURLToPath(new URL(`../../${page}`, import.meta.url));
  const blocks = findExamples(page, readFileSync(path, "utf8"))
    .filter(({ language }) => language === "json")
    .map(({ place, code }) => ({ place, code, json: JSON.parse(code) as Json }));
  return blocks.flatMap((block, index) => {
    const isCall = "arguments" in block.json;
    if (isCall !== (index % 2 === 0))
      throw new Error(`${block.place}: calls and answers don't alternate`);
    const answer = blocks[index + 1];
    return isCall && answer !== undefined ? [{ ...block, answer }] : [];
  });
}
