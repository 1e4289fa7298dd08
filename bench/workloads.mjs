// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { proportionalMegabytes } from "./memory.mjs";

/**
 * One thing to measure.
 *
 * `once` does it with a running server and checks the answer; the time that it takes is the sample, unless it returns a
 * number. `slow`: gets fewer calls, `single`: one. `needs`: a module. `starts`: a new server a sample, timed from there.
 *
 * @typedef {{
 *   name: string, about: string, unit: "ms" | "MB", slow?: boolean, needs?: string, starts?: boolean, single?: boolean,
 *   once: (server: Server) => Promise<number | void>,
 * }} Workload
 * @typedef {import("./client.mjs").Server} Server
 * @typedef {{ stdout: string, exit_code: number }} Answer
 * @typedef {{ code: string, prints: string | undefined }} Snippet
 */

const BURST = 50;
const BATCH = 20;
const LONGEST_CODE_BYTES = 1_048_576;
const IDLE_MS = 1000;

const hello = { code: `print("hello")`, prints: "hello\n" };
const pandas = {
  code: `import pandas as pd
table = pd.DataFrame({"n": range(1000), "even": [n % 2 == 0 for n in range(1000)]})
print(table[table.even].n.sum())`,
  prints: "249500\n",
};
const standardLibrary = {
  code: `import collections, json, math, re
words = re.findall(r"[a-z]+", "to be or not to be")
print(json.dumps([collections.Counter(words)["be"], math.floor(math.e)]))`,
  prints: "[2, 2]\n",
};
const numpy = {
  code: `import numpy as np
print(int(np.linspace(0, 10, 11).sum()))`,
  prints: "55\n",
};
const matplotlib = {
  code: `import io
import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot
pyplot.plot([2, 1, 4])
png = io.BytesIO()
pyplot.savefig(png, format="png")
print(png.getvalue().startswith(b"\\x89PNG"))`,
  prints: "True\n",
};
const longCode = {
  code: `#${`\nprint("end")`.padStart(LONGEST_CODE_BYTES - 1, "-")}`,
  prints: "end\n",
};
/** How much of it comes back is up to the server. */
const longOutput = { code: `print("x" * 10_000_000)`, prints: undefined };

/** @type {readonly Workload[]} */
export const WORKLOADS = [
  run("hello", "prints one word", hello),
  run("stdlib", "imports json, re, math, collections", standardLibrary),
  { ...run("numpy", "imports numpy, adds up", numpy), needs: "numpy" },
  { ...run("pandas", "imports pandas, filters a table", pandas), needs: "pandas" },
  { ...run("matplotlib", "imports matplotlib, draws a PNG", matplotlib), needs: "matplotlib" },
  batch("batch20-hello", "20 × hello in one batch", hello),
  { ...batch("batch20-pandas", "20 × pandas in one batch", pandas), needs: "pandas" },
  run("code-1mb", "a snippet of 1 MiB", longCode),
  { ...run("output-10mb", "prints 10 MB", longOutput), slow: true },
  {
    name: "burst",
    about: `${BURST} × hello at once, until the last answer`,
    unit: "ms",
    slow: true,
    once: async (server) => {
      await Promise.all(Array.from({ length: BURST }, () => runOnce(server, hello)));
    },
  },
  {
    name: "first-result",
    about: "start of the server until its first answer",
    unit: "ms",
    starts: true,
    once: (server) => runOnce(server, hello),
  },
  {
    name: "idle-memory",
    about: "memory of all its processes (PSS) at rest",
    unit: "MB",
    single: true,
    once: async ({ pid }) => {
      await sleep(IDLE_MS);
      return proportionalMegabytes(pid);
    },
  },
];

/**
 * @param {string} name
 * @param {string} about
 * @param {Snippet} snippet
 * @returns {Workload}
 */
function run(name, about, snippet) {
  return { name, about, unit: "ms", once: (server) => runOnce(server, snippet) };
}

/**
 * @param {string} name
 * @param {string} about
 * @param {Snippet} snippet
 * @returns {Workload}
 */
function batch(name, about, snippet) {
  const codes = Array.from({ length: BATCH }, () => snippet.code);
  return {
    name,
    about,
    unit: "ms",
    slow: true,
    once: async (server) => {
      const { results } = await server.call("run_python_batch", { codes, max_workers: 4 });
      if (results.length !== BATCH)
        throw new Error(`${results.length} answers to ${BATCH} snippets`);
      for (const answer of results) assertRight(answer, snippet);
    },
  };
}

/**
 * @param {Server} server
 * @param {Snippet} snippet
 */
async function runOnce(server, snippet) {
  assertRight(await server.call("run_python", { code: snippet.code }), snippet);
}

/**
 * A wrong answer may be quick to give: it ends the comparison.
 *
 * @param {Answer} answer
 * @param {Snippet} snippet
 */
function assertRight(answer, { code, prints }) {
  if (answer.exit_code === 0 && (prints === undefined || answer.stdout === prints)) return;
  throw new Error(`a wrong answer to ${code.slice(-100)}: ${JSON.stringify(answer).slice(0, 300)}`);
}
