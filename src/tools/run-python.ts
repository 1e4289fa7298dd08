import { z } from "zod";
import { answerRun } from "./answer.ts";
import {
  backgroundArgument,
  filesArgument,
  inputOf,
  packagesArgument,
  stdinArgument,
  timeoutArgument,
} from "./arguments.ts";
import { callRun } from "./call-run.ts";
import type { Settings } from "../config.ts";
import { defineTool, RUNS_ANY_CODE, type Tool } from "./define-tool.ts";

/** The tool that runs one snippet, described with the limits that the operator has set. */
export const createRunPython = (settings: Settings): Tool =>
  defineTool({
    name: "run_python",
    title: "Run Python",
    description: `Run one Python snippet and get its stdout, stderr and exit code: in a fresh process, or in a session that keeps its variables.

The code is passed as data and never seen by a shell: quotes, backslashes, $ and newlines need no escaping beyond JSON.
It runs like \`python file.py\` in \`cwd\`: local modules import, relative paths work, files stay. The .venv of \`cwd\` is used if there is one.

Use it for a calculation, data analysis, file processing, or to try out code.
Not for independent snippets that could run in parallel: use run_python_batch. Not for the same over many items: use run_python_map. Without \`session\` each call starts afresh. With it, variables, imports and working directory are there in later calls with the same name, and top-level await works: load data once, then try things.
There is no terminal: what input() is to read, pass as \`stdin\`.

Answer: JSON with stdout, stderr, exit_code, success, executable, status (ok, error, timeout, signal, memory, limit, cancelled, refused), duration_ms, and result: the repr of the last expression if it has a value, so print() is not needed for it. What it shows comes back as displays, with pictures: figures of matplotlib (plt.show() or left open), display(x) for tables, charts, images, HTML. Files that it makes or changes are listed as artifacts. Long output is cut in the middle and linked as a resource. At the timeout the whole process tree is ended (a session is interrupted first and lives on if it can: see session in the answer); output so far is kept. A call that takes longer than 50 s may answer with a run_id instead: go on with get_run.

Example: {"code": "import math\\nprint(f'{math.pi:.3f}')", "timeout": 10}`,
    annotations: RUNS_ANY_CODE,
    inputSchema: z.strictObject({
      code: z
        .string()
        .describe(`Python source text, at most ${settings.maxCodeBytes} bytes of UTF-8`),
      timeout: timeoutArgument(settings, "the snippet is ended"),
      cwd: z
        .string()
        .nullish()
        .describe(
          "Working directory; relative to the workspace, which is the default. Its .venv is used if there is one. In a session that goes on: changes to it",
        ),
      session: z
        .string()
        .nullish()
        .describe(
          "Name of a session to run in; the first use makes it. 1 to 64 letters, digits, _ - .",
        ),
      packages: packagesArgument(settings),
      stdin: stdinArgument,
      files: filesArgument(settings),
      background: backgroundArgument,
    }),
    refusal: { success: false },
    run({ code, timeout, cwd, session, packages, background, ...input }, context) {
      const isBackground = background === true;
      const request = {
        code,
        timeout: timeout ?? undefined,
        cwd: cwd ?? undefined,
        session: session ?? undefined,
        packages: packages ?? undefined,
        ...inputOf(input),
      };
      return callRun({ tool: "run_python", isBackground, settings }, context, async (options) =>
        answerRun(
          await context.engine.run(request, {
            ...options,
            isBackground,
            sessions: context.sessions,
          }),
        ),
      );
    },
  });
