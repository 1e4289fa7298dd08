import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import type { ExecutorUnderTest } from "../executor.ts";
import { processesMentioning } from "../processes.ts";
import { literal, python } from "../python-source.ts";

/** Seconds. */
const SHORT = 1;
/** A run that is told to end has to, long before the time that its code would take (ms). */
const PROMPT_MS = 10_000;

/** A deadline, a cancel and a run's own end each take the whole process tree along. */
export function endsWithAllItStarted(given: () => ExecutorUnderTest): void {
  /** A word for the arguments of processes, so that they can be found. */
  const newMark = (): string => `mark-${crypto.randomUUID()}`;
  const sleeperWith = (mark: string): string =>
    `[sys.executable, "-c", "import time; time.sleep(600)", ${literal(mark)}]`;

  describe.concurrent("at the deadline", () => {
    test("the answer says so in words and keeps the output so far, though nobody flushed it", async () => {
      const result = await given().run(
        "import time\nprint('step 1', end='')\ntime.sleep(60)\nprint('step 2')",
        { timeout: SHORT },
      );
      expect(result).toMatchObject({
        status: "timeout",
        exitCode: -1,
        success: false,
        stdout: "step 1",
        stderr: "Error: Process timed out after 1s\n",
      });
    });

    test("fractions of a second count", async () => {
      const result = await given().run("import time\ntime.sleep(60)", { timeout: 1.25 });
      expect(result.stderr).toBe("Error: Process timed out after 1.25s\n");
      expect(result.durationMs).toBeGreaterThanOrEqual(1250);
    });

    test.each([
      [
        "a loop inside C code",
        "import collections, itertools\ncollections.deque(itertools.repeat(0), maxlen=0)",
      ],
      [
        "code that ignores signals and swallows every exception",
        python`
          import signal, time
          for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM):
              signal.signal(number, signal.SIG_IGN)
          while True:
              try:
                  time.sleep(1)
              except BaseException:
                  pass
        `,
      ],
      [
        "a thread that goes on after the main one",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()",
      ],
      ["an atexit callback that hangs", "import atexit, time\natexit.register(time.sleep, 60)"],
      ["a stopped process", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"],
      [
        "a finaliser that hangs",
        "import time\nclass A:\n  def __del__(self): time.sleep(60)\na = A()",
      ],
    ])("%s is ended", async (_, code) => {
      const startedAt = performance.now();
      const { status, exitCode } = await given().run(code, { timeout: SHORT });
      expect({ status, exitCode }).toEqual({ status: "timeout", exitCode: -1 });
      expect(performance.now() - startedAt).toBeLessThan(PROMPT_MS);
    });

    test("children and their children are gone when the answer comes", async () => {
      const mark = newMark();
      const { status, stdout } = await given().run(
        python`
          import os, subprocess, sys, time
          if os.fork() == 0:
              os.setsid()
              subprocess.run(${sleeperWith(mark)})
          subprocess.Popen(${sleeperWith(mark)}, start_new_session=True)
          time.sleep(0.3)
          print("started", flush=True)
          time.sleep(600)
        `,
        { timeout: 3 },
      );
      expect({ status, stdout }).toEqual({ status: "timeout", stdout: "started\n" });
      expect(processesMentioning(mark)).toEqual([]);
    });

    test("forked pool workers are gone when the answer comes", async () => {
      const pids = join(given().folder.workspace, `${newMark()}.txt`);
      const { status } = await given().run(
        python`
          import multiprocessing, os, time
          def work(_):
              with open(${literal(pids)}, "a") as file:
                  file.write(f"{os.getpid()}\n")
              time.sleep(600)
          with multiprocessing.get_context("fork").Pool(3) as pool:
              pool.map(work, range(3))
        `,
        { timeout: 2 },
      );
      expect(status).toBe("timeout");
      const workers = readFileSync(pids, "utf8").trim().split("\n").map(Number);
      expect(workers).toHaveLength(3);
      expect(processesMentioning(pids)).toEqual([]);
    });

    test("a pool that starts failing workers for ever is ended, and its error is seen", async () => {
      const mark = newMark();
      const { status, stderr } = await given().run(
        python`
          import multiprocessing, os
          os.environ["MARK"] = ${literal(mark)}
          with multiprocessing.get_context("spawn").Pool(2) as pool:
              pool.map(abs, [1])
        `,
        { timeout: 3 },
      );
      expect(status).toBe("timeout");
      expect(stderr).toContain("bootstrapping phase");
      expect(processesMentioning(mark)).toEqual([]);
    });
  });

  describe.concurrent("when a run is cancelled", () => {
    test("the answer says so and the tree is gone", async () => {
      const mark = newMark();
      const cancel = new AbortController();
      const running = given().run(
        python`
          import subprocess, sys, time
          subprocess.Popen(${sleeperWith(mark)}, start_new_session=True)
          print("started", flush=True)
          time.sleep(600)
        `,
        { timeout: 50 },
        { signal: cancel.signal, onOutput: () => cancel.abort() },
      );
      const result = await running;
      expect(result).toMatchObject({ status: "cancelled", exitCode: -1, success: false });
      expect(result.stdout.trim()).toBe("started"); // its line end may come after the cancel
      expect(result.stderr).toBe("Error: The run was cancelled\n");
      expect(await eventually(() => processesMentioning(mark).length === 0)).toBe(true);
    });

    test("before it began, none of its code runs", async () => {
      const { stdout, status } = await given().run(
        "print('ran')",
        {},
        { signal: AbortSignal.abort() },
      );
      expect({ stdout, status }).toEqual({ stdout: "", status: "cancelled" });
    });

    test("others go on", async () => {
      const cancel = new AbortController();
      const other = given().run("import time\ntime.sleep(1)\nprint('finished')");
      const cancelled = given().run("import time\ntime.sleep(600)", {}, { signal: cancel.signal });
      await sleep(300);
      cancel.abort();
      expect((await cancelled).status).toBe("cancelled");
      expect(await other).toMatchObject({ status: "ok", stdout: "finished\n" });
    });
  });

  describe.concurrent("when the snippet itself ends", () => {
    test("a child that keeps its output open neither delays the answer nor outlives it", async () => {
      const mark = newMark();
      const code = `import subprocess, sys\nsubprocess.Popen(${sleeperWith(mark)})\nprint("launched")`;
      const { status, stdout } = await given().run(code, { timeout: 30 });
      expect({ status, stdout }).toEqual({ status: "ok", stdout: "launched\n" });
      expect(processesMentioning(mark)).toEqual([]);
    });

    test("a daemon by the book is found and ended", async () => {
      const mark = newMark();
      const { status, stdout } = await given().run(
        python`
          import os, sys
          reader, writer = os.pipe()
          if os.fork() == 0:
              os.setsid()
              if os.fork() == 0:
                  os.chdir("/")
                  null = os.open(os.devnull, os.O_RDWR)
                  for fd in (0, 1, 2):
                      os.dup2(null, fd)
                  os.closerange(3, 256)
                  os.execve(sys.executable, ${sleeperWith(mark)}, {})
              os._exit(0)
          os.close(writer)
          os.read(reader, 1)
          print("daemon started")
        `,
        { timeout: 30 },
      );
      expect({ status, stdout }).toEqual({ status: "ok", stdout: "daemon started\n" });
      expect(processesMentioning(mark)).toEqual([]);
    });

    test("a chain of processes, each in a session of its own, stops working", async () => {
      const beats = join(given().folder.workspace, `${newMark()}.txt`);
      const { status, stdout } = await given().run(
        python`
          import os, time
          if os.fork() == 0:
              for _ in range(3):
                  os.setsid()
                  if os.fork():
                      os._exit(0)
              with open(${literal(beats)}, "a") as file:
                  while True:
                      file.write("beat\n"); file.flush(); time.sleep(0.02)
          while not os.path.exists(${literal(beats)}):
              time.sleep(0.02)
          print("parent done")
        `,
        { timeout: 30 },
      );
      expect({ status, stdout }).toEqual({ status: "ok", stdout: "parent done\n" });
      const size = readFileSync(beats).length;
      await sleep(500);
      expect(readFileSync(beats)).toHaveLength(size);
    });

    test("a process that is always a new one is ended", async () => {
      const latest = join(given().folder.workspace, `${newMark()}.txt`);
      const { status } = await given().run(
        python`
          import os, time
          if os.fork() == 0:
              while True:  # one process at a time, each a child of the one before
                  os.setsid()
                  if os.fork():
                      os._exit(0)
                  with open(${literal(latest)}, "a") as file:
                      file.write(f"{os.getpid()}\n")
                  time.sleep(0.001)
          while not os.path.exists(${literal(latest)}):
              time.sleep(0.02)
          time.sleep(0.1)
        `,
        { timeout: 30 },
      );
      expect(status).toBe("ok");
      const size = readFileSync(latest).length;
      await sleep(300);
      expect(readFileSync(latest)).toHaveLength(size);
    });
  });

  describe("a forked child", () => {
    test("that falls off the end of the snippet too gives no second answer", async () => {
      const { stdout, exitCode, result } = await given().run(python`
        import os
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)
            print("parent")
        else:
            print("child")
        "value of " + ("parent" if pid else "child")
      `);
      expect({ stdout, exitCode, result }).toEqual({
        stdout: "child\nparent\n",
        exitCode: 0,
        result: "'value of parent'",
      });
      expect(await given().run("print('next')")).toMatchObject({ stdout: "next\n" });
    });

    test.each([
      ["sys.exit(9)", "import sys; sys.exit(9)"],
      ["an exception", "raise KeyError('child')"],
      ["os._exit(9)", "os._exit(9)"],
      ["SIGKILL", "os.kill(os.getpid(), 9)"],
    ])("that ends by %s doesn't end the run", async (_, ending) => {
      const { stdout, exitCode } = await given().run(python`
        import os, time
        pid = os.fork()
        if pid == 0:
            ${ending}
        os.waitpid(pid, 0)
        time.sleep(0.1)
        print("parent goes on")
        raise SystemExit(5)
      `);
      expect({ stdout, exitCode }).toEqual({ stdout: "parent goes on\n", exitCode: 5 });
    });

    test("whose parent ends first is ended, and what it would have said is not waited for", async () => {
      const { stdout, exitCode } = await given().run(
        python`
          import os, time
          if os.fork() == 0:
              time.sleep(60)
              print("late")
          else:
              print("parent")
              raise SystemExit(6)
        `,
        { timeout: 30 },
      );
      expect({ stdout, exitCode }).toEqual({ stdout: "parent\n", exitCode: 6 });
    });
  });
}
