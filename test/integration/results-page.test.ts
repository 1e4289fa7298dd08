/** The examples of docs/results.md, run in their order: a call or request, and what the page shows for it. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { librariesPython } from "../../scripts/python.mjs";
import type { Json } from "../support/doc-calls.ts";
import { findExamples } from "../support/doc-examples.ts";
import { startServer, type ServerUnderTest } from "../support/server.ts";

const page = fileURLToPath(new URL("../../docs/results.md", import.meta.url));
const blocks = findExamples("docs/results.md", readFileSync(page, "utf8")).filter(
  ({ language }) => language === "json",
);
const isThere = existsSync(librariesPython);
/** What an address begins with, up to what the page has another one for. */
const ID = /\b(artifact|run):\/\/([\w-]{12})\//g;
/** Ids of real runs, by those that the page has for them. */
const ids = new Map<string, string>();
let server: ServerUnderTest;

beforeAll(async () => {
  if (isThere) server = await startServer({ args: ["--python", librariesPython] });
});
afterAll(async () => {
  if (isThere) expect(await server.close()).toEqual([]);
});

function withRealIds(text: string): Json {
  return JSON.parse(text.replace(ID, (_, scheme, id) => `${scheme}://${ids.get(id) ?? id}/`));
}

/** Learns which real ids stand for those of the page: they come in the same order. */
function learn(shown: string, answer: unknown): void {
  const idsIn = (text: string): string[] => Array.from(text.matchAll(ID), ([, , id = ""]) => id);
  const real = [...new Set(idsIn(JSON.stringify(answer)))];
  for (const id of idsIn(shown)) if (!ids.has(id)) ids.set(id, real.shift() ?? "");
}

async function send({ tool, method, arguments: args, params }: Json): Promise<unknown> {
  if (typeof tool === "string") {
    return (await server.client.callTool(tool, args as object)).json;
  }
  return (await server.client.request(String(method), params as object)).result;
}

describe("docs/results.md", () => {
  test("shows an answer to each call", () => {
    const isCall = blocks.map(
      ({ code }) => "arguments" in JSON.parse(code) || "params" in JSON.parse(code),
    );
    expect(isCall).toEqual(blocks.map((_, index) => index % 2 === 0));
    expect(blocks.length).toBeGreaterThan(15);
  });

  for (const [index, { place, code }] of blocks.entries()) {
    if (index % 2 === 1) continue;
    test(`${place} does what it says`, async ({ skip }) => {
      skip(!isThere, "missing: .cache/venv-libraries (`node scripts/prepare.mjs --science`)");
      const shown = blocks[index + 1]?.code ?? "";
      const answer = await send(withRealIds(code));
      learn(shown, answer);
      expect(answer).toMatchObject(withRealIds(shown));
    });
  }
});
