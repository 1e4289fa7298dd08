/** Claim: real programs work inside containment; what they need of the machine is there. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { venvPython } from "../../scripts/python.mjs";
import { atEachLevel } from "../support/containment/claim.ts";
import { LEVELS } from "../support/containment/levels.ts";

const PROGRAMS = new URL("programs/", import.meta.url);
/** Those that need Unix sockets, the loopback or named semaphores, which there are only in namespaces of one's own. */
const NEED_NAMESPACES = [
  "asyncio-server",
  "concurrent-processes",
  "http-server",
  "multiprocessing-forkserver",
  "multiprocessing-locks",
  "multiprocessing-manager",
  "multiprocessing-pool",
  "multiprocessing-shared-memory",
  "pseudo-terminal",
  "temporary-folders",
];
/** Those that need numpy and the like, which are in the tests' own environment. */
const SCIENCE = ["science-matplotlib", "science-numpy", "science-pandas"];
const NO_SCIENCE = "missing: numpy, pandas and matplotlib (node scripts/prepare.mjs --science)";
const hasScience = existsSync(venvPython) && canImport("numpy, pandas, matplotlib");

const names = readdirSync(PROGRAMS).map((name) => name.replace(".py", ""));

atEachLevel(
  LEVELS.filter(({ strength }) => strength !== "off"),
  {
    prepare: ({ workspace, level }) => {
      // only whoever made it can be expected to get at the Python behind it
      if (level.uid === process.getuid?.() && hasScience) {
        symlinkSync(dirname(dirname(venvPython)), join(workspace, ".venv"));
      }
    },
  },
  ({ strength, uid, missing }, server) => {
    const isOwn = uid === process.getuid?.();
    const expected = names
      .filter((name) => strength === "full" || !NEED_NAMESPACES.includes(name))
      .filter((name) => isOwn || !SCIENCE.includes(name));
    for (const name of expected) {
      test(`${name} works`, async ({ skip }) => {
        skip(missing !== undefined, missing);
        skip(SCIENCE.includes(name) && !hasScience, NO_SCIENCE);
        const code = readFileSync(new URL(`${name}.py`, PROGRAMS), "utf8");
        const answer = await server().run(code, { timeout: 60 });
        expect(answer).toMatchObject({ exit_code: 0, stderr: "" });
        expect(answer.stdout?.trim().split("\n").at(-1)).toBe("works");
      });
    }
  },
);

function canImport(modules: string): boolean {
  try {
    execFileSync(venvPython, ["-c", `import ${modules}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
