import { z } from "zod";
import { answerState } from "./answer-background.ts";
import { defineTool, type Tool } from "./define-tool.ts";

/** Ending a run takes milliseconds, but for a process that can't be killed. */
const PATIENCE_MS = 10_000;

/** The tool that ends a background run. */
export const createCancelRun = (): Tool =>
  defineTool({
    name: "cancel_run",
    title: "End a background run",
    description: `End a run that goes on in the background, with all its processes.

Use it when the run is no longer wanted, or gives no sign of ending. Other runs are not touched.
Not for a run that has ended: nothing changes then.

Answer: as get_run. The state is cancelled, and result holds the output so far.

Example: {"id": "kT3vXw0Qm5ZrB1aC"}`,
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    inputSchema: z.strictObject({ id: z.string().describe("The run_id of the run") }),
    refusal: { success: false },
    async run({ id }, { runs }) {
      const run = runs.find(id);
      const hadEnded = run.outcome !== undefined;
      run.cancel();
      const hasEnded = await run.endsWithin(PATIENCE_MS);
      if (hasEnded) runs.noteTold(id);
      const notes = [
        ...(hadEnded ? ["The run had ended already."] : []),
        ...(hasEnded ? [] : ["The run is being ended; look again with get_run."]),
      ];
      return answerState(id, run, 0, notes);
    },
  });
