// @ts-check
// `npm test`: vitest and pytest. `npm test -- ARGS`: vitest only, with these arguments.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare } from "./prepare.mjs";
import { packageProgram, root, run } from "./process.mjs";
import { closingLine, failMissing, NO_REASON } from "./tally.mjs";

/** @typedef {import("./tally.mjs").TestOutcome} TestOutcome */

const ci = process.env.CI === "true";
const vitestArgs = process.argv.slice(2);
const everything = vitestArgs.length === 0;

/** Where .ci/run finds the closing line of a run of everything, to print it last. */
const resultFile = join(root, ".cache", "test-result.txt");

/** @returns {Promise<TestOutcome[]>} */
async function runTests() {
  // A developer may go without the large packages; CI may not, since a skip for want of them fails there.
  const { venvPython } = await prepare({ science: ci });
  const vitest = [...packageProgram("vitest"), "run", ...vitestArgs];
  const reporters = ["--reporter=default", "--reporter=./scripts/vitest-tally.mjs"];
  const outcomes = await tallied("vitest", [...vitest, ...reporters]);
  if (everything) {
    const pytest = [venvPython, "-m", "pytest", "-p", "pytest_tally"];
    pytest.push("--continue-on-collection-errors");
    outcomes.push(...(await tallied("pytest", pytest, { PYTHONPATH: join(root, "scripts") })));
  }
  return ci ? failMissing(outcomes) : outcomes;
}

/**
 * Runs a test runner whose plug-in writes down the outcomes. A runner that crashes, fails for another reason than a
 * test, or runs no test at all counts as one more failure.
 *
 * @param {string} runner
 * @param {string[]} command
 * @param {Record<string, string>} [env]
 * @returns {Promise<TestOutcome[]>}
 */
async function tallied(runner, command, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "py-executor-test-"));
  const file = join(folder, "outcomes.json");
  try {
    const { ok, how } = await run(command, { env: { ...env, PY_EXECUTOR_TALLY: file } });
    const outcomes = readOutcomes(file);
    const explained = outcomes.some(({ state }) => state === "failed");
    if (!ok && !explained) outcomes.push({ name: `${runner} ended with ${how}`, state: "failed" });
    const idle = outcomes.every(({ state }) => state === "skipped");
    if (idle) outcomes.push({ name: `${runner} ran no test`, state: "failed" });
    return outcomes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} file
 * @returns {TestOutcome[]} none if the runner didn't come to the point of writing it
 */
function readOutcomes(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return [];
  }
}

/**
 * Lists what was skipped and why, then what failed, then the closing line.
 *
 * @param {readonly TestOutcome[]} outcomes
 * @returns {boolean} whether nothing failed
 */
function report(outcomes) {
  const skipped = outcomes.flatMap((outcome) => {
    if (outcome.state !== "skipped") return [];
    // In a run of some tests, those that weren't asked for are skips without a reason.
    const wanted = everything || outcome.reason !== NO_REASON;
    return wanted ? [`skipped ${outcome.name}: ${outcome.reason}`] : [];
  });
  const failed = outcomes.filter(({ state }) => state === "failed");
  const last = closingLine(outcomes);
  if (everything) writeFileSync(resultFile, `${last}\n`);
  console.log(["", ...skipped, ...failed.map(({ name }) => `FAILED ${name}`), last].join("\n"));
  return failed.length === 0;
}

mkdirSync(join(root, ".cache"), { recursive: true });
if (everything) rmSync(resultFile, { force: true });
/** @type {TestOutcome[]} */
let outcomes;
try {
  outcomes = await runTests();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  outcomes = [{ name: "the tests could not be started (see above)", state: "failed" }];
}
process.exitCode = report(outcomes) ? 0 : 1;
