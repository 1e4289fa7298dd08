/** The examples of docs/long-runs.md, run in their order: a call, and the answer that the page shows for it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findExamples } from "../support/doc-examples.ts";
import { startServer, type ServerUnderTest } from "../support/server.ts";

type Json = Record<string, unknown>;

const page = fileURLToPath(new URL("../../docs/long-runs.md", import.meta.url));
const blocks = findExamples("docs/long-runs.md", readFileSync(page, "utf8"))
  .filter(({ language }) => language === "json")
  .map(({ place, code }) => ({ place, code, json: JSON.parse(code) as Json }));
const isCall = ({ json }: { json: Json }): boolean => "arguments" in json;
const pairs = blocks.flatMap((block, index) => {
  const answer = blocks[index + 1];
  return isCall(block) && answer !== undefined ? [{ ...block, answer }] : [];
});

let server: ServerUnderTest;
/** Ids of real runs, by those that the page has for them. */
const ids = new Map<string, string>();

beforeAll(async () => {
  server = await startServer();
  await server.client.callTool("run_python", { code: "1" }); // so that the examples don't wait for an interpreter
});
afterAll(async () => {
  expect(await server.close()).toEqual([]);
});

function withRealIds(text: string): Json {
  return JSON.parse(
    [...ids].reduce((result, [shown, real]) => result.replaceAll(shown, real), text),
  );
}

/** What stands in an answer, but for how long things took. */
function expected(answer: Json): Json {
  return { ...answer, ...("seconds" in answer ? { seconds: expect.any(Number) } : {}) };
}

describe("docs/long-runs.md", () => {
  test("shows an answer to each call", () => {
    expect(pairs.length).toBeGreaterThan(6);
    expect(blocks.map(isCall)).toEqual(blocks.map((_, index) => index % 2 === 0));
  });

  for (const { place, code, answer } of pairs) {
    test(`${place} does what it says`, async () => {
      const { tool, arguments: args } = withRealIds(code) as { tool: string; arguments: object };
      const { json } = await server.client.callTool(tool, args);
      const shown = answer.json["run_id"];
      if (typeof shown === "string" && !ids.has(shown) && ![...ids.values()].includes(shown)) {
        ids.set(shown, String(json["run_id"]));
      }
      expect(json).toMatchObject(expected(withRealIds(answer.code)));
    });
  }
});
