// @ts-check
// `node bench/sessions.mjs PYTHON`: what sessions cost. PYTHON has pandas, ipykernel and jupyter_client.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { cpus, release, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createExecutor } from "../dist/index.js";

const CALLS = 40;
const SNIPPETS = 20;
const GIB_FRAME =
  "import numpy as np, pandas as pd\ndf = pd.DataFrame(np.ones((1 << 17, 1024)))\nlen(df)";
const [python = "python3"] = process.argv.slice(2);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "bench-"));

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
/** @param {() => Promise<unknown>} action */
async function timed(action) {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}
/** Memory in use on the whole machine, in MB: what copies share counts once. */
function usedMegabytes() {
  const text = readFileSync("/proc/meminfo", "utf8");
  const of = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1]);
  return (of("MemTotal") - of("MemAvailable")) / 1024;
}
/**
 * Private memory of each process whose command line has a text, in MB, by process id.
 * @param {string} text
 */
function privateMegabytes(text) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const pid of readdirSync("/proc")) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ");
      if (!command.includes(text)) continue;
      const memory = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
      found.set(pid, Number(/^Private_Dirty:\s+(\d+)/m.exec(memory)?.[1]) / 1024);
    } catch {
      // it has ended meanwhile
    }
  }
  return found;
}

const executor = createExecutor({
  workspace: folder,
  python,
  maxMemory: "8G",
  preload: ["pandas"],
});
try {
  await new Promise((resolve) => setTimeout(resolve, 4000)); // until pandas is loaded ahead
  console.log(
    `${cpus()[0]?.model}, ${cpus().length} cores, Linux ${release()}, ${new Date().toISOString()}`,
  );
  const kernel = execFileSync(python, [
    fileURLToPath(new URL("ipykernel_call.py", import.meta.url)),
    String(CALLS),
  ]);
  const theirs = kernel
    .toString()
    .trim()
    .split("\n")
    .map((line) => Number(line) * 1000);
  const small = await executor.openSession({ id: "small" });
  await small.run({ code: "x = 40" });
  const ours = [];
  for (let call = 0; call < CALLS; call += 1)
    ours.push(await timed(() => small.run({ code: "print(x)" })));
  console.log(
    `print(x) in a session: ${median(ours).toFixed(2)} ms; ipykernel: ${median(theirs).toFixed(2)} ms; ${(median(theirs) / median(ours)).toFixed(1)}x`,
  );

  const large = await executor.openSession({ id: "large" });
  const loading = await timed(() => large.run({ code: GIB_FRAME, timeout: 60 }));
  const before = usedMegabytes();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, usedMegabytes())), 10);
  const codes = Array.from({ length: SNIPPETS }, (_, i) => `float(df[${i}].sum())`);
  const batch = await timed(async () => {
    const results = await large.runBatch({ codes });
    const wrong = results.filter(({ result }) => result !== "131072.0");
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong[0]));
  });
  clearInterval(watch);
  console.log(
    `batch of ${SNIPPETS} over a frame of 1 GiB: ${batch.toFixed(0)} ms, ${(most - before).toFixed(0)} MB more; loading it once: ${loading.toFixed(0)} ms`,
  );
  /** @type {import("../dist/index.js").PythonSession | undefined} */
  let copy;
  const fork = await timed(async () => (copy = await large.fork("copy")));
  console.log(`fork of that session: ${fork.toFixed(0)} ms`);
  copy?.close();
  large.close();
  small.close();

  const known = privateMegabytes("boot.py template");
  for (let i = 0; i < 8; i += 1)
    await (
      await executor.openSession({ id: `idle-${i}` })
    ).run({ code: "import pandas as pd\ndf = pd.DataFrame({'a': range(1000)})" });
  let sum = 0;
  for (const [pid, megabytes] of privateMegabytes("boot.py template"))
    if (!known.has(pid)) sum += megabytes / 8;
  console.log(`8 idle sessions with pandas: ${sum.toFixed(1)} MB each beyond what they share`);
} finally {
  await executor.close();
  rmSync(folder, { recursive: true, force: true });
}
