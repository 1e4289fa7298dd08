import { z } from "zod";
import { KEPT_MINUTES } from "../background/run-registry.ts";
import { clamp } from "../schedule/request.ts";
import { answerState, MAX_WAIT_SECONDS } from "./answer-background.ts";
import { tellProgress } from "./call-run.ts";
import { defineTool, type Tool } from "./define-tool.ts";

/** The tool that looks at a background run. */
export const createGetRun = (): Tool =>
  defineTool({
    name: "get_run",
    title: "Look at a background run",
    description: `Get the state of a run that goes on in the background, its new output, and its answer once it has ended.

Use it with the run_id that run_python, run_python_batch or run_python_map gave. Wait rather than ask again and again: with \`wait_seconds\` the call returns as soon as the run has ended, or after that time.
Not for a call that has given its answer already.

Answer: JSON with run_id, tool, state (queued, running, finished, cancelled), seconds; for a batch or map done and total. While it goes on: output, a list of {stream, text} (with the index of the snippet or chunk where there are several), and cursor; give the cursor to the next call to get only what is new. Once it has ended: result, which is what the tool would have answered. It can be asked for again for ${KEPT_MINUTES} minutes.

Example: {"id": "kT3vXw0Qm5ZrB1aC", "wait_seconds": ${MAX_WAIT_SECONDS}}`,
    annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: false },
    inputSchema: z.strictObject({
      id: z.string().describe("The run_id of the run"),
      wait_seconds: z
        .number()
        .nullish()
        .describe(
          `Seconds to wait for the run's end. Default 0, brought into 0 to ${MAX_WAIT_SECONDS}`,
        ),
      cursor: z
        .number()
        .nullish()
        .describe("The cursor of the last answer, to see only newer output. Default 0: all kept"),
    }),
    refusal: { success: false },
    async run({ id, wait_seconds: wait, cursor }, context) {
      const { runs, signal } = context;
      const run = runs.find(id);
      const range = { min: 0, max: MAX_WAIT_SECONDS };
      const { value, note } = clamp("wait_seconds", wait ?? 0, range, " s");
      const unwatch = run.watch(tellProgress(run.tool, context));
      try {
        await run.endsWithin(value * 1000, signal);
      } finally {
        unwatch();
      }
      if (run.outcome !== undefined) runs.noteTold(id);
      return answerState(id, run, cursor ?? 0, note === undefined ? [] : [note]);
    },
  });
