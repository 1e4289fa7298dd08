// @ts-check

/**
 * What `run_python` answers, as far as the demo shows it.
 *
 * @typedef {{
 *   stdout: string, stderr: string, exit_code: number, success: boolean, executable: string,
 *   status: string, result?: string, duration_ms: number,
 * }} Answer
 */

const WIDTH = 88;

/** Prints scenes, and keeps what turned out otherwise than it was told. */
export function createPresenter() {
  /** @type {string[]} */
  const problems = [];
  let scenes = 0;

  /** @param {string} title */
  function scene(title) {
    scenes += 1;
    console.log(`\n── ${scenes}. ${title} `.padEnd(WIDTH, "─"));
  }

  /**
   * @param {string} code
   * @param {Answer} answer
   */
  function show(code, answer) {
    console.log(indent(code, "\n  ", "  "));
    for (const key of /** @type {const} */ (["stdout", "stderr", "result"])) {
      const text = answer[key]?.trimEnd();
      if (text) console.log(indent(text, `→ ${key.padEnd(11)}`, " ".repeat(13)));
    }
    console.log(`→ exit_code  ${answer.exit_code} (${answer.status}, ${answer.duration_ms} ms)`);
    console.log(`→ executable ${answer.executable}`);
  }

  /**
   * @param {string} claim
   * @param {boolean} holds
   */
  function check(claim, holds) {
    console.log(`${holds ? "✓" : "✗"} ${claim}`);
    if (!holds) problems.push(claim);
  }

  return { scene, show, check, problems };
}

/**
 * @param {string} text
 * @param {string} first what goes before the first line
 * @param {string} others what goes before each other line
 */
function indent(text, first, others) {
  return first + text.replaceAll(/\n(?=.)/g, `\n${others}`);
}
