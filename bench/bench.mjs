// @ts-check
// `npm run bench`: py-executor against a plain server that starts a fresh Python for each snippet.
//
//   npm run bench -- [--runs N] [--only hello,burst] [-- options of py-executor]
//
// A run of all workloads is kept in bench/results/.
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { venvPython } from "../scripts/python.mjs";
import { startServer } from "./client.mjs";
import { measure } from "./measure.mjs";
import { describeSetting, printHead, printResult, save } from "./report.mjs";
import { WORKLOADS } from "./workloads.mjs";

/**
 * @typedef {import("./measure.mjs").Contender} Contender
 * @typedef {import("./measure.mjs").Running} Running
 * @typedef {import("./report.mjs").Result} Result
 * @typedef {import("./workloads.mjs").Workload} Workload
 */

const DEFAULT_CALLS = "30";
const results = fileURLToPath(new URL("results", import.meta.url));
const ourServer = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const plainServer = fileURLToPath(new URL("baseline_server.py", import.meta.url));

const {
  values: { runs, only },
  positionals: ourOptions,
} = parseArgs({
  allowPositionals: true,
  options: { runs: { type: "string", default: DEFAULT_CALLS }, only: { type: "string" } },
});
const names = only?.split(",") ?? WORKLOADS.map(({ name }) => name);
const calls = Number(runs);
if (!Number.isInteger(calls) || calls < 1) throw new Error(`--runs takes a number, not ${runs}`);

/** @returns {Workload[]} */
function chosenWorkloads() {
  const unknown = names.find((name) => WORKLOADS.every((workload) => workload.name !== name));
  if (unknown === undefined) return WORKLOADS.filter(({ name }) => names.includes(name));
  const known = WORKLOADS.map(({ name }) => name).join(", ");
  throw new Error(`There is no workload ${unknown}; there are ${known}.`);
}

/** @returns {string} a folder whose .venv is the tests' own: both servers run snippets with it */
function makeWorkspace() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "py-executor-bench-")));
  symlinkSync(dirname(dirname(venvPython)), join(folder, ".venv"), "junction");
  return folder;
}

/** @param {string} code */
const python = (code) => execFileSync(venvPython, ["-c", code], { encoding: "utf8" }).trim();

/** @param {string} module */
function isInstalled(module) {
  return (
    python(`import importlib.util as u; print(u.find_spec("${module}") is not None)`) === "True"
  );
}

/**
 * @param {Workload} workload
 * @param {readonly Running[]} running
 * @returns {Promise<Result>}
 */
async function resultOf(workload, running) {
  const { name, about, unit, needs } = workload;
  if (needs !== undefined && !isInstalled(needs)) {
    return {
      name,
      about,
      skipped: `${needs} is not installed (node scripts/prepare.mjs --science)`,
    };
  }
  if (unit === "MB" && process.platform !== "linux") {
    return { name, about, skipped: "only Linux tells it" };
  }
  const [ours, baseline] = await measure(workload, running, calls);
  if (ours === undefined || baseline === undefined) throw new Error("a contender is missing");
  return { name, about, unit, ratio: baseline.median / ours.median, ours, baseline };
}

/** @param {string} workspace */
async function compare(workspace) {
  const workloads = chosenWorkloads();
  const setting = describeSetting(
    process.argv.slice(2),
    python(
      "import platform, importlib.metadata as m; " +
        "print(f'{platform.python_version()}, mcp {m.version(\"mcp\")}')",
    ),
  );
  printHead(setting);
  const ours = [process.execPath, ourServer, "--workspace", workspace, ...ourOptions];
  const contenders = [
    { name: "py-executor", start: () => startServer(ours, workspace) },
    { name: "plain", start: () => startServer([venvPython, plainServer], workspace) },
  ];
  /** @type {Running[]} */
  const running = [];
  try {
    for (const contender of contenders) {
      running.push({ contender, server: await contender.start() });
    }
    /** @type {Result[]} */
    const all = [];
    for (const workload of workloads) {
      const result = await resultOf(workload, running);
      printResult(result);
      all.push(result);
    }
    if (all.length === WORKLOADS.length) save(results, setting, all);
  } finally {
    await Promise.all(running.map(({ server }) => server.end()));
  }
}

const workspace = makeWorkspace();
process.once("exit", () => rmSync(workspace, { recursive: true, force: true }));
// The servers see their stdin end with us, and end too.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
try {
  await compare(workspace);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
