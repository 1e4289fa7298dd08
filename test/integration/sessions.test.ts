/** Sessions through the library, with either worker: what they keep, what they survive, and how their end is told. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  createExecutor,
  type Executor,
  type PythonSession,
  type RunResult,
} from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { WORKERS } from "../support/workers.ts";

const STUBBORN = `
import time
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
`;

describe.each(WORKERS)("a session with the $name worker", ({ options }) => {
  let folder: TestFolder;
  let executor: Executor;
  let session: PythonSession;
  const opened: PythonSession[] = [];

  beforeAll(() => {
    folder = makeTestFolder();
    executor = createExecutor({ workspace: folder.workspace, maxSessions: 4, ...options });
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });
  afterAll(async () => {
    await executor.close();
    expect(await folder.lastingLeftovers()).toEqual([]);
    folder.remove();
  });

  async function open(): Promise<PythonSession> {
    session = await executor.openSession();
    opened.push(session);
    return session;
  }
  const run = (code: string, more: { timeout?: number; cwd?: string } = {}): Promise<RunResult> =>
    session.run({ code, ...more });
  const fork = async (): Promise<PythonSession> => {
    const copy = await session.fork();
    opened.push(copy);
    return copy;
  };

  test("keeps names, imports and the working directory, also over an error", async () => {
    await open();
    mkdirSync(join(folder.workspace, "sub"), { recursive: true });
    const first = await run("import os\nx = 20\nos.chdir('sub')\nx");
    expect(first).toMatchObject({ result: "20", session: { id: session.id, runCount: 1 } });
    const failed = await run("y = 1\nraise ValueError('boom')");
    expect(failed).toMatchObject({ status: "error", exitCode: 1, session: { state: "resumed" } });
    expect(failed.stderr).toContain("boom");
    expect(await run("print(x + y, os.path.basename(os.getcwd()))")).toMatchObject({
      stdout: "21 sub\n",
      session: { state: "resumed", runCount: 3 },
    });
    expect((await run("print(os.path.basename(os.getcwd()))", { cwd: "." })).stdout).toBe(
      `${basename(folder.workspace)}\n`,
    );
  });

  test("is made by the first run that names it, and is then resumed", async () => {
    const code = "n = globals().get('n', 0) + 1\nn";
    const made = await executor.run({ code, session: "by-name" });
    expect(made.session).toEqual({ id: "by-name", state: "created", runCount: 1 });
    const again = await executor.run({ code, session: "by-name" });
    expect([again.result, again.session]).toEqual([
      "2",
      { id: "by-name", state: "resumed", runCount: 2 },
    ]);
    expect((await executor.run({ code })).result).toBe("1");
    await executor.openSession({ id: "by-name" }).then(
      () => expect.unreachable(),
      (error: unknown) => expect(error).toMatchObject({ argument: "id" }),
    );
    session = await executor.openSession({ id: "other" });
    opened.push(session);
    expect((await run(code)).result).toBe("1");
    await executor.run({ code: "import os\nos._exit(0)", session: "by-name" });
  });

  test("takes await outside of functions", async () => {
    await open();
    const code =
      "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 7\nawait f()";
    expect((await run(code)).result).toBe("7");
    expect((await run("await f() + 1")).result).toBe("8");
  });

  test("runs cells one after the other, in the order in which they came", async () => {
    await open();
    const codes = ["import time\nlog = []\ntime.sleep(0.2)\nlog.append(1)", "log.append(2)", "log"];
    const results = await Promise.all(codes.map((code) => run(code)));
    expect(results.at(-1)?.result).toBe("[1, 2]");
  });

  test("is interrupted at the deadline, and lives on if its code settles", async () => {
    await open();
    await run("kept = 7");
    const end = await run("half = 1\nimport time\ntime.sleep(60)", { timeout: 1 });
    expect(end).toMatchObject({
      status: "timeout",
      exitCode: -1,
      session: { isInterrupted: true },
    });
    expect(end.stderr).toContain("KeyboardInterrupt");
    expect(end.stderr).toContain("Error: Process timed out after 1s");
    expect(await run("kept + half")).toMatchObject({ result: "8", session: { state: "resumed" } });
    expect((await run("1")).session).not.toHaveProperty("isInterrupted");
  });

  test("is killed if its code does not settle; the answer and the next use say what is lost", async () => {
    await open();
    await run("a, b = 1, 2");
    const lost = { id: session.id, state: "lost", lostNames: ["a", "b"] };
    const end = await run(STUBBORN, { timeout: 1 });
    expect(end).toMatchObject({ status: "timeout", session: lost });
    await expect(run("a")).rejects.toMatchObject({ code: "session_lost", session: lost });
    expect(await run("'a' in globals()")).toMatchObject({
      ...{ result: "False", session: { state: "created", runCount: 1 } },
    });
  });

  test.each([
    ["ends itself", "import os\nos._exit(3)", "ended itself with exit code 3"],
    ["crashes", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"],
  ])("that %s is told of at once and at the next use", async (_, code, reason) => {
    await open();
    await run("a = 1");
    const { session: use } = await run(code);
    expect(use).toMatchObject({
      state: "lost",
      lostNames: ["a"],
      reason: expect.stringContaining(reason) as string,
    });
    await expect(run("a")).rejects.toThrow(/is lost: .*Lost with it: a\./);
  });

  test("that is killed while it is idle is told of at the next use", async () => {
    await open();
    await run("a = 1\nimport os, signal, threading");
    await run("threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()");
    await eventually(
      () =>
        session.describe().then(
          () => false,
          () => true,
        ),
      5000,
    );
    expect(await run("'a' in globals()")).toMatchObject({ result: "False" });
  });

  test("goes on after a run in it was cancelled", async () => {
    await open();
    await run("kept = 1");
    const cancelling = new AbortController();
    const end = session.run(
      { code: "print('on', flush=True)\nimport time\ntime.sleep(60)" },
      { signal: cancelling.signal, onOutput: () => cancelling.abort() },
    );
    expect(await end).toMatchObject({ status: "cancelled", stdout: "on\n" });
    expect(await run("kept")).toMatchObject({ result: "1" });
  });

  test("does not run what was cancelled while it waited", async () => {
    await open();
    const first = run("import time\ntime.sleep(0.3)\nran = ['first']");
    const cancelling = new AbortController();
    const second = session.run({ code: "ran.append('second')" }, { signal: cancelling.signal });
    cancelling.abort();
    expect(await second).toMatchObject({ status: "cancelled" });
    await first;
    expect((await run("ran")).result).toBe("['first']");
  });

  test("can be interrupted, and says whether something ran", async () => {
    await open();
    expect(session.interrupt()).toBe(false);
    const end = session.run(
      { code: "x = 5\nprint('on', flush=True)\nimport time\ntime.sleep(60)" },
      { onOutput: (stream) => stream === "stdout" && session.interrupt() },
    );
    expect(await end).toMatchObject({ status: "error", exitCode: 130 });
    expect((await run("x")).result).toBe("5");
  });

  test("has a batch run in copies of it, and stays as it is", async () => {
    await open();
    await run("x = [1]\nimport os\npid = os.getpid()");
    const codes = ["x.append(2); x", "del x", "os.getpid() == pid", "1 / 0", "x"];
    const results = await session.runBatch({ codes, maxWorkers: 3 });
    expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "error", "ok"]);
    expect(results.map(({ result }) => result)).toEqual([
      "[1, 2]",
      undefined,
      "False",
      undefined,
      "[1]",
    ]);
    expect(await run("x, os.getpid() == pid")).toMatchObject({
      ...{ result: "([1], True)", session: { runCount: 2 } },
    });
  });

  test("has copies start where it is, or in the cwd that is asked for", async () => {
    await open();
    mkdirSync(join(folder.workspace, "here"), { recursive: true });
    mkdirSync(join(folder.workspace, "there"), { recursive: true });
    await run("import os", { cwd: "here" });
    const codes = ["os.path.basename(os.getcwd())"];
    expect(await session.runBatch({ codes })).toMatchObject([{ result: "'here'" }]);
    expect(await session.runBatch({ codes, cwd: "there" })).toMatchObject([{ result: "'there'" }]);
    expect(await run(codes[0] ?? "")).toMatchObject({ result: "'here'" });
  });

  test("has a map run in copies of it", async () => {
    await open();
    await run("factor = 10");
    const { result } = await session.runMap({
      code: "[factor * n for n in items]",
      items: [1, 2, 3],
    });
    expect(result).toEqual([10, 20, 30]);
    expect((await run("'items' in globals()")).result).toBe("False");
  });

  test("keeps what comes after it from changing a batch that goes on", async () => {
    await open();
    await run("x = 0\nimport time");
    const batch = session.runBatch({ codes: Array(6).fill("time.sleep(0.1); x"), maxWorkers: 2 });
    const change = run("x = 1");
    expect((await batch).map(({ result }) => result)).toEqual(Array(6).fill("0"));
    await change;
    expect((await run("x")).result).toBe("1");
  });

  test("ends a copy at its deadline or when it is cancelled, and nothing else", async () => {
    await open();
    await run("x = 1\nimport time");
    const codes = ["time.sleep(60)", "x"];
    const results = await session.runBatch({ codes, timeout: 1 });
    expect(results.map(({ status }) => status)).toEqual(["timeout", "ok"]);
    const signal = AbortSignal.timeout(300);
    const cancelled = await session.runBatch({ codes: ["time.sleep(60)"] }, { signal });
    expect(cancelled[0]).toMatchObject({ status: "cancelled" });
    expect((await run("x")).result).toBe("1");
  });

  test("with a thread that runs is not forked: the whole batch is refused with the reason", async () => {
    await open();
    await run(
      "import threading\ndone = threading.Event()\nt = threading.Thread(target=done.wait)\nt.start()",
    );
    const refused = {
      code: "session_unforkable",
      message: expect.stringMatching(/thread/i) as string,
    };
    await expect(session.runBatch({ codes: ["1", "2"] })).rejects.toMatchObject(refused);
    await expect(session.runMap({ code: "items", items: [1] })).rejects.toMatchObject(refused);
    await expect(fork()).rejects.toMatchObject(refused);
    await run("done.set()\nt.join()");
    expect(await session.runBatch({ codes: ["1"] })).toMatchObject([{ result: "1" }]);
  });

  test("is forked into one that goes its own way", async () => {
    await open();
    await run("x = [1]");
    const copy = await fork();
    expect((await copy.run({ code: "x.append(2)\nx" })).result).toBe("[1, 2]");
    expect((await run("x")).result).toBe("[1]");
    session.close();
    expect(await copy.run({ code: "x" })).toMatchObject({ result: "[1, 2]" });
    expect(copy.history("py")).toContain("x = [1]");
    expect(JSON.parse(copy.history("ipynb"))).toMatchObject({ cells: [{}, {}, {}] });
  });

  test("can't be changed, signalled or outlived by its copies", async () => {
    await open();
    const pid = Number((await run("import os\nx = 1\nos.getpid()")).result);
    const kill =
      "import signal\nfor pid in (os.getppid(), " +
      `${pid}` +
      "):\n  try:\n    os.kill(pid, signal.SIGKILL)\n  except OSError as e: print(type(e).__name__)";
    const daemon =
      "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True).pid";
    const [, left] = await session.runBatch({ codes: [kill, daemon] });
    expect(await run("x")).toMatchObject({ result: "1", session: { state: "resumed" } });
    expect(left?.status).toBe("ok");
    expect(
      Number(
        await run(
          "len([p for p in os.listdir('/proc') if p.isdigit() and b'time.sleep(600)' in open(f'/proc/{p}/cmdline','rb').read()])",
        ).then(({ result }) => result),
      ),
    ).toBe(0);
  });

  test("tells what is in it", async () => {
    await open();
    await run("x = 1\nwords = ['a', 'b']\n_hidden = 1\nimport os");
    const info = await session.describe();
    expect(info).toMatchObject({
      id: session.id,
      state: "idle",
      runCount: 1,
      names: ["words", "x"],
    });
    expect(info.variables).toMatchObject([
      { name: "x", type: "int", value: "1", shape: null },
      { name: "words", type: "list", value: "['a', 'b']" },
    ]);
    expect(info.memory).toBeGreaterThan(1_000_000);
    const long = run("import time\ntime.sleep(0.5)");
    await eventually(async () => (await session.describe()).state === "running");
    expect(await session.describe()).toMatchObject({ state: "running", names: ["words", "x"] });
    await long;
  });

  test("keeps its Python where another cwd has another, and says so", async () => {
    await open();
    const sub = join(folder.workspace, "with-venv");
    mkdirSync(join(sub, ".venv", "bin"), { recursive: true });
    writeFileSync(join(sub, ".venv", "bin", "python"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect(await run("1", { cwd: "with-venv" })).toMatchObject({ result: "1" });
    await expect(run("1", { cwd: "missing" })).rejects.toMatchObject({ argument: "cwd" });
  });

  test("can be had in a bounded number", async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => executor.openSession()));
    await expect(executor.openSession()).rejects.toMatchObject({ code: "limit_exceeded" });
    for (const one of all) one.close();
    await (await open()).run({ code: "1" });
  });

  test("leaves no process when it is closed, even while code runs", async () => {
    await open();
    const pids = (
      await run(
        "import os, subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n1",
      )
    ).success;
    expect(pids).toBe(true);
    const end = run(STUBBORN);
    await eventually(async () => (await session.describe()).state === "running");
    session.close();
    expect(await end).toMatchObject({
      status: "cancelled",
      session: { state: "lost", reason: "it was closed" },
    });
    session.close();
  });

  test("begun with a cwd that is of no use leaves nothing behind", async () => {
    const request = { code: "1", session: "nothing", cwd: "missing" };
    await expect(executor.run(request)).rejects.toMatchObject({ argument: "cwd" });
    expect(await executor.run({ ...request, cwd: "." })).toMatchObject({
      session: { state: "created" },
    });
    await executor.run({ code: "import os\nos._exit(0)", session: "nothing" });
  });
});
