import type { Client } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OutputStore } from "../../../src/output/output-store.ts";
import { registerOutputs } from "../../../src/serve/output-resources.ts";
import { connectInMemory } from "../../support/in-memory-client.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

let folder: TestFolder;
let store: OutputStore;
let client: Client;

beforeEach(async () => {
  folder = makeTestFolder();
  store = new OutputStore({ root: folder.temp, maxBytesEach: 20_000_000, maxBytesInAll: 1e9 });
  const server = new McpServer({ name: "outputs", version: "1.0.0" });
  registerOutputs(server, store);
  client = await connectInMemory(server);
});

afterEach(async () => {
  await client.close();
  store.close();
  folder.remove();
});

/** Keeps a text; returns its address. */
function keep(bytes: Buffer): string {
  const file = store.open(store.newRunId(), "stdout");
  if (file === undefined) throw new Error("no file could be opened");
  file.write(bytes);
  return file.uri;
}

async function read(uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  return content !== undefined && "text" in content ? content.text : "";
}

describe("an output that is kept", () => {
  test.each([
    { query: "", text: "0123456789" },
    { query: "?offset=2&length=3", text: "234" },
    { query: "?length=3&offset=2", text: "234" },
    { query: "?offset=7", text: "789" },
    { query: "?length=4", text: "0123" },
    { query: "?offset=10", text: "" },
    { query: "?offset=-1", text: "0123456789" },
    { query: "?length=many", text: "0123456789" },
  ])("is read at its address with $query", async ({ query, text }) => {
    expect(await read(keep(Buffer.from("0123456789")) + query)).toBe(text);
  });

  test("is put together again from parts of any length, whatever bytes it is of", async () => {
    const pieces = fc.oneof(
      fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces), fc.integer({ min: 4, max: 30 }), async (parts, length) => {
        const bytes = Buffer.concat(parts);
        const uri = keep(bytes);
        let text = "";
        for (let offset = 0; offset < bytes.length; offset += length) {
          text += await read(`${uri}?offset=${offset}&length=${length}`);
        }
        // where bytes are no UTF-8 at all, a cut may change how many U+FFFD stand for them
        expect(text.replaceAll(/\uFFFD+/g, "\uFFFD")).toBe(
          bytes.toString().replaceAll(/\uFFFD+/g, "\uFFFD"),
        );
      }),
      { numRuns: 30 },
    );
  });

  test("is given in parts that clients take, though JSON makes it six times as long", async () => {
    const uri = keep(Buffer.alloc(9_000_000, 1));
    const text = await read(uri);
    expect(JSON.stringify(text).length).toBeLessThan(10 * 1024 * 1024);
    expect(text.length).toBeGreaterThanOrEqual(1_000_000);
    expect(await read(`${uri}?offset=8999999`)).toBe("\u0001");
  });

  test("is listed with its size", async () => {
    const uri = keep(Buffer.from("text"));
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri, size: 4, mimeType: "text/plain" }]);
  });

  test("can be found by its template, with and without a part", async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "run://{id}/{stream}",
      "run://{id}/{stream}{?offset,length}",
    ]);
  });
});

test.each(["run://unknown/stdout", "run://unknown/stdout?offset=0&length=1", "run://unknown"])(
  "what isn't kept is an error that says so: %s",
  async (uri) => {
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  },
);
