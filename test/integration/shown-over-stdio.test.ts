/** What a client of the built server gets of displays and files, in both eras of the protocol. */
import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serverCommand } from "../support/server.ts";
import { python } from "../support/python-source.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { ODD_NAMES } from "../support/odd-names.ts";

/** Clients of the official SDKs lose the connection at a longer message. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
/** Defines `picture(side, seed)`: a PNG of noise, which doesn't get smaller. */
const NOISE = python`
  import random, struct, zlib
  def picture(side, seed):
      rows = random.Random(seed).randbytes(3 * side * side)
      data = b"".join(b"\0" + rows[3 * side * n : 3 * side * (n + 1)] for n in range(side))
      def chunk(kind, body): return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
      head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
      return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data, 0)) + chunk(b"IEND", b"")
`;

interface Json {
  results?: Json[];
  displays?: { artifact?: string; image?: number; text?: string }[];
  artifacts?: { path: string; uri: string; size: number; change: string }[];
  status?: string;
  result?: string;
}

describe.each([
  { era: "current", mode: "auto" as const },
  { era: "2025", mode: "legacy" as const },
])("a client of the $era protocol", ({ mode }) => {
  let folder: TestFolder;
  let client: Client;

  beforeAll(async () => {
    folder = makeTestFolder();
    const { command, env } = serverCommand(folder);
    const [program = "", ...args] = command;
    const variables = Object.fromEntries(
      Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ command: program, args, env: variables }));
  });
  afterAll(async () => {
    await client.close();
    expect(await folder.lastingLeftovers()).toEqual([]);
    folder.remove();
  });

  const call = (name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args });

  function jsonOf({ content: [first] }: CallToolResult): Json {
    return JSON.parse(first?.type === "text" ? first.text : "{}") as Json;
  }

  async function read(uri: string): Promise<Buffer> {
    const [content] = (await client.readResource({ uri })).contents;
    if (content === undefined) throw new Error("no content");
    return "text" in content ? Buffer.from(content.text) : Buffer.from(content.blob, "base64");
  }

  test("gets a picture as an image, and reads it at its address", async () => {
    const answer = await call("run_python", {
      code: `${NOISE}\ndisplay({"image/png": picture(50, 1)}, raw=True)`,
    });
    const [display] = jsonOf(answer).displays ?? [];
    expect(display).toMatchObject({ image: 1 });
    const image = answer.content.find(({ type }) => type === "image");
    const bytes = Buffer.from(image?.type === "image" ? image.data : "", "base64");
    expect(await read(display?.artifact ?? "")).toEqual(bytes);
  });

  test.each([...ODD_NAMES, "a..%2f..%2fetc.txt", "日本 é.txt"])(
    "reads a file called %j at the address of the answer, of its link and of the list",
    async (name) => {
      const answer = await call("run_python", {
        code: `_ = open(${JSON.stringify(name)}, "w").write("content")`,
      });
      const [artifact] = jsonOf(answer).artifacts ?? [];
      expect(artifact).toMatchObject({ path: name, size: 7, change: "added" });
      const link = answer.content.find(({ type }) => type === "resource_link");
      expect(link).toMatchObject({ uri: artifact?.uri, name });
      const { resources } = await client.listResources();
      expect(resources.find(({ uri }) => uri === artifact?.uri)).toMatchObject({ name, size: 7 });
      expect((await read(artifact?.uri ?? "")).toString()).toBe("content");
      expect((await read(`${artifact?.uri}?offset=1&length=3`)).toString()).toBe("ont");
    },
  );

  test("reads parts of other bytes, and completes addresses", async () => {
    const code = "_ = open('all.bin', 'wb').write(bytes(range(256)))";
    const [artifact] = jsonOf(await call("run_python", { code })).artifacts ?? [];
    expect([...(await read(`${artifact?.uri}?offset=250&length=99`))]).toEqual([
      250, 251, 252, 253, 254, 255,
    ]);
    const ref = { type: "ref/resource" as const, uri: "artifact://{id}/{+path}" };
    const { completion } = await client.complete({
      ref,
      argument: { name: "path", value: "files/all" },
    });
    expect(completion.values).toEqual(["files/all.bin"]);
  });

  test("reads nothing through a link that has replaced a file", async () => {
    const code = "_ = open('swapped.txt', 'w').write('content')";
    const [artifact] = jsonOf(await call("run_python", { code })).artifacts ?? [];
    writeFileSync(join(folder.path, "secret"), "secret");
    rmSync(join(folder.workspace, "swapped.txt"));
    symlinkSync(join(folder.path, "secret"), join(folder.workspace, "swapped.txt"));
    await expect(read(artifact?.uri ?? "")).rejects.toThrow(/not found/i);
  });

  test("gives base64 with line ends, and text, as files", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const base64 = (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\r\n");
    const files = [
      { path: "in/a.bin", base64 },
      { path: "in/b.txt", text: "é" },
    ];
    const code =
      "open('in/a.bin', 'rb').read() == bytes(range(256)), open('in/b.txt', encoding='utf-8').read()";
    expect(jsonOf(await call("run_python", { code, files })).result).toBe("(True, 'é')");
    for (const wrong of [
      { path: "a" },
      { path: "a", text: "", base64: "" },
      { path: "a", base64: "é" },
      { path: "a", base64: "QQ==QQ==" },
    ])
      expect((await call("run_python", { code: "1", files: [wrong] })).isError).toBe(true);
  });

  test("gets an answer that fits into a message, whatever twenty snippets show", async () => {
    const pictures = `${NOISE}\nfor seed in range(4): display({"image/png": picture(700, seed)}, raw=True)`;
    const heavy = python`
      for number in range(50):
          texts = {f"text/x-{n}": "a" for n in range(10)}
          display({"text/plain": "\x01" * 4000, "application/vnd.py-executor.chart+json": '["' + "c" * 3900 + '"]', **texts}, raw=True)
      print("\x01" * 100_000)
    `;
    const codes = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? pictures : heavy));
    const answer = await call("run_python_batch", { codes, timeout: 60 });
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MAX_MESSAGE_BYTES);
    expect(answer.content.filter(({ type }) => type === "image")).toHaveLength(2);
    const { results = [] } = jsonOf(answer);
    expect(results.map(({ status }) => status)).toEqual(codes.map(() => "ok"));
    const [last] = results.at(-2)?.displays?.slice(-1) ?? [];
    expect((await read(last?.artifact ?? "")).subarray(1, 4).toString()).toBe("PNG");
    expect(jsonOf(await call("run_python", { code: "1 + 1" })).result).toBe("2");
  });
});
