/** Sessions whose code does what a session has to survive, with either worker. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createExecutor, type Executor, type PythonSession } from "../../src/index.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { WORKERS } from "../support/workers.ts";

/** How many processes there are that the session's host has started. */
const SIBLINGS = `
import os
def siblings():
    stats = [open(f"/proc/{p}/stat").read() for p in os.listdir("/proc") if p.isdigit()]
    return sum(int(stat.rpartition(")")[2].split()[1]) == os.getppid() for stat in stats)
`;

describe.each(WORKERS)("a session with the $name worker", ({ options }) => {
  let folder: TestFolder;
  let executor: Executor;
  let session: PythonSession;
  const opened: PythonSession[] = [];

  beforeAll(() => {
    folder = makeTestFolder();
    executor = createExecutor({ workspace: folder.workspace, ...options });
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });
  afterAll(async () => {
    await executor.close();
    expect(await folder.lastingLeftovers()).toEqual([]);
    folder.remove();
  });

  /** Opens a session in which some code has run. */
  async function openAfter(code: string): Promise<void> {
    session = await executor.openSession();
    opened.push(session);
    expect(await session.run({ code })).toMatchObject({ status: "ok" });
  }
  async function expectToLive(): Promise<void> {
    expect(await session.run({ code: "20 + 1" })).toMatchObject({ result: "21", stdout: "" });
  }

  test.each([
    ["stdin", "close(0)"],
    ["stdout", "close(1)"],
    ["stderr", "close(2)"],
    ["all three", "closerange(0, 3)"],
  ])("is copied and forked though its code has closed %s", async (_, close) => {
    await openAfter(`import os\nos.${close}`);
    const results = await session.runBatch({ codes: ["x = 1\nx", "import sys\nsys.exit(4)"] });
    const silent = { stdout: "", stderr: "" };
    expect(results).toMatchObject([
      { ...silent, exitCode: 0, result: "1" },
      { ...silent, exitCode: 4 },
    ]);
    const fork = await session.fork();
    opened.push(fork);
    expect(await fork.run({ code: "print('here')\n2" })).toMatchObject({
      ...{ stdout: "here\n", result: "2" },
    });
    await expectToLive();
  });

  test.each([
    ["has no file descriptors left", "import resource\nresource.setrlimit(7, (3, 3))"],
    [
      "can't start a process",
      "import sys\ndef hook(event, _):\n    if event == 'os.fork': raise OSError('no')\nsys.addaudithook(hook)",
    ],
    ["ends each process it forks", "import os\nos.register_at_fork(after_in_child=os.abort)"],
  ])("that %s is not copied, and lives on", async (_, code) => {
    await openAfter(code);
    const fork = await executor.openSession(); // another one, so that no host ends here
    opened.push(fork);
    const refused = { code: "session_unforkable" };
    await expect(session.runBatch({ codes: ["1"], timeout: 20 })).rejects.toMatchObject(refused);
    await expect(session.fork()).rejects.toMatchObject(refused);
    await expectToLive();
  });

  test.each([
    ["ignores the end of its children", "signal.SIG_IGN"],
    ["raises at the end of its children", "lambda *_: 1 / 0"],
    ["reaps its children", "lambda *_: os.waitpid(-1, os.WNOHANG)"],
  ])("whose code %s is copied", async (_, handler) => {
    await openAfter(`import os, signal\nbefore = signal.signal(signal.SIGCHLD, ${handler})`);
    expect(await session.runBatch({ codes: ["1", "2"] })).toMatchObject([
      { result: "1" },
      { result: "2" },
    ]);
    await expectToLive();
  });

  test("outlives a timer of its code that raises all the time", async () => {
    await openAfter(
      "import signal\ndef late(*_):\n    raise RuntimeError('late')\nbefore = signal.signal(signal.SIGALRM, late)\nx = 1",
    );
    await session.run({ code: "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)" });
    const counted = "sum(range(1000))";
    for (let cell = 0; cell < 30; cell += 1) await session.run({ code: counted });
    await session.runBatch({ codes: [counted, counted] });
    await session.describe();
    const stop =
      "while signal.getitimer(signal.ITIMER_REAL)[0]:\n    try: signal.setitimer(signal.ITIMER_REAL, 0)\n    except RuntimeError: pass";
    for (let attempt = 0; attempt < 30; attempt += 1) await session.run({ code: stop });
    expect(await session.run({ code: "x" })).toMatchObject({ result: "1" });
  });

  test("that ends while a copy of it runs is what the copy's answer names", async () => {
    await openAfter("import signal, time\nbefore = signal.setitimer(signal.ITIMER_REAL, 0.5)");
    const [copy] = await session.runBatch({ codes: ["time.sleep(20)"] });
    expect(copy).toMatchObject({ status: "refused" });
    expect(copy?.stderr).toContain("its process was ended by SIGALRM");
  });

  test("keeps signals blocked that its code has blocked, and no others", async () => {
    const blocked = "list(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, [])))";
    await openAfter("import signal\nbefore = signal.pthread_sigmask(signal.SIG_BLOCK, [10])");
    expect(await session.run({ code: `list(before), ${blocked}` })).toMatchObject({
      result: "([], [10])",
    });
    expect(await session.runBatch({ codes: [blocked] })).toMatchObject([{ result: "[10]" }]);
    await session.run({ code: "signal.pthread_sigmask(signal.SIG_UNBLOCK, [10])" });
    const program =
      "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'import signal; print(signal.pthread_sigmask(0, []))'], capture_output=True, text=True).stdout)";
    const atExit = `import atexit\natexit.register(lambda: exec(${JSON.stringify(program)}))`;
    expect(await session.run({ code: program })).toMatchObject({ stdout: "set()\n\n" });
    expect(await session.runBatch({ codes: [atExit] })).toMatchObject([{ stdout: "set()\n\n" }]);
  });

  test("whose code has replaced what the session itself needs goes on", async () => {
    await openAfter("import os\nos.getpid = os.fork = os.waitpid = os.close = lambda *_: 1");
    expect(await session.runBatch({ codes: ["3"] })).toMatchObject([{ result: "3" }]);
    await expectToLive();
  });

  test("is not doubled by a value that forks when it is shown", async () => {
    await openAfter(
      `${SIBLINGS}\nclass Forks:\n    def __repr__(self):\n        os.fork()\n        return 'shown'\nmade = Forks()`,
    );
    const show = { code: "made" };
    expect(await session.run(show)).toMatchObject({ result: "shown" });
    expect(await session.runBatch({ codes: ["made"] })).toMatchObject([{ result: "shown" }]);
    expect((await session.describe()).variables).toContainEqual(
      expect.objectContaining({ name: "made", value: "shown" }),
    );
    for (let cell = 0; cell < 20; cell += 1) {
      expect(await session.run({ code: String(cell) })).toMatchObject({ result: String(cell) });
    }
    await expectToLive();
  });

  test("that takes too long to fork is not forked, and no copy comes later", async () => {
    await openAfter(
      `${SIBLINGS}\nimport time\nbefore = siblings()\nos.register_at_fork(before=lambda: time.sleep(11))`,
    );
    await expect(session.fork()).rejects.toThrow(/can't be forked: .*10 s/);
    expect(await session.run({ code: "time.sleep(0.5)\nsiblings() - before" })).toMatchObject({
      result: "0",
    });
  }, 60_000);
});
