/** Many runs leave nothing: no process, no descriptor, no file, and no memory that grows with their number. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startExecutor, type ExecutorUnderTest } from "../support/executor.ts";
import {
  allProcesses,
  countDescriptors,
  descendantsOf,
  residentBytes,
} from "../support/processes.ts";
import { WORKERS } from "../support/workers.ts";

/** The spawn worker takes ten times as long for a run; what leaks in one of 300 is seen as well. */
const RUNS = { fork: 1000, spawn: 300 };
const AT_ONCE = 200;
const MIB = 1024 * 1024;
/** What the collector may not have taken yet; a leak of a run's output or connection would be many times that. */
const MEMORY_SLACK = 60 * MIB;
const PATIENCE_MS = 280_000;
const SETTLING_MS = 500;

interface Holdings {
  processes: number;
  descriptors: number;
  descriptorsOfOthers: number;
  folders: number;
}

describe.each(WORKERS)("with the $name worker", ({ name, options }) => {
  let executor: ExecutorUnderTest;

  beforeAll(async () => {
    executor = startExecutor({ ...options, maxRuns: 4 });
    await runInTurn(20);
  });
  afterAll(async () => {
    expect(await executor.close()).toEqual([]);
  });

  async function runInTurn(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      // every way for a run to leave something: output, a file, a child, a failure, a hard exit
      const code = [
        `print(${i})`,
        `import tempfile\nopen(tempfile.mkdtemp() + '/left', 'w').close()\nprint(${i})`,
        `import subprocess\nsubprocess.Popen(['sleep', '60'])\nprint(${i})`,
        `print(${i})\n1 / 0`,
        `import os\nprint(${i}, flush=True)\nos._exit(3)`,
      ][i % 5];
      const { stdout } = await executor.run(code ?? "");
      expect(stdout).toBe(`${i}\n`);
    }
  }

  /** What is held when nothing goes on: slots and interpreters that are kept ready are part of it. */
  function holdings(): Holdings {
    const processes = descendantsOf(process.pid);
    const [root = ""] = readdirSync(executor.folder.temp);
    return {
      processes: processes.length,
      descriptors: countDescriptors(process.pid),
      descriptorsOfOthers: Math.max(...processes.map(({ pid }) => descriptorsOf(pid))),
      folders: readdirSync(join(executor.folder.temp, root)).length,
    };
  }

  /** What is held once nothing changes any more: what was kept ready for many runs is given up after a while. */
  async function settledHoldings(): Promise<Holdings> {
    let seen = "";
    await eventually(async () => {
      await sleep(SETTLING_MS);
      const before = seen;
      seen = JSON.stringify(holdings());
      return seen === before;
    }, 30_000);
    return holdings();
  }

  /** Waits until no more is held than before; slots that were opened for many runs close when nobody needs them. */
  async function expectNoMoreThan(before: Holdings): Promise<void> {
    const isBack = (): boolean => {
      const now = holdings();
      return Object.entries(before).every(([what, count]) => now[what as keyof Holdings] <= count);
    };
    if (!(await eventually(isBack, 20_000))) expect(holdings()).toEqual(before);
  }

  test(
    `${RUNS[name]} runs in a row leave no process, descriptor, file or memory`,
    async () => {
      await runInTurn(100); // until caches and the collector's idea of the heap are what they will be
      const before = await settledHoldings();
      const memoryBefore = memoryInAll();
      await runInTurn(RUNS[name]);
      await expectNoMoreThan(before);
      expect(memoryInAll() - memoryBefore).toBeLessThan(MEMORY_SLACK);
    },
    PATIENCE_MS,
  );

  test(
    `${AT_ONCE} runs at once are all answered, in bounds, and leave nothing`,
    async () => {
      const before = await settledHoldings();
      let most = 0;
      const watch = setInterval(() => {
        most = Math.max(
          most,
          allProcesses().filter(({ command }) => command.includes(executor.folder.temp)).length,
        );
      }, 50);
      const numbers = Array.from({ length: AT_ONCE }, (_, i) => i);
      const results = await Promise.all(numbers.map((i) => executor.run(`print(${i})`)));
      clearInterval(watch);
      expect(results.map(({ stdout }) => stdout)).toEqual(numbers.map((i) => `${i}\n`));
      // a supervisor and a runner for each of the 4 runs, the next ones, and what is kept ready
      expect(most).toBeLessThan(30);
      await expectNoMoreThan(before);
    },
    PATIENCE_MS,
  );

  test(
    "runs that are cancelled at any moment leave nothing",
    async () => {
      const before = await settledHoldings();
      const runs = Array.from({ length: 60 }, (_, i) => {
        const signal = AbortSignal.timeout(i * 5);
        return executor.run("import time\ntime.sleep(60)", {}, { signal });
      });
      for (const { status } of await Promise.all(runs)) expect(status).toBe("cancelled");
      await expectNoMoreThan(before);
    },
    PATIENCE_MS,
  );
});

/** Memory of this process and of all that it has started. */
function memoryInAll(): number {
  const own = [process.pid, ...descendantsOf(process.pid).map(({ pid }) => pid)];
  return own.map(residentBytes).reduce((sum, bytes) => sum + bytes, 0);
}

function descriptorsOf(pid: number): number {
  try {
    return countDescriptors(pid);
  } catch {
    return 0; // it has just ended
  }
}
