// @ts-check
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmProgram, root, run } from "./process.mjs";
import { prepareLibraries, prepareVenv, venvPython } from "./python.mjs";

/**
 * Brings a checkout to the state that tests, demo and benchmarks need: packages installed, dist built, a virtual
 * environment for Python. What is done already is not done again, so calling it always is cheap.
 *
 * @param {{ science?: boolean, build?: boolean, venv?: boolean }} [options] `science` adds numpy, pandas and matplotlib
 *   to the environment, and makes another one with all the libraries whose values are shown; `build: false` leaves dist as it is, `venv: false` the environment
 * @returns {Promise<{ venvPython: string }>} the environment's interpreter
 * @throws {Error} saying what is missing or which step failed
 */
export async function prepare({ science = false, build = true, venv = true } = {}) {
  await installPackages();
  if (build) await buildIfStale();
  if (venv) await prepareVenv({ science });
  if (venv && science) await prepareLibraries();
  return { venvPython };
}

async function installPackages() {
  const lockfile = readFileSync(join(root, "package-lock.json"), "utf8");
  const stamp = join(root, "node_modules", ".prepared-package-lock.json");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lockfile) return;
  console.error("prepare: npm ci");
  const { ok, how, output } = await run([...npmProgram(), "ci", "--no-audit", "--no-fund"], {
    capture: true,
  });
  if (!ok) throw new Error(`npm ci failed (${how}):\n${output}`);
  writeFileSync(stamp, lockfile);
}

async function buildIfStale() {
  const sources = ["src", "scripts/build.mjs", "tsconfig.json", "tsconfig.build.json"];
  const changedAt = Math.max(...sources.map((path) => newestChange(join(root, path))));
  const built = join(root, "dist", "cli.js");
  // npm ci may have brought other versions of the packages that are bundled.
  const installed = join(root, "node_modules", ".prepared-package-lock.json");
  if (existsSync(built) && statSync(built).mtimeMs > Math.max(changedAt, newestChange(installed))) {
    return;
  }
  console.error("prepare: building dist");
  const { ok, how } = await run([process.execPath, join(root, "scripts", "build.mjs")]);
  if (!ok) throw new Error(`The build failed (${how}).`);
}

/**
 * When a file, or anything in a folder, last changed. A folder's own time tells of files that were removed.
 *
 * @param {string} path
 * @returns {number} milliseconds since the epoch
 */
function newestChange(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return readdirSync(path)
    .map((name) => newestChange(join(path, name)))
    .reduce((newest, time) => Math.max(newest, time), stats.mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const flags = process.argv;
    await prepare({
      science: flags.includes("--science"),
      venv: !flags.includes("--without-venv"),
    });
  } catch (error) {
    console.error(`prepare: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
