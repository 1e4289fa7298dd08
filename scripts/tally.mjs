// @ts-check

/**
 * What became of one test.
 *
 * @typedef {{ name: string, state: "passed" } | { name: string, state: "failed" }
 *   | { name: string, state: "skipped", reason: string }} TestOutcome
 */

/** The reason of a skip that has none. */
export const NO_REASON = "no reason given";

/**
 * Where everything must be there, a test that skips because something is missing has failed: otherwise a broken set-up
 * would read as green. Such a skip says so by a reason that starts with "missing:".
 *
 * @param {readonly TestOutcome[]} outcomes
 * @returns {TestOutcome[]}
 */
export function failMissing(outcomes) {
  return outcomes.map((outcome) =>
    outcome.state === "skipped" && outcome.reason.startsWith("missing:")
      ? { name: `${outcome.name} (${outcome.reason})`, state: "failed" }
      : outcome,
  );
}

/**
 * The line that ends a run, such as "12 passed, 0 failed, 1 skipped".
 *
 * @param {readonly TestOutcome[]} outcomes
 */
export function closingLine(outcomes) {
  /** @param {TestOutcome["state"]} state */
  const count = (state) => outcomes.filter((outcome) => outcome.state === state).length;
  const skipped = count("skipped");
  const line = `${count("passed")} passed, ${count("failed")} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}
