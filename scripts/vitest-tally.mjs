// @ts-check
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { NO_REASON } from "./tally.mjs";

/** @typedef {import("./tally.mjs").TestOutcome} TestOutcome */
/** @typedef {import("vitest/node").Reporter} Reporter */

/**
 * A vitest reporter that writes one outcome a test, as JSON, to the file that PY_EXECUTOR_TALLY names.
 *
 * @implements {Reporter}
 */
export default class TallyReporter {
  #file = process.env.PY_EXECUTOR_TALLY ?? "";
  #root = "";

  /** @param {import("vitest/node").Vitest} vitest */
  onInit(vitest) {
    this.#root = vitest.config.root;
    // Tests, and the servers they start, are not to see it.
    delete process.env.PY_EXECUTOR_TALLY;
  }

  /**
   * @param {readonly import("vitest/node").TestModule[]} modules
   * @param {readonly import("vitest").SerializedError[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const outcomes = modules.flatMap((module) => this.#moduleOutcomes(module));
    for (const error of unhandledErrors) {
      outcomes.push({ name: `unhandled error: ${error.message}`, state: "failed" });
    }
    writeFileSync(this.#file, JSON.stringify(outcomes));
  }

  /**
   * @param {import("vitest/node").TestModule} module
   * @returns {TestOutcome[]}
   */
  #moduleOutcomes(module) {
    const path = relative(this.#root, module.moduleId).replaceAll("\\", "/");
    const outcomes = Array.from(module.children.allTests(), (test) => outcome(path, test));
    // A file that can't be loaded, or a hook that throws, leaves tests that never ran.
    const broken = [module, ...module.children.allSuites()].filter(
      (part) => part.errors().length > 0,
    );
    for (const part of broken) {
      const name = part.type === "module" ? path : `${path} > ${part.fullName}`;
      outcomes.push({ name: `${name} (outside of its tests)`, state: "failed" });
    }
    return outcomes;
  }
}

/**
 * @param {string} path
 * @param {import("vitest/node").TestCase} test
 * @returns {TestOutcome}
 */
function outcome(path, test) {
  const name = `${path} > ${test.fullName}`;
  const result = test.result();
  switch (result.state) {
    case "passed":
    case "failed":
      return { name, state: result.state };
    case "skipped":
      return { name, state: "skipped", reason: result.note ?? NO_REASON };
    case "pending":
      return { name: `${name} (never finished)`, state: "failed" };
  }
}
