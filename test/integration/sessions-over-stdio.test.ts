/** Sessions as a client of the server sees them: the tool, resources, cancelling, background, and the end of the client. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startServer, type ServerUnderTest } from "../support/server.ts";
import type { ToolReply } from "../support/stdio-client.ts";

let server: ServerUnderTest;

beforeEach(async () => {
  server = await startServer({ args: ["--max-sessions", "3"] });
});
afterEach(async () => {
  expect(await server.close()).toEqual([]);
});

const run = (code: string, more: object = {}): Promise<ToolReply> =>
  server.client.callTool("run_python", { code, session: "a", ...more });
const session = (args: object): Promise<ToolReply> => server.client.callTool("session", args);

async function read(uri: string): Promise<{ mimeType: string; text: string } | undefined> {
  const { result } = await server.client.request("resources/read", { uri });
  const [first] = (result?.["contents"] ?? []) as { mimeType: string; text: string }[];
  return first;
}

async function isRunning(): Promise<boolean> {
  const { json } = await session({ action: "list", session: "a" });
  return (json["sessions"] as { state: string }[])[0]?.state === "running";
}

describe("a session over stdio", () => {
  test("goes on after the request of a run in it was cancelled", async () => {
    await run("kept = 1");
    const params = {
      name: "run_python",
      arguments: { code: "import time\ntime.sleep(60)", session: "a" },
    };
    server.client.send({ jsonrpc: "2.0", id: "long", method: "tools/call", params });
    await eventually(isRunning);
    server.client.notify("notifications/cancelled", { requestId: "long" });
    expect((await run("kept")).json).toMatchObject({ result: "1", session: { resumed: true } });
    expect(server.client.answersTo("long")).toEqual([]);
  });

  test("runs code in the background, and other calls wait for it", async () => {
    await run("x = 1");
    const { json } = await run("import time\ntime.sleep(0.5)\nx = 2", { background: true });
    expect((await run("x")).json.result).toBe("2");
    const done = await server.client.callTool("get_run", { id: json["run_id"], wait_seconds: 10 });
    expect(done.json["result"]).toMatchObject({
      session: { id: "a", resumed: true, run_count: 2 },
    });
  });

  test("lives on when its background run is ended, and its loss is told by get_run too", async () => {
    await run("x = 1");
    const { json } = await run("import time\ntime.sleep(60)", { background: true });
    await eventually(isRunning);
    const cancelled = await server.client.callTool("cancel_run", { id: json["run_id"] });
    expect(cancelled.json).toMatchObject({
      state: "cancelled",
      result: { status: "cancelled", session: { interrupted: true } },
    });
    const first = run("import time\ntime.sleep(0.3)\nimport os\nos._exit(0)");
    const second = await run("x", { background: true });
    await first;
    const lost = await server.client.callTool("get_run", {
      id: second.json["run_id"],
      wait_seconds: 9,
    });
    expect(lost.json["result"]).toMatchObject({ session: { state: "lost", lost_names: ["x"] } });
  });

  test("has progress told and a map run in it", async () => {
    await run("k = 3");
    const args = { code: "[k * n for n in items]", items: [1, 2], session: "a" };
    expect((await server.client.callTool("run_python_map", args)).json["result"]).toEqual([3, 6]);
    const batch = { codes: ["k", "k + 1"], session: "a", background: true };
    const { json } = await server.client.callTool("run_python_batch", batch);
    const end = await server.client.callTool("get_run", { id: json["run_id"], wait_seconds: 9 });
    expect(end.json).toMatchObject({
      ...{ done: 2, total: 2, result: { results: [{ result: "3" }, { result: "4" }] } },
    });
  });

  test("that is not there is an error that names what there is", async () => {
    await run("1");
    for (const [tool, args] of [
      ["run_python_batch", { codes: ["1"], session: "b" }],
      ["run_python_map", { code: "items", items: [1], session: "b" }],
      ["session", { action: "close", session: "b" }],
      ["session", { action: "interrupt", session: "b" }],
      ["session", { action: "list", session: "b" }],
      ["session", { action: "fork", session: "b", as: "c" }],
    ] as const) {
      const { isError, json } = await server.client.callTool(tool, args);
      expect([isError, json.error]).toEqual([
        true,
        expect.stringContaining('You have no session "b". Your sessions are a.'),
      ]);
    }
  });

  test.each([
    [{ action: "restart" }, "`action`"],
    [{ action: "close" }, "close needs the name of a session"],
    [{ action: "fork", session: "a" }, "fork needs a name for the copy"],
    [{ action: "close", session: "a", as: "b" }, "`as` is for fork only"],
    [{ action: "fork", session: "a", as: "b/c" }, "1 to 64 letters"],
    [{ action: "fork", session: "a", as: "a" }, "already"],
    [{ action: "list", name: "a" }, "unknown argument `name`"],
  ])("is not touched by %j", async (args, problem) => {
    await run("x = 1");
    const { isError, json } = await session(args);
    expect([isError, json["success"]]).toEqual([true, false]);
    expect(json.error).toContain(problem);
    expect((await run("x")).json.result).toBe("1");
  });

  test("has its names checked", async () => {
    for (const name of ["", "a b", "../x", "é", "x".repeat(65)]) {
      const { isError, json } = await run("open('ran', 'w')", { session: name });
      expect([isError, json.error]).toEqual([true, expect.stringContaining("1 to 64 letters")]);
    }
    const { json } = await run("import os\nos.path.exists('ran')");
    expect(json.result).toBe("False");
  });

  test("is one of a bounded number; forks count", async () => {
    await run("1");
    await session({ action: "fork", session: "a", as: "b" });
    await run("1", { session: "c" });
    const refused = [
      await run("1", { session: "d" }),
      await session({ action: "fork", session: "a", as: "d" }),
    ];
    for (const { isError, json } of refused) {
      expect([isError, json.error]).toEqual([true, expect.stringMatching(/3 sessions.*: a, b, c/)]);
    }
    await session({ action: "close", session: "b" });
    expect((await run("1", { session: "d" })).isError).toBe(false);
  });

  test("can be read as a resource, with what was run in it", async () => {
    await run("x = 41\nprint('hi')");
    await run("x + 1");
    const { result } = await server.client.request("resources/list");
    const uris = ((result?.["resources"] ?? []) as { uri: string }[]).map(({ uri }) => uri);
    expect(uris).toEqual(["session://a", "session://a/history.py", "session://a/history.ipynb"]);
    const state = await read("session://a");
    expect(JSON.parse(state?.text ?? "")).toMatchObject({
      ...{ id: "a", state: "idle", run_count: 2, variables: [{ name: "x", value: "41" }] },
    });
    const python = await read("session://a/history.py");
    expect(python?.mimeType).toBe("text/x-python");
    expect(python?.text).toMatch(/# %% \[1\] .*, ok after \d+ ms\nx = 41\nprint\('hi'\)\n/);
    const notebook = JSON.parse((await read("session://a/history.ipynb"))?.text ?? "") as object;
    expect(notebook).toMatchObject({
      nbformat: 4,
      cells: [{ outputs: [{ text: ["hi\n"] }] }, { source: ["x + 1"] }],
    });
    for (const uri of ["session://b", "session://b/history.py", "session://a/history.js"]) {
      const { error } = await server.client.request("resources/read", { uri });
      expect(error?.code).toBe(-32602);
    }
    const templates = await server.client.request("resources/templates/list");
    expect(JSON.stringify(templates.result)).toContain("session://{id}/history.ipynb");
  });

  test("ends with its client, however that goes", async () => {
    await run(
      "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n1",
    );
    await run("1", { session: "b" });
    void run("import time\ntime.sleep(600)").catch(() => {});
    await eventually(isRunning);
    server.client.kill("SIGKILL"); // what is left is looked for after the test
    expect(await server.client.ended).toBe("SIGKILL");
  });
});
