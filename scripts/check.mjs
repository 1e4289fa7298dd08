// @ts-check
// `npm run check`: every static check. `npm run fix`: repair what can be repaired. The tests are `npm test`.
import { prepare } from "./prepare.mjs";
import { packageProgram, run } from "./process.mjs";

/** @typedef {{ name: string, command: string[] }} Check */

/** Enough for two cores: each of these programs has several threads of its own. */
const CHECKS_AT_ONCE = 2;

/**
 * @param {string} venvPython
 * @returns {Check[]} the long ones first, so that none is left over at the end
 */
function allChecks(venvPython) {
  const attw = packageProgram("@arethetypeswrong/cli", "attw");
  const ruff = [venvPython, "-m", "ruff"];
  return [
    { name: "pyright", command: packageProgram("pyright") },
    { name: "attw", command: [...attw, "--pack", ".", "--profile", "esm-only"] },
    { name: "oxlint", command: [...packageProgram("oxlint"), "--type-aware"] },
    { name: "typecheck", command: [...packageProgram("typescript", "tsc"), "--noEmit"] },
    { name: "knip", command: packageProgram("knip") },
    { name: "publint", command: packageProgram("publint") },
    { name: "oxfmt", command: [...packageProgram("oxfmt"), "--check"] },
    { name: "ruff check", command: [...ruff, "check"] },
    { name: "ruff format", command: [...ruff, "format", "--check"] },
  ];
}

/**
 * @param {string} venvPython
 * @returns {Check[]} in the order in which to run them: a formatter has the last word
 */
function allFixes(venvPython) {
  const ruff = [venvPython, "-m", "ruff"];
  return [
    { name: "oxlint", command: [...packageProgram("oxlint"), "--type-aware", "--fix"] },
    { name: "oxfmt", command: packageProgram("oxfmt") },
    { name: "ruff check", command: [...ruff, "check", "--fix"] },
    { name: "ruff format", command: [...ruff, "format"] },
  ];
}

/**
 * @param {Check} check
 * @returns {Promise<boolean>} whether it found nothing
 */
async function runCheck({ name, command }) {
  const start = performance.now();
  const { ok, how, output } = await run(command, { capture: true });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${ok ? "ok    " : "FAILED"} ${name.padEnd(12)} ${seconds.padStart(5)} s`);
  if (!ok) console.log(`${output.trimEnd()}\n(${name}: ${how})\n`);
  return ok;
}

/**
 * @param {Check[]} checks
 * @param {number} atOnce
 * @returns {Promise<boolean>}
 */
async function runAll(checks, atOnce) {
  const waiting = [...checks];
  let allOk = true;
  const lane = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      if (!(await runCheck(check))) allOk = false;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return allOk;
}

try {
  const fix = process.argv.includes("--fix");
  const { venvPython } = await prepare({ build: !fix });
  const ok = fix
    ? await runAll(allFixes(venvPython), 1)
    : await runAll(allChecks(venvPython), CHECKS_AT_ONCE);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
