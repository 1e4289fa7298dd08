import { z } from "zod";
import { answerBatch } from "./answer.ts";
import {
  backgroundArgument,
  copiedSessionArgument,
  filesArgument,
  inputOf,
  packagesArgument,
  stdinArgument,
  timeoutArgument,
} from "./arguments.ts";
import { callRun } from "./call-run.ts";
import type { Settings } from "../config.ts";
import type { Artifact } from "../execution.ts";
import { defineTool, RUNS_ANY_CODE, type Tool } from "./define-tool.ts";

/** The tool that runs several snippets, described with the limits that the operator has set. */
export const createRunPythonBatch = (settings: Settings): Tool => {
  const { maxCodeBytes, maxSnippets, maxWorkers } = settings;
  return defineTool({
    name: "run_python_batch",
    title: "Run Python snippets in parallel",
    description: `Run up to ${maxSnippets} independent Python snippets in parallel, each in a fresh process or in its own copy of a session, and get their answers in the order of \`codes\`.

Use it to process several files, datasets or parameters at once. One snippet that fails, crashes or times out does not touch the others; each has its own verdict.
Not for the same code over many items: use run_python_map. Not for snippets that need each other's results, state or an order: put those into one run_python call.
Each runs like \`python file.py\` in \`cwd\`, with its .venv if there is one, and is ended after \`timeout\` seconds; files are all that they share.
To split work, \`from py_executor import chunk_by_count, chunk_by_size, suggest_batch_size\` is there in every snippet.
A call that takes longer than 50 s may answer with a run_id: go on with get_run.

Answer: JSON {"results": [...]} with, for each snippet, the same keys as run_python: stdout, stderr, exit_code, success, executable, status, duration_ms, result.
If the batch is refused (too many snippets, one too long or not text), nothing is run.

Example: {"codes": ["print(len(open('a.txt').read()))", "print(len(open('b.txt').read()))"], "timeout": 20}`,
    annotations: RUNS_ANY_CODE,
    inputSchema: z.strictObject({
      codes: z
        .array(z.string())
        .describe(
          `Python snippets, at most ${maxSnippets}, each at most ${maxCodeBytes} bytes of UTF-8`,
        ),
      timeout: timeoutArgument(settings, "a snippet is ended, each for itself"),
      max_workers: z
        .number()
        .nullish()
        .describe(
          `How many run at the same time. Default ${maxWorkers}, brought into 1 to ${maxWorkers}`,
        ),
      cwd: z
        .string()
        .nullish()
        .describe(
          "Working directory of all snippets; relative to the workspace, which is the default",
        ),
      session: copiedSessionArgument("snippet"),
      packages: packagesArgument(settings),
      stdin: stdinArgument,
      files: filesArgument(settings),
      background: backgroundArgument,
    }),
    refusal: { results: [] },
    run(
      { codes, timeout, max_workers: workers, cwd, session, packages, background, ...input },
      context,
    ) {
      const isBackground = background === true;
      const request = {
        codes,
        timeout: timeout ?? undefined,
        maxWorkers: workers ?? undefined,
        cwd: cwd ?? undefined,
        session: session ?? undefined,
        packages: packages ?? undefined,
        ...inputOf(input),
      };
      return callRun(
        { tool: "run_python_batch", isBackground, settings },
        context,
        async (options) => {
          let artifacts: Artifact[] = [];
          const results = await context.engine.runBatch(request, {
            ...options,
            isBackground,
            sessions: context.sessions,
            onArtifacts: (found) => {
              artifacts = found;
            },
          });
          return answerBatch(results, artifacts);
        },
      );
    },
  });
};
