/** The examples of docs/long-runs.md, run in their order: a call, and the answer that the page shows for it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCalls, type Json } from "../support/doc-calls.ts";
import { startServer, type ServerUnderTest } from "../support/server.ts";

const calls = findCalls("docs/long-runs.md");
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
    expect(calls.length).toBeGreaterThan(6);
  });

  for (const { place, code, answer } of calls) {
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
