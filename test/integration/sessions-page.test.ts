/** The examples of docs/sessions.md, run in their order: a call, and the answer that the page shows for it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCalls } from "../support/doc-calls.ts";
import { startServer, type ServerUnderTest } from "../support/server.ts";

const calls = findCalls("docs/sessions.md");
let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  expect(await server.close()).toEqual([]);
});

describe("docs/sessions.md", () => {
  test("shows an answer to each call", () => {
    expect(calls.length).toBeGreaterThan(15);
  });

  for (const { place, code, answer } of calls) {
    test(`${place} does what it says`, async () => {
      const { tool, arguments: args } = JSON.parse(code) as { tool: string; arguments: object };
      const { json, isError } = await server.client.callTool(tool, args);
      expect(json).toMatchObject(answer.json);
      expect(isError).toBe("error" in answer.json);
    });
  }
});
