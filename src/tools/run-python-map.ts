import { z } from "zod";
import type { Settings } from "../config.ts";
import { MAX_ITEMS, MAX_ITEMS_BYTES } from "../schedule/map.ts";
import { answerMap } from "./answer-map.ts";
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
import { defineTool, RUNS_ANY_CODE, type Tool } from "./define-tool.ts";

/** The tool that runs one snippet over a list of items, described with the limits that the operator has set. */
export const createRunPythonMap = (settings: Settings): Tool =>
  defineTool({
    name: "run_python_map",
    title: "Run Python over a list, in parallel",
    description: `Run one Python snippet over a list of items, split into chunks that run in parallel, each in a fresh process or in its own copy of a session.

Each chunk finds its part of the items bound as \`items\`, a list. End the code in a list (a last expression such as [f(x) for x in items]): the lists of all chunks come back joined, in the order of the items.
Use it to do the same to many files, rows or parameters. Not for different snippets: use run_python_batch. Not where items need each other, or for state: nothing is shared between chunks but files.
It runs like \`python file.py\` in \`cwd\`, with its .venv if there is one; a chunk is ended after \`timeout\` seconds.

Answer: JSON with results (for each chunk the keys of run_python: stdout, stderr, exit_code, success, status, ...), chunk_sizes, and result, the joined list, if every chunk succeeded and ended in a list that JSON can carry; else notes says why not.

Example: {"code": "[len(open(name).read()) for name in items]", "items": ["a.txt", "b.txt", "c.txt"], "complexity": "low"}`,
    annotations: RUNS_ANY_CODE,
    inputSchema: z.strictObject({
      code: z
        .string()
        .describe(`Python source text, at most ${settings.maxCodeBytes} bytes of UTF-8`),
      items: z
        .array(z.unknown())
        .describe(`JSON values, at most ${MAX_ITEMS} and ${MAX_ITEMS_BYTES} bytes of JSON`),
      complexity: z
        .enum(["low", "medium", "high"])
        .nullish()
        .describe(
          "What an item costs: low (file sizes) makes 4 chunks, medium (parsing) 3, high (much memory or many cores) 2. Default medium",
        ),
      chunks: z
        .number()
        .nullish()
        .describe(
          `How many chunks, instead of complexity. Brought into 1 to ${settings.maxSnippets}`,
        ),
      timeout: timeoutArgument(settings, "a chunk is ended, each for itself"),
      max_workers: z
        .number()
        .nullish()
        .describe(
          `How many chunks run at the same time. Default ${settings.maxWorkers}, brought into 1 to ${settings.maxWorkers}`,
        ),
      cwd: z
        .string()
        .nullish()
        .describe(
          "Working directory of all chunks; relative to the workspace, which is the default",
        ),
      session: copiedSessionArgument("chunk"),
      packages: packagesArgument(settings),
      stdin: stdinArgument,
      files: filesArgument(settings),
      background: backgroundArgument,
    }),
    refusal: { results: [] },
    run(
      {
        code,
        items,
        complexity,
        chunks,
        timeout,
        max_workers: workers,
        cwd,
        session,
        packages,
        background,
        ...input
      },
      context,
    ) {
      const { engine, sessions } = context;
      const isBackground = background === true;
      const request = {
        code,
        items,
        complexity: complexity ?? undefined,
        chunks: chunks ?? undefined,
        timeout: timeout ?? undefined,
        maxWorkers: workers ?? undefined,
        cwd: cwd ?? undefined,
        session: session ?? undefined,
        packages: packages ?? undefined,
        ...inputOf(input),
      };
      return callRun({ tool: "run_python_map", isBackground, settings }, context, async (options) =>
        answerMap(
          await engine.runMap(request, { ...options, isBackground, sessions }),
          engine.outputs,
        ),
      );
    },
  });
