/**
 * The corpus of small programs does through the executor what it does as `python -u file.py`: same stdout, same stderr,
 * same exit code, on every CPython that is found.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { variablesFor } from "../../src/interpreter/variables.ts";
import { mapInOrder } from "../../src/schedule/batch.ts";
import { loadCorpus, runsOn, type Program } from "../support/differential/corpus.ts";
import {
  findPythons,
  normalise,
  runReference,
  type FoundPython,
} from "../support/differential/reference.ts";
import { startExecutor, type ExecutorUnderTest } from "../support/executor.ts";
import { WORKERS } from "../support/workers.ts";

/** Programs that differ on purpose, by name, with the reason. */
const BY_DESIGN: Record<string, string> = {
  "atexit-function-exits":
    "the traceback of such an exit shows the frame that calls atexit functions",
  "atexit-starts-thread": "CPython 3.12 forbids what the versions before and after it allow",
  "debugger-breakpoint-at-end-of-input":
    "the last expression is compiled apart, so that its value can be told",
  "del-that-fails-at-exit": "source lines can still be read when the last objects go",
  "exit-huge-number": "from 3.12 on CPython mentions the overflow when it waits for threads",
  "exit-object-whose-str-fails":
    "from 3.12 on CPython mentions the failure when it waits for threads",
  "source-main-name-shadowed": "the last expression looks the builtins up anew",
  "source-trailing-backslash":
    "code is compiled from text, whose end CPython marks otherwise than a file's",
  "syntax-error-bytes-not-ascii":
    "code is compiled from text: CPython marks characters in it, bytes in a file",
  "syntax-error-end-of-file-in-block": "code is compiled from text, as above",
  "syntax-error-end-of-file-in-call": "code is compiled from text, as above (3.9)",
  "syntax-error-end-of-file-without-newline": "code is compiled from text, as above (3.9)",
  "syntax-error-far-down-runs-nothing": "code is compiled from text, as above (3.9)",
  "syntax-error-unterminated-triple-quote": "code is compiled from text, as above (3.9)",
};
const AT_ONCE = 3;
/** Seconds; far more than any program needs. */
const TIMEOUT = 20;
const FEWEST_PROGRAMS = 60;
const PATIENCE_MS = 300_000;

interface Behaviour {
  stdout: string;
  stderr: string;
  exitCode: number;
}

interface Difference {
  program: string;
  asScript: Partial<Behaviour>;
  inExecutor: Partial<Behaviour>;
}

const pythons = await findPythons();
const corpus = await loadCorpus();

/** Both workers share the part that a version of Python could matter to: one of them has them all, one the outermost. */
function workersFor(python: FoundPython): typeof WORKERS {
  const isOutermost = python === pythons.at(0) || python === pythons.at(-1);
  return WORKERS.filter(({ name }) => name === "fork" || isOutermost);
}

test("the corpus is large enough, and there is a CPython to run it on", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(FEWEST_PROGRAMS);
  expect(pythons).not.toEqual([]);
});

describe.each(pythons.map((python) => ({ python, name: python.version.join(".") })))(
  "on CPython $name, the corpus behaves as plain scripts do",
  ({ python }) => {
    const { path, version } = python;
    const programs = corpus.filter(
      (program) => runsOn(program, version) && !(program.name in BY_DESIGN),
    );
    let references: Behaviour[];

    beforeAll(async () => {
      references = await mapInOrder(programs, AT_ONCE, (program) => runAsScript(program, path));
    }, PATIENCE_MS);

    test.each(workersFor(python))(
      "with the $name worker",
      async ({ options }) => {
        const executor = startExecutor({
          ...options,
          python: path,
          maxRuns: AT_ONCE,
          outputBytes: 1_000_000,
        });
        try {
          const found = await mapInOrder(programs, AT_ONCE, async (program, index) =>
            compare(program, references[index], await runInExecutor(program, executor)),
          );
          // as text: what a failure shows of an object stops at its first level
          const differences = found.filter((difference) => difference !== undefined);
          const report = differences.map((difference) => JSON.stringify(difference)).join("\n");
          expect(report).toBe("");
        } finally {
          await executor.close();
        }
      },
      PATIENCE_MS,
    );
  },
);

function compare(
  program: Program,
  asScript: Behaviour | undefined,
  inExecutor: Behaviour,
): Difference | undefined {
  const differing = (["stdout", "stderr", "exitCode"] as const).filter(
    (part) => asScript?.[part] !== inExecutor[part],
  );
  if (differing.length === 0) return undefined;
  const pick = (behaviour: Behaviour | undefined): Partial<Behaviour> =>
    Object.fromEntries(differing.map((part) => [part, behaviour?.[part]]));
  return { program: program.name, asScript: pick(asScript), inExecutor: pick(inExecutor) };
}

/** With the variables that the executor gives to code: what is compared is how it runs. */
async function runAsScript(program: Program, python: string): Promise<Behaviour> {
  const interpreter = { python, virtualEnv: undefined, why: "it is compared" };
  const env = variablesFor(interpreter, process.env, []);
  const { stdout, stderr, exitCode, filePath } = await runReference(python, program, { env });
  return {
    stdout: normalise(stdout.toString(), filePath),
    stderr: normalise(stderr.toString(), filePath),
    exitCode,
  };
}

async function runInExecutor(program: Program, executor: ExecutorUnderTest): Promise<Behaviour> {
  const cwd = join(executor.folder.workspace, program.name);
  mkdirSync(cwd);
  const { stdout, stderr, exitCode } = await executor.run(program.code, { cwd, timeout: TIMEOUT });
  const filePath = findPathOfSnippet(stdout + stderr);
  return {
    stdout: normalise(stdout, filePath),
    stderr: normalise(stderr, filePath),
    exitCode,
  };
}

/** Where the snippet was while it ran, if its output tells. */
function findPathOfSnippet(output: string): string {
  return /\/tmp\/[0-9a-f]{8}\/snippet\.py\b/.exec(output)?.[0] ?? "/not-in-the-output.py";
}
