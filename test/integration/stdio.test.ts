/** The built server, spoken to over stdio by the official client: what is listed, answered, linked and told meanwhile. */
import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serverCommand, startServer } from "../support/server.ts";
import type { ToolJson } from "../support/stdio-client.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";

/** What the tool descriptions may be at the most, since some hosts cut there (bytes). */
const DESCRIPTION_BYTES = 2048;
/** Clients of the official SDKs lose the connection at a longer message. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

let folder: TestFolder;
let client: Client;

beforeAll(async () => {
  folder = makeTestFolder();
  client = await connect(folder, "auto");
});
afterAll(async () => {
  await client.close();
  expect(await folder.lastingLeftovers()).toEqual([]);
  folder.remove();
});

async function connect(where: TestFolder, mode: "auto" | { pin: string }): Promise<Client> {
  const { command, env } = serverCommand(where);
  const [program = "", ...args] = command;
  const variables = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined),
  );
  const made = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await made.connect(
    new StdioClientTransport({ command: program, args, env: variables as Record<string, string> }),
  );
  return made;
}

const call = async (name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
  client.callTool({ name, arguments: args });

function jsonOf({ content: [first] }: CallToolResult): ToolJson {
  expect(first?.type).toBe("text");
  return JSON.parse(first?.type === "text" ? first.text : "") as ToolJson;
}

function linkIn({ content }: CallToolResult): { uri: string; size: number } {
  const link = content.find(({ type }) => type === "resource_link");
  if (link?.type !== "resource_link") throw new Error("the answer has no link");
  return { uri: link.uri, size: link.size ?? -1 };
}

async function read(uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri });
  const [first] = contents;
  return first !== undefined && "text" in first ? first.text : "";
}

describe("the tools", () => {
  test("are listed with what is required, and described within the limit of hosts", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "run_python",
      "run_python_batch",
      "run_python_map",
      "session",
      "get_run",
      "cancel_run",
    ]);
    expect(tools.map(({ inputSchema }) => inputSchema["required"])).toEqual([
      ["code"],
      ["codes"],
      ["code", "items"],
      ["action"],
      ["id"],
      ["id"],
    ]);
    const properties = tools.map(({ inputSchema }) => Object.keys(inputSchema["properties"] ?? {}));
    expect(properties).toEqual([
      ["code", "timeout", "cwd", "session", "packages", "stdin", "files", "background"],
      [
        "codes",
        "timeout",
        "max_workers",
        "cwd",
        "session",
        "packages",
        "stdin",
        "files",
        "background",
      ],
      [
        ...["code", "items", "complexity", "chunks"],
        ...["timeout", "max_workers", "cwd", "session", "packages", "stdin", "files", "background"],
      ],
      ["action", "session", "as"],
      ["id", "wait_seconds", "cursor"],
      ["id"],
    ]);
    for (const { title, description = "", annotations, outputSchema } of tools) {
      expect(title).toMatch(/\w/);
      expect(Buffer.byteLength(description)).toBeLessThanOrEqual(DESCRIPTION_BYTES);
      expect(description).toMatch(/Use it [^]+Not for [^]+Example: /);
      expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean) as boolean });
      expect(outputSchema).toBeUndefined(); // hosts that get structured content hide the rest
    }
    expect(JSON.stringify(tools[0])).toMatch(/timeout.*default 30.*1 to 60/i);
  });

  test("answer with the keys of the older server, and with more that is true", async () => {
    const answer = await call("run_python", { code: "print('hello')\n40 + 2" });
    expect(answer.isError ?? false).toBe(false);
    expect(answer).not.toHaveProperty("structuredContent");
    expect(jsonOf(answer)).toEqual({
      stdout: "hello\n",
      stderr: "",
      exit_code: 0,
      success: true,
      executable: expect.stringMatching(/^\/.*python/),
      status: "ok",
      sandbox: expect.stringMatching(/full|partial|none/),
      result: "42",
      duration_ms: expect.any(Number),
    });
  });

  test("pass code on as it is: nothing of it is seen by a shell", async () => {
    const code =
      String.raw`print("Hello 'world' with \"quotes\" and $variables` + ' `date` $(id) \\\\n é")';
    expect(jsonOf(await call("run_python", { code })).stdout).toBe(
      "Hello 'world' with \"quotes\" and $variables `date` $(id) \\n é\n",
    );
  });

  test.each([
    ["fails", "1 / 0", { exit_code: 1, success: false, status: "error" }],
    [
      "is killed",
      "import os; os.kill(os.getpid(), 9)",
      { exit_code: -9, status: "signal", signal: "SIGKILL" },
    ],
    [
      "runs out of time",
      "import time; time.sleep(60)",
      { exit_code: -1, success: false, status: "timeout" },
    ],
  ])("tell of code that %s as a result, not as an error of the tool", async (_, code, expected) => {
    const answer = await call("run_python", { code, timeout: 1 });
    expect(answer.isError ?? false).toBe(false);
    expect(jsonOf(answer)).toMatchObject(expected);
  });

  test("answer a batch in the order of its codes", async () => {
    const codes = Array.from(
      { length: 20 },
      (_, i) => `import time\ntime.sleep(${(20 - i) / 100})\nprint(${i})`,
    );
    const { results } = jsonOf(await call("run_python_batch", { codes }));
    expect(results?.map(({ stdout }) => stdout)).toEqual(codes.map((_, i) => `${i}\n`));
  });
});

describe("output that is too long for an answer", () => {
  const lines = 60_000;
  const whole = Array.from({ length: lines }, (_, i) => `€ ${i}\n`).join("");
  const code = `print("\\n".join(f"€ {i}" for i in range(${lines})))`;

  test("is linked, and can be read whole and in parts", async () => {
    const answer = await call("run_python", { code });
    const { stdout, truncated } = jsonOf(answer);
    const { uri, size } = linkIn(answer);
    expect(size).toBe(Buffer.byteLength(whole));
    expect(truncated).toEqual({
      stdout: { total_bytes: size, shown_bytes: expect.any(Number), uri },
    });
    expect(stdout).toContain("bytes of stdout not shown");
    expect((await read(uri)) === whole).toBe(true);

    const half = 400_001; // inside a character
    const first = await read(`${uri}?length=${half}`);
    const second = await read(`${uri}?offset=${Buffer.byteLength(first)}`);
    expect(first + second === whole).toBe(true);
    expect(first).not.toContain("\uFFFD");
    expect(await read(`${uri}?offset=6&length=12`)).toBe("€ 1\n€ 2\n");
    expect(await read(`${uri}?offset=${size}`)).toBe("");
  });

  test("is listed among the resources", async () => {
    const { uri, size } = linkIn(await call("run_python", { code }));
    const { resources } = await client.listResources();
    expect(resources.find((one) => one.uri === uri)).toMatchObject({
      size,
      mimeType: "text/plain",
    });
  });

  test("of a snippet in a batch is linked with the snippet's index", async () => {
    const answer = await call("run_python_batch", { codes: ["print(1)", code] });
    const link = answer.content.find(({ type }) => type === "resource_link");
    expect(link).toMatchObject({ name: expect.stringContaining("1") as string });
    expect((await read(linkIn(answer).uri)) === whole).toBe(true);
  });

  test("that nobody has is an error that says which", async () => {
    await expect(read("run://nothing/stdout")).rejects.toThrow(/run:\/\/nothing\/stdout/);
  });

  test("stays within what a message may hold, also when each byte takes six characters", async () => {
    const codes = Array<string>(20).fill(
      "import sys\nfor s in (sys.stdout, sys.stderr): s.write(chr(1) * 400_000)",
    );
    const answer = await call("run_python_batch", { codes, timeout: 50 });
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MAX_MESSAGE_BYTES);
    const { results } = jsonOf(answer);
    expect(results?.map(({ exit_code: exitCode }) => exitCode)).toEqual(Array(20).fill(0));
  });
});

describe("progress", () => {
  test("of a batch grows to its end", async () => {
    const told: { progress: number; total?: number | undefined }[] = [];
    const params = { name: "run_python_batch", arguments: { codes: Array(5).fill("pass") } };
    await client.callTool(params, { onprogress: (progress) => told.push(progress) });
    expect(told.map(({ progress }) => progress)).toEqual([1, 2, 3, 4, 5]);
    expect(told.every(({ total }) => total === 5)).toBe(true);
  });

  test("of a long run keeps a client waiting that would have given up", async () => {
    const told: (string | undefined)[] = [];
    const params = {
      name: "run_python",
      arguments: { code: "import time\ntime.sleep(14)\nprint('done')" },
    };
    const answer = await client.callTool(params, {
      timeout: 13_000, // ms
      resetTimeoutOnProgress: true,
      onprogress: ({ message }) => told.push(message),
    });
    expect(jsonOf(answer).stdout).toBe("done\n");
    expect(told.join()).toContain("running for");
  });
});

describe("protocol versions", () => {
  test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "%s is spoken",
    async (version) => {
      const server = await startServer({ isSilent: true });
      const { result } = await server.client.initialize(version);
      expect(result).toMatchObject({
        protocolVersion: version,
        serverInfo: { name: "py-executor" },
      });
      const { json } = await server.client.callTool("run_python", { code: "print('hello')" });
      expect(json).toMatchObject({ stdout: "hello\n", exit_code: 0 });
      expect(server.client.strayLines).toEqual([]);
      expect(await server.close()).toEqual([]);
    },
  );

  test("one that nobody knows is answered by one that the server speaks", async () => {
    const server = await startServer({ isSilent: true });
    const { result } = await server.client.initialize("1999-01-01");
    expect(result?.["protocolVersion"]).toMatch(/^202\d-\d\d-\d\d$/);
    expect(await server.close()).toEqual([]);
  });

  test("2026-07-28 is spoken with a client that speaks nothing else", async () => {
    const where = makeTestFolder();
    const pinned = await connect(where, { pin: "2026-07-28" });
    expect(pinned.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    const answer = await pinned.callTool({
      name: "run_python",
      arguments: { code: "print('hello')" },
    });
    expect(jsonOf(answer).stdout).toBe("hello\n");
    await pinned.close();
    expect(await where.lastingLeftovers()).toEqual([]);
    where.remove();
  });
});
