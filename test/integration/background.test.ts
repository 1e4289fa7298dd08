/** Runs that go on while their client does something else, over real stdio: looked at, ended, and nobody else's. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { processesMentioning } from "../support/processes.ts";
import { startServer, type ServerUnderTest } from "../support/server.ts";
import type { StdioClient, ToolJson } from "../support/stdio-client.ts";

let server: ServerUnderTest;
let client: StdioClient;

beforeAll(async () => {
  server = await startServer({ args: ["--max-runs", "8"] });
  ({ client } = server);
});
afterAll(async () => {
  expect(await server.close()).toEqual([]);
});

async function start(code: string, args: object = {}, on = client): Promise<string> {
  const call = { code, background: true, ...args };
  const { json, isError } = await on.callTool("run_python", call);
  expect({ isError, error: json.error }).toEqual({ isError: false, error: undefined });
  return String(json["run_id"]);
}

async function look(id: string, args: object = {}): Promise<ToolJson> {
  const { json, isError } = await client.callTool("get_run", { id, ...args });
  expect(isError).toBe(false);
  return json;
}

/** Code that waits until the file of this name is there. */
const waitFor = (name: string): string =>
  `import os, time\nwhile not os.path.exists("${name}"): time.sleep(0.01)\n`;
const release = (name: string): Promise<unknown> =>
  client.callTool("run_python", { code: `open("${name}", "w").close()` });

const textsOf = (json: ToolJson): string =>
  (json["output"] as { text: string }[]).map(({ text }) => text).join("");

describe("a background run", () => {
  test("is answered by its id at once, and goes on", async () => {
    const { json } = await client.callTool("run_python", {
      code: `${waitFor("go-1")}print("done")\n6 * 7`,
      background: true,
    });
    expect(json).toEqual({
      run_id: expect.stringMatching(/^[\w-]{16}$/),
      state: expect.stringMatching(/^(queued|running)$/),
      message: expect.stringContaining('Call get_run with {"id":'),
    });
    const id = String(json["run_id"]);
    expect(await look(id)).toMatchObject({ run_id: id, tool: "run_python", state: "running" });
    await release("go-1");
    const end = await look(id, { wait_seconds: 45 });
    expect(end).toMatchObject({ state: "finished", seconds: expect.any(Number) });
    expect(end).not.toHaveProperty("output");
    expect(end["result"]).toMatchObject({
      stdout: "done\n",
      exit_code: 0,
      success: true,
      status: "ok",
      result: "42",
    });
    expect(await look(id)).toEqual(end);
  });

  test("shows its new output from a cursor on", async () => {
    const id = await start(
      `${waitFor("go-2a")}print("first é")\n${waitFor("go-2b")}import sys\nprint("second", file=sys.stderr)\n${waitFor("go-2c")}`,
    );
    expect(await look(id)).toMatchObject({ output: [], cursor: 0 });
    await release("go-2a");
    let first: ToolJson = {};
    await eventually(async () => textsOf((first = await look(id))) !== "");
    expect(first["output"]).toEqual([{ stream: "stdout", text: "first é\n" }]);
    const { cursor } = first;
    expect(await look(id, { cursor })).toMatchObject({ output: [], cursor });
    await release("go-2b");
    let second: ToolJson = {};
    await eventually(async () => textsOf((second = await look(id, { cursor }))) !== "");
    expect(second["output"]).toEqual([{ stream: "stderr", text: "second\n" }]);
    expect(textsOf(await look(id))).toBe("first é\nsecond\n");
    await release("go-2c");
    const { result } = await look(id, { wait_seconds: 45 });
    expect(result).toMatchObject({ stdout: "first é\n", stderr: "second\n" });
  });

  test("keeps the newest output only, and says what it has left out", async () => {
    const code = `print("x" * 300_000)\nprint("last")\n${waitFor("go-3")}`;
    const id = await start(code);
    let json: ToolJson = {};
    await eventually(async () => textsOf((json = await look(id))).endsWith("last\n"));
    expect(textsOf(json).length).toBeLessThanOrEqual(100_000);
    expect(Number(json["skipped_chars"]) + textsOf(json).length).toBe(300_006);
    await release("go-3");
    const { content } = await client.callTool("get_run", { id, wait_seconds: 45 });
    expect(content[1]).toMatchObject({ type: "resource_link", name: "stdout" });
  });

  test("may be a batch, which counts its snippets", async () => {
    const codes = ["print(1)", `${waitFor("go-4")}print(2)`];
    const { json } = await client.callTool("run_python_batch", { codes, background: true });
    const id = String(json["run_id"]);
    let state: ToolJson = {};
    await eventually(async () => (state = await look(id))["done"] === 1);
    expect(state).toMatchObject({
      tool: "run_python_batch",
      state: "running",
      done: 1,
      total: 2,
      output: [{ index: 0, stream: "stdout", text: "1\n" }],
    });
    await release("go-4");
    const { result } = await look(id, { wait_seconds: 45 });
    expect(result).toMatchObject({ results: [{ stdout: "1\n" }, { stdout: "2\n" }] });
  });

  test("may be a map, whose numbers keep their digits", async () => {
    const { json } = await client.callTool("run_python_map", {
      code: "[n + 2**70 for n in items]",
      items: [1, 2, 3],
      background: true,
    });
    const { content } = await client.callTool("get_run", { id: json["run_id"], wait_seconds: 45 });
    expect(content[0]?.text).toContain(
      '"result":[1180591620717411303425,1180591620717411303426,1180591620717411303427]}}',
    );
  });

  test("has a limit of its own for its time, which is also what it gets unasked", async () => {
    const limited = await startServer({ args: ["--max-timeout", "1", "--max-background", "3"] });
    const code = "import time\ntime.sleep(1.5)\nprint('longer')\ntime.sleep(60)";
    const call = { code, background: true };
    const { json } = await limited.client.callTool("run_python", { ...call, timeout: 500 });
    const other = await limited.client.callTool("run_python", call);
    for (const id of [json["run_id"], other.json["run_id"]]) {
      const end = await limited.client.callTool("get_run", { id, wait_seconds: 45 });
      expect(end.json["result"]).toMatchObject({
        status: "timeout",
        stdout: "longer\n",
        stderr: "Error: Process timed out after 3s\n",
      });
    }
    expect(await limited.close()).toEqual([]);
  });

  test.each([
    ["a cwd that isn't there", "run_python", { code: "1", cwd: "nowhere" }, { success: false }],
    ["too many snippets", "run_python_batch", { codes: Array(21).fill("") }, { results: [] }],
    [
      "10,001 items",
      "run_python_map",
      { code: "1", items: Array(10_001).fill(0) },
      { results: [] },
    ],
  ])("is refused as any other for %s", async (_, tool, args, keys) => {
    const { json, isError } = await client.callTool(tool, { ...args, background: true });
    expect(isError).toBe(true);
    expect(json).toEqual({ error: expect.any(String), ...keys });
  });

  test("is refused where too many wait, and not started", async () => {
    const full = await startServer({ args: ["--max-runs", "1", "--max-queued", "0"] });
    await start("import time\ntime.sleep(60)", {}, full.client);
    const { json, isError } = await full.client.callTool("run_python", {
      code: "1",
      background: true,
    });
    expect({ isError, error: json.error }).toMatchObject({ error: expect.stringMatching(/busy/) });
    expect(await full.close()).toEqual([]);
  });

  test("is one of 32 at the most", async () => {
    const many = await startServer({ args: ["--max-runs", "1"] });
    const ids: string[] = [];
    for (let n = 0; n < 32; n += 1) {
      ids.push(await start("import time\ntime.sleep(60)", {}, many.client));
    }
    const refused = await many.client.callTool("run_python", { code: "1", background: true });
    expect(refused.isError).toBe(true);
    expect(refused.json.error).toMatch(/32 runs in the background.*cancel_run/s);
    const last = await many.client.callTool("get_run", { id: ids.at(-1) });
    expect(last.json["state"]).toBe("queued");
    const cancelled = await many.client.callTool("cancel_run", { id: ids.at(-1) });
    expect(cancelled.json["state"]).toBe("cancelled");
    await start("1", {}, many.client);
    expect(await many.close()).toEqual([]);
  });
});

describe("ending", () => {
  const sleeper = (mark: string): string =>
    `import subprocess, sys\nprint("up", flush=True)\nsubprocess.run([sys.executable, "-c", "import time; time.sleep(60)", "${mark}"])`;
  const isUp = (mark: string): Promise<boolean> =>
    eventually(() => processesMentioning(mark).length > 0);
  const isGone = (mark: string): Promise<boolean> =>
    eventually(() => processesMentioning(mark).length === 0);
  const newMark = (): string => `mark-${crypto.randomUUID()}`;

  test("by cancel_run takes one run with all its processes, and no other", async () => {
    const [one, other] = [newMark(), newMark()];
    const [id, otherId] = [await start(sleeper(one)), await start(sleeper(other))];
    expect(await isUp(one)).toBe(true);
    expect(await isUp(other)).toBe(true);
    const { json } = await client.callTool("cancel_run", { id });
    expect(json).toMatchObject({
      state: "cancelled",
      result: { status: "cancelled", stdout: "up\n", exit_code: -1 },
    });
    expect(await isGone(one)).toBe(true);
    expect(await look(otherId)).toMatchObject({ state: "running" });
    expect(processesMentioning(other)).not.toEqual([]);
    const again = await client.callTool("cancel_run", { id });
    expect(again.json).toMatchObject({ state: "cancelled", notes: ["The run had ended already."] });
    await client.callTool("cancel_run", { id: otherId });
    expect(await isGone(other)).toBe(true);
  });

  test("the wait of a look leaves the run alone", async () => {
    const mark = newMark();
    const id = await start(sleeper(mark));
    expect(await isUp(mark)).toBe(true);
    client.send({
      jsonrpc: "2.0",
      id: "waiting",
      method: "tools/call",
      params: { name: "get_run", arguments: { id, wait_seconds: 45 } },
    });
    client.notify("notifications/cancelled", { requestId: "waiting" });
    expect(await look(id)).toMatchObject({ state: "running" });
    expect(processesMentioning(mark)).not.toEqual([]);
    await client.callTool("cancel_run", { id });
    expect(await isGone(mark)).toBe(true);
  });

  test("a look waits for the end, and no longer than it is told", async () => {
    const id = await start("import time\ntime.sleep(0.5)");
    expect(await look(id, { wait_seconds: 0.01 })).toMatchObject({ state: "running" });
    const startedAt = performance.now();
    expect(await look(id, { wait_seconds: 500 })).toMatchObject({
      state: "finished",
      notes: [expect.stringContaining("wait_seconds 500 s was brought to 45 s")],
    });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  test("comes to all of them when the client goes", async () => {
    const leaving = await startServer();
    const mark = newMark();
    await start(sleeper(mark), {}, leaving.client);
    expect(await isUp(mark)).toBe(true);
    expect(await leaving.close()).toEqual([]);
    expect(processesMentioning(mark)).toEqual([]);
  });
});

describe("a run of somebody else's", () => {
  test("can't be looked at or ended, with its id or with a guess", async () => {
    const stranger = await startServer();
    const id = await start(waitFor("go-5"));
    const guesses = [id, "", "0", "../..", "__proto__", "constructor", "x".repeat(100_000)];
    for (const tool of ["get_run", "cancel_run"]) {
      for (const guess of guesses) {
        const { json, isError } = await stranger.client.callTool(tool, { id: guess });
        expect(isError).toBe(true);
        expect(json).toEqual({
          error: expect.stringMatching(/^You have no run with the `id` .{1,400}$/) as string,
          success: false,
        });
      }
    }
    expect(await look(id)).toMatchObject({ state: "running" });
    await release("go-5");
    expect(await look(id, { wait_seconds: 45 })).toMatchObject({ state: "finished" });
    expect(existsSync(join(server.folder.workspace, "go-5"))).toBe(true);
    expect(await stranger.close()).toEqual([]);
  });
});
