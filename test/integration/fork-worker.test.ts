/** What the fork worker promises beyond what every worker does: warm starts that nobody can see but by the clock. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startExecutor, type ExecutorUnderTest } from "../support/executor.ts";
import { descendantsOf, processesMentioning, type ProcessInfo } from "../support/processes.ts";
import { PackageEnvironment } from "../support/python-packages.ts";

/** Tells whether a module was there before the code imported it; the import names it for the choice of a template. */
const isPreloaded = (name: string): string =>
  `import sys\nbefore = '${name}' in sys.modules\nimport ${name}\nprint(before, getattr(${name}, 'VALUE', None))`;

function executorFor(options: Parameters<typeof startExecutor>[0]): ExecutorUnderTest {
  const executor = startExecutor({ worker: "fork", ...options });
  onTestFinished(async () => {
    expect(await executor.close()).toEqual([]);
  });
  return executor;
}

/** A first template is the child of the process that confined it. */
function isLauncher({ command }: ProcessInfo): boolean {
  return command.includes("launch.py");
}

/** Whether there was a process to kill: one that was seen may have ended since. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

/** The first process of each tree of templates. */
function templatesOf(executor: ExecutorUnderTest): number[] {
  const own = processesMentioning(executor.folder.temp);
  const launchers = new Set(own.filter(isLauncher).map(({ pid }) => pid));
  return own
    .filter(({ parent, command }) => launchers.has(parent) && command.endsWith(" template"))
    .map(({ pid }) => pid);
}

describe("what two runs must not share", () => {
  let executor: ExecutorUnderTest;
  beforeAll(() => {
    executor = startExecutor({ worker: "fork" });
  });
  afterAll(async () => {
    expect(await executor.close()).toEqual([]);
  });

  test("random numbers, ids and temporary names differ from run to run", async () => {
    const code = `
import random, secrets, tempfile, uuid, ssl, os
print(random.random(), uuid.uuid4(), secrets.token_hex(8), next(tempfile._get_candidate_names()), tempfile.gettempdir(),
      ssl.RAND_bytes(8).hex(), os.environ["TMPDIR"], sep="\\n")`;
    const runs = await executor.runBatch({ codes: Array.from({ length: 12 }, () => code) });
    const lines = runs.map(({ stdout }) => stdout.trim().split("\n"));
    for (const column of [0, 1, 2, 3, 4, 5, 6]) {
      const values = lines.map((line) => line[column]);
      expect(values).not.toContain(undefined);
      expect(new Set(values).size).toBe(12);
    }
  });

  test("variables, folder, umask, limits and changed modules of one run are not seen by the next", async () => {
    await executor.run(`
import builtins, json, logging, os, random, signal, sys, warnings, gc, decimal
os.environ["LEFT"] = "1"; os.chdir("/"); os.umask(0o777); random.seed(0); json.loads = None; builtins.left = 1
signal.signal(signal.SIGTERM, signal.SIG_IGN); warnings.simplefilter("error"); logging.basicConfig(level=0)
sys.setrecursionlimit(99); gc.disable(); gc.set_threshold(1); sys.path.append("/left"); decimal.getcontext().prec = 1
`);
    const { stdout, stderr } = await executor.run(`
import builtins, decimal, gc, json, logging, os, signal, sys, warnings
print(os.environ.get("LEFT"), oct(os.umask(0o22)), json.loads("[1]"), hasattr(builtins, "left"), sys.getrecursionlimit(),
      signal.getsignal(signal.SIGTERM), gc.isenabled(), gc.get_threshold()[0] > 1, "/left" in sys.path,
      logging.getLogger().handlers, decimal.getcontext().prec, os.getcwd() == sys.path[0],
      any(f[0] == "error" for f in warnings.filters))`);
    expect(stderr).toBe("");
    expect(stdout.trim()).toBe("None 0o22 [1] False 1000 0 True True False [] 28 True False");
  });

  test("a run has no descriptors but its own three", async () => {
    const { stdout } = await executor.run(
      "import os\nprint(sorted(int(fd) for fd in os.listdir('/proc/self/fd'))[:4], os.open('/dev/null', 0))",
    );
    expect(stdout).toMatch(/^\[0, 1, 2, (3|511)\] 3\n$/);
  });

  test("only the server's own process may connect to a template", async () => {
    const { stdout } = await executor.run(`
import glob, os, socket
seen = 0
for path in glob.glob(os.path.dirname(os.path.dirname(__file__)) + "/*"):
    peer = socket.socket(socket.AF_UNIX)
    try:
        peer.connect(path)
        peer.sendall(b"L\\0\\0\\0\\0")
        seen += bool(peer.recv(1))
    except OSError:
        pass
print("answers:", seen)`);
    expect(stdout).toBe("answers: 0\n");
  });
});

describe("slots", () => {
  test("that were idle for a while are opened anew: a later batch runs in parallel too", async () => {
    const executor = executorFor({ maxRuns: 4 });
    const meeting = `
import os, time
open(f"{os.getpid()}-{time.monotonic_ns()}.here", "w").close()
give_up = time.monotonic() + 10
while len([n for n in os.listdir() if n.endswith(".here")]) < 4 * ROUND and time.monotonic() < give_up:
    time.sleep(0.01)
print(len([n for n in os.listdir() if n.endswith(".here")]) >= 4 * ROUND)`;
    for (const round of [1, 2, 3]) {
      const code = meeting.replaceAll("ROUND", String(round));
      const results = await executor.runBatch({ codes: [code, code, code, code], timeout: 20 });
      expect(results.map(({ stdout }) => stdout)).toEqual(Array(4).fill("True\n"));
      await sleep(600);
    }
  }, 60_000);

  test("of alternating templates never run out", async () => {
    const executor = executorFor({ maxRuns: 2 });
    for (let i = 0; i < 4; i += 1) {
      expect((await executor.run("import csv, sys\nprint(1)", { timeout: 10 })).stdout).toBe("1\n");
      await sleep(500);
      expect((await executor.run("print(2)", { timeout: 10 })).stdout).toBe("2\n");
    }
  }, 60_000);

  test("whose waiting runner was killed answer that the run could not be run, and go on", async () => {
    const executor = executorFor({ maxRuns: 1 });
    await executor.run("print('up')");
    const family = descendantsOf(process.pid).filter(({ command }) =>
      command.includes(executor.folder.temp),
    );
    const parents = new Set(family.map(({ parent }) => parent));
    for (const { pid } of family) if (!parents.has(pid)) process.kill(pid, "SIGKILL");
    const { status } = await executor.run("print('first')", { timeout: 5 });
    expect(["ok", "refused", "signal"]).toContain(status);
    expect((await executor.run("print('second')")).stdout).toBe("second\n");
  });
});

describe("the folder of a run", () => {
  test("may be replaced by a link to another, which is left alone", async () => {
    const executor = executorFor({});
    const precious = join(executor.folder.workspace, "precious");
    mkdirSync(precious);
    writeFileSync(join(precious, "snippet.py"), "mine");
    const { success } = await executor.run(
      `import os, shutil\nt = os.environ["TMPDIR"]\nshutil.rmtree(t)\nos.symlink(${JSON.stringify(precious)}, t)`,
    );
    expect(success).toBe(true);
    await executor.run("print('and one more, so that the clean-up is over')");
    expect(readdirSync(precious)).toEqual(["snippet.py"]);
  });
});

describe("local modules", () => {
  test("are not mere folders: one without __init__.py stands in for no installed or standard module", async () => {
    const executor = executorFor({});
    mkdirSync(join(executor.folder.workspace, "json"));
    const { stdout, stderr } = await executor.run("import json\nprint(json.dumps([1]))");
    expect(stderr).toBe("");
    expect(stdout).toBe("[1]\n");
  });

  test.each([
    ["a file", "json.py"],
    ["a folder", "json/__init__.py"],
  ])(
    "%s in the working directory goes before a preloaded module of that name",
    async (_kind, file) => {
      const executor = executorFor({});
      const path = join(executor.folder.workspace, file);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, "VALUE = 'local'\n");
      const { stdout } = await executor.run("import json\nprint(json.VALUE)");
      expect(stdout).toBe("local\n");
    },
  );

  test("a module that was edited between two runs is read anew", async () => {
    const executor = executorFor({});
    const module = join(executor.folder.workspace, "mine.py");
    for (const value of ["first", "second"]) {
      writeFileSync(module, `VALUE = '${value}'\nTEXT = ${"'x'".padEnd(20 + value.length)}\n`);
      const { stdout } = await executor.run("import mine\nprint(mine.VALUE)");
      expect(stdout).toBe(`${value}\n`);
    }
  });
});

describe("preloaded packages", () => {
  let environment: PackageEnvironment;
  let executor: ExecutorUnderTest;
  beforeAll(() => {
    executor = startExecutor({ worker: "fork", preload: ["warmlib", "threadlib"] });
    environment = new PackageEnvironment(
      join(executor.folder.workspace, ".venv"),
      executor.folder.temp,
    );
  }, 120_000);
  afterAll(async () => {
    expect(await executor.close()).toContainEqual(expect.stringContaining(".whl"));
  });

  const becomesPreloaded = (name: string): Promise<boolean> =>
    eventually(
      async () => (await executor.run(isPreloaded(name))).stdout.startsWith("True"),
      20_000,
    );

  test("a package that the operator names is loaded ahead, and one that starts threads is not", async () => {
    environment.install("warmlib", "1.0", "VALUE = 1\n");
    expect(await becomesPreloaded("warmlib")).toBe(true);
    const { stdout } = await executor.run(isPreloaded("warmlib"));
    expect(stdout).toBe("True 1\n");
  }, 60_000);

  test("a session that is opened before its code is known has what the operator names", async () => {
    environment.install("warmlib", "1.0", "VALUE = 1\n");
    expect(await becomesPreloaded("warmlib")).toBe(true);
    const session = await executor.openSession();
    const { stdout } = await session.run({ code: isPreloaded("warmlib") });
    session.close();
    expect(stdout).toBe("True 1\n");
  }, 60_000);

  test("an upgrade and a removal are seen by the very next run", async () => {
    environment.install("warmlib", "2.0", "VALUE = 2\n");
    expect((await executor.run(isPreloaded("warmlib"))).stdout).toMatch(/^(True|False) 2\n$/);
    expect(await becomesPreloaded("warmlib")).toBe(true);
    environment.uninstall("warmlib");
    const { stderr, exitCode } = await executor.run("import warmlib");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("ModuleNotFoundError");
  }, 60_000);

  test("a package with a thread alive after its import still works in every run", async () => {
    environment.install(
      "threadlib",
      "1.0",
      "import threading\nVALUE = 0\ndone = threading.Event()\n" +
        "def work():\n    while not done.wait(0.01):\n        globals()['VALUE'] += 1\n" +
        "threading.Thread(target=work, daemon=True).start()\n",
    );
    const code = "import threadlib, time\ntime.sleep(0.2)\nprint(threadlib.VALUE > 0)";
    for (let i = 0; i < 4; i += 1) {
      const { stdout, stderr } = await executor.run(code);
      expect(stderr).toBe("");
      expect(stdout).toBe("True\n");
      await sleep(200);
    }
  }, 60_000);
});

describe("templates that die", () => {
  test("500 runs while the templates are killed again and again: each gets a true answer", async () => {
    const executor = executorFor({ maxRuns: 8 });
    await executor.run("print('up')");
    const over = new AbortController();
    const killer = (async () => {
      let kills = 0;
      while (!over.signal.aborted) {
        for (const pid of templatesOf(executor)) {
          if (killed(pid)) kills += 1;
        }
        await sleep(50);
      }
      return kills;
    })();
    const answers = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => ({
        i,
        ...(await executor.run(`print('run', ${i})`)),
      })),
    );
    over.abort();
    expect(await killer).toBeGreaterThan(3);
    const wrong = answers.filter(({ i, status, stdout, stderr, exitCode }) => {
      if (status === "ok") return stdout !== `run ${i}\n` || stderr !== "";
      // one that was killed under way says so, and claims nothing
      return status !== "refused" || exitCode !== -2 || !stderr.includes("could not be run");
    });
    expect(wrong).toEqual([]);
    expect(answers.filter(({ status }) => status === "ok").length).toBeGreaterThan(100);
    expect((await executor.run("print('still here')")).stdout).toBe("still here\n");
  }, 180_000);
});
