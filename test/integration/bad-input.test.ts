/**
 * What bad input gets, over the protocol: an error that names the argument, the limit and what to do; nothing is run,
 * and the server answers the next call.
 */
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startServer, type ServerUnderTest } from "../support/server.ts";
import type { ToolReply } from "../support/stdio-client.ts";

const MIB = 1024 * 1024;
/** Code that shows that it ran. */
const RAN = "open('ran', 'w').close()\n";

let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  expect(await server.close()).toEqual([]);
});
afterEach(async () => {
  const { client, folder } = server;
  const { json } = await client.callTool("run_python", { code: "print('next')" });
  expect(json).toMatchObject({ stdout: "next\n", exit_code: 0 });
  expect(client.strayLines).toEqual([]);
  expect(readdirSync(folder.workspace)).not.toContain("ran");
});

/** A refusal in the shape of its tool, with all of these words. */
function expectRefusal(
  { isError, json }: ToolReply,
  shape: object,
  words: readonly string[],
): void {
  expect(isError).toBe(true);
  expect(json).toEqual({ error: expect.any(String), ...shape });
  for (const word of words) expect(json.error).toContain(word);
  expect(json.error).not.toMatch(/node:internal|ERR_[A-Z_]+|\n\s+at /);
}

describe("run_python refuses", () => {
  test.each<[string, object, string[]]>([
    ["no arguments", {}, ["`code`", "string"]],
    ["code that is null", { code: null }, ["`code`", "string"]],
    ["code that is a number", { code: 5 }, ["`code`", "string"]],
    ["code that is a list", { code: [RAN] }, ["`code`", "string"]],
    ["an unknown argument", { code: RAN, source: "x" }, ["`source`", "`code`, `timeout`, `cwd`"]],
    ["a timeout that is a word", { code: RAN, timeout: "soon" }, ["`timeout`", "number"]],
    ["a timeout in quotes", { code: RAN, timeout: "5" }, ["`timeout`", "number"]],
    ["a timeout that is a list", { code: RAN, timeout: [5] }, ["`timeout`", "number"]],
    ["a timeout that is an object", { code: RAN, timeout: { s: 1 } }, ["`timeout`", "number"]],
    ["a timeout that is true", { code: RAN, timeout: true }, ["`timeout`", "number"]],
    ["a cwd that is a number", { code: RAN, cwd: 5 }, ["`cwd`", "string"]],
    [
      "a cwd that does not exist",
      { code: RAN, cwd: "missing" },
      ["`cwd`", "does not exist", "missing"],
    ],
    ["an empty cwd", { code: RAN, cwd: "" }, ["`cwd`", "empty"]],
    ["a cwd with NUL", { code: RAN, cwd: "a\0/etc" }, ["`cwd`", "NUL"]],
    ["NUL in code", { code: `${RAN}\0${RAN}` }, ["`code`", "NUL", String(RAN.length)]],
    ["half a surrogate pair", { code: `${RAN}'\uD83D'` }, ["`code`", "surrogate"]],
    ["a byte over the limit", { code: RAN + "#".repeat(MIB) }, ["`code`", "1048576", "bytes"]],
  ])("%s", async (_, args, words) => {
    expectRefusal(await server.client.callTool("run_python", args), { success: false }, words);
  });

  test("code that is short in characters and long in bytes", async () => {
    const code = `${RAN}#${"€".repeat(400_000)}`;
    const reply = await server.client.callTool("run_python", { code });
    expectRefusal(reply, { success: false }, [
      "`code`",
      String(Buffer.byteLength(code)),
      "1048576",
    ]);
  });

  test("a cwd that is a file", async () => {
    const cwd = join(server.folder.workspace, "file.txt");
    writeFileSync(cwd, "");
    const reply = await server.client.callTool("run_python", { code: RAN, cwd });
    expectRefusal(reply, { success: false }, ["`cwd`", "not a folder", cwd]);
  });

  test("a number that JSON can write and nothing can hold", async () => {
    const { client } = server;
    const params = `{"name":"run_python","arguments":{"code":${JSON.stringify(RAN)},"timeout":1e999}}`;
    client.sendText(`{"jsonrpc":"2.0","id":"huge","method":"tools/call","params":${params}}\n`);
    const answer = await client.waitFor("the refusal", ({ id }) => id === "huge");
    expect(JSON.stringify(answer)).toContain("`timeout`");
  });
});

describe("run_python_batch refuses", () => {
  const codes = [RAN, RAN, RAN];

  test.each<[string, object, string[]]>([
    ["no arguments", {}, ["`codes`", "array"]],
    ["codes that are a text", { codes: RAN }, ["`codes`", "array"]],
    ["one item that is no text, by its index", { codes: [RAN, 5, RAN] }, ["`codes[1]`", "string"]],
    ["one item with NUL, by its index", { codes: [RAN, RAN, "\0"] }, ["`codes[2]`", "NUL"]],
    [
      "one item over the limit, by its index",
      { codes: [RAN, "#".repeat(MIB + 1)] },
      ["`codes[1]`", "1048576"],
    ],
    ["more than 20 snippets", { codes: Array(21).fill(RAN) }, ["`codes`", "21", "20"]],
    [
      "an unknown argument",
      { codes, code: RAN },
      ["`code`", "`codes`, `timeout`, `max_workers`, `cwd`"],
    ],
    ["max_workers that is a word", { codes, max_workers: "two" }, ["`max_workers`", "number"]],
    ["max_workers that is a list", { codes, max_workers: [2] }, ["`max_workers`", "number"]],
    ["a timeout that is true", { codes, timeout: true }, ["`timeout`", "number"]],
    ["a cwd that does not exist", { codes, cwd: "missing" }, ["`cwd`", "does not exist"]],
  ])("%s", async (_, args, words) => {
    expectRefusal(await server.client.callTool("run_python_batch", args), { results: [] }, words);
  });
});

describe("what is odd but clear is run", () => {
  test.each<[string, object, string | undefined]>([
    ["no code at all", { code: "" }, undefined],
    ["a timeout of nothing", { code: "", timeout: null }, undefined],
    ["a fraction of a second more", { code: "", timeout: 1.5 }, undefined],
    ["a timeout of 0", { code: "", timeout: 0 }, "timeout 0 s was brought to 1 s"],
    ["a negative timeout", { code: "", timeout: -5 }, "timeout -5 s was brought to 1 s"],
    ["a timeout of 61", { code: "", timeout: 61 }, "timeout 61 s was brought to 60 s"],
    ["a timeout beyond any timer", { code: "", timeout: 1e12 }, "brought to 60 s"],
  ])("%s", async (_, args, note) => {
    const { isError, json } = await server.client.callTool("run_python", args);
    expect({ isError, ...json }).toMatchObject({
      isError: false,
      exit_code: 0,
      stdout: "",
      stderr: "",
    });
    expect(json.notes?.join()).toEqual(
      note === undefined ? undefined : expect.stringContaining(note),
    );
  });

  test.each([
    [0, "brought to 1"],
    [-3, "brought to 1"],
    [1.5, "brought to 1"],
    [2, undefined],
    [100_000, "brought to 4"],
  ])("max_workers of %d", async (workers, note) => {
    const args = { codes: ["print('a')", "print('b')"], max_workers: workers };
    const { json } = await server.client.callTool("run_python_batch", args);
    expect(json.results?.map(({ stdout }) => stdout)).toEqual(["a\n", "b\n"]);
    const told = json.results?.[0]?.notes?.join();
    expect(told).toEqual(note === undefined ? undefined : expect.stringContaining(note));
  });

  test("a batch of nothing", async () => {
    const reply = await server.client.callTool("run_python_batch", { codes: [] });
    expect(reply).toMatchObject({ isError: false, json: { results: [] } });
  });

  test("a relative cwd, taken from the workspace", async () => {
    mkdirSync(join(server.folder.workspace, "sub"));
    const code = "import os\nprint(os.getcwd())";
    const { json } = await server.client.callTool("run_python", { code, cwd: "./sub" });
    expect(json.stdout).toBe(`${join(server.folder.workspace, "sub")}\n`);
  });

  test("code of exactly 1 MiB", async () => {
    const end = "print('whole')";
    const code = `#${"x".repeat(MIB - end.length - 2)}\n${end}`;
    expect(Buffer.byteLength(code)).toBe(MIB);
    expect((await server.client.callTool("run_python", { code })).json.stdout).toBe("whole\n");
  });
});

describe("on the wire", () => {
  const PARSE_ERROR = -32_700;
  const INVALID_REQUEST = -32_600;

  test.each([
    ["a line that is no JSON", "print('hello')", PARSE_ERROR],
    ["half a message", '{"jsonrpc": "2.0", "id": 1,', PARSE_ERROR],
    ["a number", "5", INVALID_REQUEST],
    ["an empty object", "{}", INVALID_REQUEST],
    ["an empty list", "[]", INVALID_REQUEST],
    [
      "another version of JSON-RPC",
      '{"jsonrpc": "1.0", "id": null, "method": "ping"}',
      INVALID_REQUEST,
    ],
    ["a method that is no text", '{"jsonrpc": "2.0", "method": 5}', INVALID_REQUEST],
  ])("%s is answered by an error", async (_, line, code) => {
    const { client } = server;
    const before = client.answersTo(null).length;
    client.sendText(`${line}\n`);
    const answer = await client.waitFor("an error", () => client.answersTo(null).length > before);
    expect(client.answersTo(null).at(-1)?.error?.code).toBe(code);
    expect(answer).toBeDefined();
  });

  test("an error goes to the request that it is about, where that can be told", async () => {
    const { client } = server;
    client.send({ jsonrpc: "2.0", id: "no-method" });
    const answer = await client.waitFor("an error", ({ id }) => id === "no-method");
    expect(answer.error?.code).toBe(INVALID_REQUEST);
  });

  test("an unknown method, and a tool that doesn't exist, are named", async () => {
    const { client } = server;
    expect((await client.request("tools/run")).error?.code).toBe(-32_601);
    const answer = await client.request("tools/call", { name: "run_pyton", arguments: {} });
    expect(JSON.stringify(answer)).toContain("run_pyton");
  });

  test("a message in pieces, with CRLF and empty lines around it, is understood", async () => {
    const { client } = server;
    client.sendText('\r\n\n{"jsonrpc": "2.0", "id": "pieces", ');
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.sendText('"method": "ping"}\r\n\n');
    expect(await client.waitFor("the answer", ({ id }) => id === "pieces")).toMatchObject({
      result: {},
    });
  });

  test("a message of 25 MB is read, and its argument refused", async () => {
    const reply = await server.client.callTool("run_python", {
      code: RAN + "#".repeat(25_000_000),
    });
    expectRefusal(reply, { success: false }, ["`code`", "1048576"]);
  });

  test("a batch as large as the limits allow is run", async () => {
    const codes = Array.from({ length: 20 }, (_, i) => `print(${i})\n#${"\\".repeat(MIB - 20)}`);
    const { json } = await server.client.callTool("run_python_batch", { codes });
    expect(json.results?.map(({ stdout }) => stdout)).toEqual(codes.map((_, i) => `${i}\n`));
  });

  test("a message of 70 MB is refused with the limit, without being kept", async () => {
    const { client } = server;
    const before = client.answersTo(null).length;
    client.sendText(`{"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": {"name": "`);
    for (let i = 0; i < 70; i += 1) client.sendText("x".repeat(1_000_000));
    client.sendText('"}}\n');
    await client.waitFor("an error", () => client.answersTo(null).length > before);
    const { error } = client.answersTo(null).at(-1) ?? {};
    expect(error?.code).toBe(INVALID_REQUEST);
    expect(error?.message).toContain(String(64 * MIB));
  });
});

describe("a .venv that can't be used is not passed over", () => {
  test.each<[string, (venv: string) => void, string[]]>([
    ["is empty", (venv) => mkdirSync(venv), ["bin/python"]],
    ["is a file", (venv) => writeFileSync(venv, ""), ["bin/python"]],
    ["is a link to nowhere", (venv) => symlinkSync("nowhere", venv), ["bin/python"]],
    ["lost the Python that it was made from", (venv) => makeVenv(venv, "link"), ["bin/python"]],
    [
      "has a Python that may not be executed",
      (venv) => makeVenv(venv, "text", 0o644),
      ["bin/python"],
    ],
    [
      "has a Python that is a folder",
      (venv) => mkdirSync(join(venv, "bin", "python"), { recursive: true }),
      [],
    ],
    ["has a Python that is no program", (venv) => makeVenv(venv, "text", 0o755), []],
    [
      "has a Python that fails at its start",
      (venv) => makeVenv(venv, "failing", 0o755),
      ["is broken"],
    ],
  ])("when it %s", async (name, make, words) => {
    const cwd = join(server.folder.workspace, name.replaceAll(" ", "-"));
    mkdirSync(cwd);
    make(join(cwd, ".venv"));
    const reply = await server.client.callTool("run_python", { code: RAN, cwd });
    expectRefusal(reply, { success: false }, [join(cwd, ".venv"), ...words]);
    expect(readdirSync(cwd)).toEqual([".venv"]);
  });

  function makeVenv(venv: string, kind: "link" | "text" | "failing", mode = 0o755): void {
    mkdirSync(join(venv, "bin"), { recursive: true });
    const python = join(venv, "bin", "python");
    if (kind === "link") {
      symlinkSync("/nowhere/python3", python);
      return;
    }
    writeFileSync(
      python,
      kind === "text" ? "not a program" : "#!/bin/sh\necho this one is broken >&2\nexit 1\n",
    );
    chmodSync(python, mode);
  }
});
