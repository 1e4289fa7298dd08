/** A fork has none of its parent's threads: numpy's linear algebra has to start its own again, as many as it had. */
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { venvPython } from "../../scripts/python.mjs";
import { eventually } from "../support/eventually.ts";
import { startExecutor, type ExecutorUnderTest } from "../support/executor.ts";
import { python } from "../support/python-source.ts";

const runFile = promisify(execFile);

/** Multiplies in a thread and looks at all threads meanwhile (proc(5), /proc/pid/task/tid/stat, utime and stime). */
const MULTIPLY = python`
  import sys
  preloaded = "numpy" in sys.modules
  import numpy, os, threading, time

  def ticks():
      found = {}
      for thread in os.listdir("/proc/self/task"):
          try:
              with open(f"/proc/self/task/{thread}/stat") as file:
                  fields = file.read().rpartition(")")[2].split()
          except OSError:
              continue
          found[thread] = int(fields[11]) + int(fields[12])
      return found

  def multiply():
      for _ in range(6):
          matrix @ matrix

  matrix = numpy.full((1500, 1500), 0.5)
  before = ticks()
  worker = threading.Thread(target=multiply)
  worker.start()
  during = {}
  while worker.is_alive():
      during.update(ticks())
      time.sleep(0.05)
  spent = [total - before.get(thread, 0) for thread, total in during.items()]
  print(preloaded, len(during), sum(ticks > max(spent) / 3 for ticks in spent))
`;

let executor: ExecutorUnderTest;
beforeAll(() => {
  executor = startExecutor({ worker: "fork", python: venvPython, preload: ["numpy"] });
});
afterAll(async () => {
  expect(await executor.close()).toEqual([]);
});

test("a run with numpy loaded ahead multiplies on as many cores as a program of its own", async ({
  skip,
}) => {
  skip(availableParallelism() < 2, "there is one core only");
  const file = join(executor.folder.workspace, "multiply.py");
  writeFileSync(file, MULTIPLY);
  const alone = await runFile(venvPython, [file]).catch((error: Error) => error.message);
  if (typeof alone === "string") {
    skip(alone.includes("No module named 'numpy'"), "missing: numpy in the tests' own Python");
    throw new Error(alone);
  }
  const isPreloaded =
    "import sys\npreloaded = 'numpy' in sys.modules\nimport numpy\nprint(preloaded)";
  const becomesPreloaded = async (): Promise<boolean> =>
    (await executor.run(isPreloaded)).stdout === "True\n";
  expect(await eventually(becomesPreloaded, 20_000)).toBe(true);
  const { stdout, stderr } = await executor.run(MULTIPLY);
  expect(stderr).toBe("");
  const [wasPreloaded, threads, working] = stdout.trim().split(" ");
  expect(wasPreloaded).toBe("True");
  expect(threads).toBe(alone.stdout.split(" ")[1]);
  // how even the work is shared depends on what else the machine does
  expect(Number(working)).toBeGreaterThanOrEqual(2);
});
