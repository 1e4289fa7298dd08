import type { CallToolResult } from "@modelcontextprotocol/server";
import { LiveRun, type Work } from "../background/live-run.ts";
import type { Settings } from "../config.ts";
import { answerStarted } from "./answer-background.ts";
import type { ToolContext } from "./define-tool.ts";

/** Clients give up on a call at 60 s by default. */
export const FOREGROUND_MS = 50_000;
/** The newest output that is kept for those who look now and then, whatever the operator lets answers show (characters). */
const MAX_KEPT_CHARS = 500_000;

/** A call of a tool that runs code. */
export interface CallOptions {
  tool: string;
  /** Whether the client asked not to wait. */
  isBackground: boolean;
  settings: Settings;
}

/**
 * Carries out a call: in the background if that was asked for, else while the client waits. A call that the client may
 * give up on soon goes on in the background by itself, where the operator allows runs as long as that.
 *
 * @param work runs the code, and shapes the answer
 */
export async function callRun(
  { tool, isBackground, settings }: CallOptions,
  context: ToolContext,
  work: Work<CallToolResult>,
): Promise<CallToolResult> {
  const { runs } = context;
  if (isBackground) runs.checkRoom();
  const run = new LiveRun(tool, work, Math.min(settings.outputBytes, MAX_KEPT_CHARS));
  if (isBackground) {
    await run.accepted();
    if (run.outcome !== undefined && "error" in run.outcome) throw run.outcome.error;
    if (context.signal.aborted) run.cancel(); // whoever called will not hear of the id
    return answerStarted(runs.keep(run), run);
  }
  const mayTurn = settings.maxTimeout * 1000 > FOREGROUND_MS;
  const hasEnded = await waitForeground(run, context, mayTurn ? context.foregroundMs : Infinity);
  if (!hasEnded && runs.hasRoom) {
    const id = runs.keep(run);
    return context.handOver?.(id, run) ?? answerStarted(id, run, context.foregroundMs);
  }
  if (!hasEnded) await waitForeground(run, context, Infinity);
  return answerOf(run);
}

/** What a run that has ended has come to; throws what it has thrown. */
function answerOf({ outcome }: LiveRun<CallToolResult>): CallToolResult {
  if (outcome === undefined) throw new Error("the run has not ended");
  if ("error" in outcome) throw outcome.error;
  return outcome.answer;
}

/** Waits for the end of a run that belongs to a call: with the call it ends. Returns whether it has ended. */
async function waitForeground(
  run: LiveRun<CallToolResult>,
  context: ToolContext,
  milliseconds: number,
): Promise<boolean> {
  const { signal } = context;
  const onAbort = (): void => run.cancel();
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  const unwatch = run.watch(tellProgress(run.tool, context));
  try {
    return await run.endsWithin(milliseconds);
  } finally {
    unwatch();
    signal.removeEventListener("abort", onAbort);
  }
}

/** What is told of a run's way to the client that waits. */
export function tellProgress(
  tool: string,
  { reportProgress, reportOutput }: ToolContext,
): Parameters<LiveRun<CallToolResult>["watch"]>[0] {
  const what = tool === "run_python_map" ? "items are done" : "snippets have ended";
  return {
    onOutput: reportOutput,
    onNotice: (line) => reportOutput(`${line}\n`, "packages"), // as rarely as lines of output
    onProgress: (done, total) =>
      reportProgress({ message: `${done} of ${total} ${what}`, done, total }),
  };
}
