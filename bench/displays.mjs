// @ts-check
// `node bench/displays.mjs PYTHON [OTHER]`: what it costs that runs can show something. PYTHON has matplotlib and pandas;
// OTHER is the folder of another version, built, whose runs take turns with those of this one.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const CALLS = 300;
const PLOTS = 15;
const PRELOADED = ["matplotlib.pyplot"];
const PRELOADING_MS = 6000;
const PAUSE_MS = 5;
const PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2], label='a')\nplt.legend()\n";
/** The same by matplotlib alone: milliseconds from the first line after the imports to the saved picture. */
const ALONE = `
import io, time
import matplotlib; matplotlib.use("agg")
import matplotlib.pyplot as plt, matplotlib.backends.backend_agg, PIL.PngImagePlugin
startedAt = time.perf_counter()
${PLOT}
plt.savefig(io.BytesIO(), format="png")
print((time.perf_counter() - startedAt) * 1000)
`;
const [python = "python3", other] = process.argv.slice(2);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "bench-"));

/** @param {number[]} values @param {number} share */
const at = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;
/** @param {number[]} values */
const told = (values) =>
  `${at(values, 0.5).toFixed(2)} ms (quarter ${at(values, 0.25).toFixed(2)})`;
const pause = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

/** @param {string} version @param {string} workspace */
async function open(version, workspace) {
  const { createExecutor } = await import(pathToFileURL(resolve(version, "dist/index.js")).href);
  return createExecutor({ workspace, python, preload: PRELOADED });
}

/**
 * Calls each of several in turn; milliseconds of each.
 *
 * @param {(() => Promise<unknown>)[]} calls
 * @param {number} rounds
 */
async function inTurn(calls, rounds) {
  /** @type {number[][]} */
  const times = calls.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, call] of calls.entries()) {
      const startedAt = performance.now();
      await call();
      times[index]?.push(performance.now() - startedAt);
      await pause(PAUSE_MS);
    }
  }
  return times;
}

const versions = [resolve(import.meta.dirname, ".."), ...(other === undefined ? [] : [other])];
/** @type {Awaited<ReturnType<typeof open>>[]} */
const executors = [];
try {
  for (const [index, version] of versions.entries()) {
    for (const [name, files] of /** @type {const} */ ([
      ["small", 20],
      ["large", 2000],
    ])) {
      const workspace = join(folder, `${index}-${name}`);
      for (let number = 0; number < files; number += 1) {
        const inner = join(workspace, `${Math.floor(number / 50)}`);
        mkdirSync(inner, { recursive: true });
        writeFileSync(join(inner, `${number}.txt`), "x");
      }
      executors.push(await open(version, workspace));
    }
  }
  for (const executor of executors) await executor.run({ code: PLOT });
  await pause(PRELOADING_MS);
  console.log(
    `${cpus().length} x ${cpus()[0]?.model}, Linux ${release()}, Node ${process.version}\n`,
  );
  const names = versions.flatMap((version) => [`${version}, 20 files`, `${version}, 2000 files`]);
  for (const [what, code, rounds] of /** @type {const} */ ([
    ["a run that shows nothing", "print('hello')", CALLS],
    [
      "a run that writes a file elsewhere",
      "import tempfile; tempfile.TemporaryFile().write(b'x' * 10_000)",
      50,
    ],
    ["a first plot", PLOT, PLOTS],
  ])) {
    const runs = executors.map((executor) => () => executor.run({ code }));
    /** @type {number[]} */
    const alone = [];
    const plotAlone = async () => {
      alone.push(Number(execFileSync(python, ["-c", ALONE], { encoding: "utf8" })));
    };
    await inTurn(runs, 5);
    const times = await inTurn(code === PLOT ? [...runs, plotAlone] : runs, rounds);
    console.log(what);
    for (const [index, name] of names.entries())
      console.log(`  ${told(times[index] ?? [])}  ${name}`);
    if (alone.length > 0) console.log(`  ${told(alone)}  matplotlib alone, after its imports`);
  }
} finally {
  await Promise.all(executors.map((executor) => executor.close()));
  rmSync(folder, { recursive: true, force: true });
}
