import type { Client } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Artifacts } from "../../../src/output/artifacts.ts";
import { OutputStore } from "../../../src/output/output-store.ts";
import { registerArtifacts } from "../../../src/serve/artifact-resources.ts";
import { connectInMemory } from "../../support/in-memory-client.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";
import { ODD_NAMES } from "../../support/odd-names.ts";

let folder: TestFolder;
let store: OutputStore;
let artifacts: Artifacts;
let client: Client;

beforeEach(async () => {
  folder = makeTestFolder();
  store = new OutputStore({ root: folder.temp, maxBytesEach: 20_000_000, maxBytesInAll: 1e9 });
  artifacts = new Artifacts(() => true);
  const server = new McpServer({ name: "artifacts", version: "1.0.0" });
  registerArtifacts(server, { outputs: store, artifacts });
  client = await connectInMemory(server);
});
afterEach(async () => {
  await client.close();
  store.close();
  folder.remove();
});

/** Makes a file as a run does; returns its address. */
async function make(name: string, content: string | Buffer, run = "run"): Promise<string> {
  const find = artifacts.watch(folder.workspace);
  writeFileSync(join(folder.workspace, name), content);
  const { artifacts: told } = await find(run, false);
  return told.find(({ path }) => path === name)?.uri ?? "";
}

interface Content {
  mimeType?: string;
  text?: string;
  blob?: string;
}

async function read(uri: string): Promise<Content> {
  const [content] = (await client.readResource({ uri })).contents;
  return content as Content;
}

describe("a file", () => {
  test.each(["a.txt", ...ODD_NAMES, "日本.txt", "[b]^|`{}.txt", "q?offset=1&length=2"])(
    "called %j is read by a client",
    async (name) => {
      expect((await read(await make(name, `of ${name}`))).text ?? "").toBe(
        name.endsWith(".txt") ? `of ${name}` : "",
      );
    },
  );

  test.each([
    ["", "aé😀b"],
    ["?offset=1&length=2", "é"],
    ["?length=2&offset=1", "é"],
    ["?offset=2", "😀b"],
    ["?length=2", "aé"],
    ["?offset=8", ""],
    ["?offset=-1", "aé😀b"],
    ["?length=99999999999999", "aé😀b"],
  ])("of text is read with %j from one character to another", async (query, text) => {
    const uri = await make("a.txt", "aé😀b");
    expect(await read(uri + query)).toMatchObject({ mimeType: "text/plain", text });
  });

  test("of other bytes is read as base64, and in parts", async () => {
    const bytes = Buffer.from([0, 255, 1, 254, 2]);
    const uri = await make("a.png", bytes);
    expect(await read(uri)).toMatchObject({
      mimeType: "image/png",
      blob: bytes.toString("base64"),
    });
    const part = bytes.subarray(1, 3).toString("base64");
    expect(await read(`${uri}?offset=1&length=2`)).toMatchObject({ blob: part });
    expect(await read(`${uri}?offset=9&length=2`)).toMatchObject({ blob: "" });
  });

  test("that is no UTF-8 is read as base64, whatever its name promises", async () => {
    const bytes = Buffer.from("caf\xe9", "latin1");
    expect(await read(await make("a.txt", bytes))).toMatchObject({
      blob: bytes.toString("base64"),
    });
  });

  test("fits into a message, whatever bytes it is of", { timeout: 30_000 }, async () => {
    for (const [name, content] of [
      ["a.txt", Buffer.alloc(9_000_000, 1)],
      ["b.txt", Buffer.from("日".repeat(3_000_000))],
      ["c.txt", Buffer.from("日日日\u0001".repeat(800_000))],
    ] as const) {
      const { text = "" } = await read(await make(name, content));
      expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(9 * 1024 * 1024);
      expect(text.length).toBeGreaterThan(100_000);
    }
  });

  test("that is too large for a message is refused, with the way to read it", async () => {
    const uri = await make("a.bin", "");
    truncateSync(join(folder.workspace, "a.bin"), 2 ** 40);
    const remedy = /It has 1099511627776 bytes.*\?offset=0&length=6000000/;
    await expect(read(uri)).rejects.toThrow(remedy);
    await expect(read(`${uri}?offset=0&length=999999999999`)).rejects.toThrow(remedy);
    const { blob = "" } = await read(`${uri}?offset=1000000000000&length=6000000`);
    expect(blob).toHaveLength(8_000_000);
  });

  test("that a link has replaced is not found", async () => {
    const uri = await make("a.txt", "x");
    const path = join(folder.workspace, "a.txt");
    writeFileSync(join(folder.path, "secret"), "secret");
    rmSync(path);
    symlinkSync(join(folder.path, "secret"), path);
    await expect(read(uri)).rejects.toThrow(/not found/i);
  });

  test.each([
    "artifact://run/files/../secret",
    "artifact://run/files/%2e%2e/secret",
    "artifact://no/files/a.txt",
    "artifact://run/",
  ])("is not found at %s", async (uri) => {
    await make("a.txt", "x");
    writeFileSync(join(folder.path, "secret"), "secret");
    await expect(read(uri)).rejects.toThrow(/not found|resource/i);
  });
});

describe("what was displayed", () => {
  test("is read with its type", async () => {
    const uri = store.put("run", "displays/1.html", "text/html", Buffer.from("<b>é")) ?? "";
    expect(await read(uri)).toMatchObject({ mimeType: "text/html", text: "<b>é" });
    expect(await read(`${uri}?offset=1&length=1`)).toMatchObject({ text: "b" });
  });
});

describe("the list", () => {
  test("has files and displays, and no output", async () => {
    const file = await make("a b.txt", "xyz");
    const shown = store.put("run", "displays/1.png", "image/png", Buffer.from("p"));
    store.open("run", "stdout");
    const { resources } = await client.listResources();
    expect(
      resources.map(({ uri, name, mimeType, size }) => ({ uri, name, mimeType, size })),
    ).toEqual([
      { uri: shown, name: "displays/1.png", mimeType: "image/png", size: 1 },
      { uri: file, name: "a b.txt", mimeType: "text/plain", size: 3 },
    ]);
  });

  test("is bounded, and has the newest", async () => {
    for (let run = 0; run < 30; run += 1) {
      const find = artifacts.watch(folder.workspace);
      for (let number = 0; number < 50; number += 1)
        writeFileSync(join(folder.workspace, `${run}-${number}.txt`), "x");
      await find(`run${run}`, false);
    }
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(1000);
    expect(resources.every(({ uri }) => !uri.startsWith("artifact://run0/"))).toBe(true);
    expect(resources.some(({ uri }) => uri.startsWith("artifact://run29/"))).toBe(true);
  }, 30_000);

  test("of templates has the address, whole and in parts", async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "artifact://{id}/{+path}",
      "artifact://{id}/{+path}{?offset,length}",
    ]);
  });
});

describe("completion", () => {
  const complete = async (name: string, value: string): Promise<string[]> => {
    const ref = { type: "ref/resource" as const, uri: "artifact://{id}/{+path}" };
    return (await client.complete({ ref, argument: { name, value } })).completion.values;
  };

  test("knows the runs and their files", async () => {
    await make("a b.txt", "x", "one");
    await make("c.txt", "x", "two");
    store.put("one", "displays/1.png", "image/png", Buffer.from("p"));
    expect(await complete("id", "")).toEqual(["one", "two"]);
    expect(await complete("id", "t")).toEqual(["two"]);
    expect(await complete("path", "files/")).toEqual(["files/a%20b.txt", "files/c.txt"]);
    expect(await complete("path", "d")).toEqual(["displays/1.png"]);
  });
});
