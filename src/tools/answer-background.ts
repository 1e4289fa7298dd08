import type { CallToolResult } from "@modelcontextprotocol/server";
import type { LiveRun } from "../background/live-run.ts";
import { PyExecutorError } from "../errors.ts";
import { refusalOf } from "./define-tool.ts";

/** The longest that get_run waits, in seconds: clients give up on a call at 60 s by default. */
export const MAX_WAIT_SECONDS = 45;

/** The answer to a call whose run goes on in the background; `afterMs`: it was waited for that long before. */
export function answerStarted(
  id: string,
  run: LiveRun<CallToolResult>,
  afterMs?: number,
): CallToolResult {
  const turned =
    afterMs === undefined
      ? "The run goes on in the background."
      : `The run has not ended after ${Math.round(afterMs / 1000)} s and goes on in the background.`;
  const call = JSON.stringify({ id, wait_seconds: MAX_WAIT_SECONDS });
  return asText({
    run_id: id,
    state: run.state,
    message: `${turned} Call get_run with ${call} until its state is finished. cancel_run ends it.`,
  });
}

/** What there is to say of a background run now: its answer if it has ended, else its new output. */
export function answerState(
  id: string,
  run: LiveRun<CallToolResult>,
  cursor: number,
  notes: readonly string[] = [],
): CallToolResult {
  const { tool, state, outcome, progress } = run;
  const told = {
    run_id: id,
    tool,
    state,
    seconds: Math.round(run.milliseconds / 100) / 10,
    ...(progress === undefined ? {} : { done: progress.done, total: progress.total }),
    ...(notes.length > 0 ? { notes } : {}),
  };
  if (outcome === undefined) return asText({ ...told, ...newOutput(run, cursor) });
  if ("error" in outcome) return asText({ ...told, result: refusalIn(outcome.error) });
  const [first, ...others] = outcome.answer.content;
  // as it is: parsed and written again, long numbers would lose digits
  const result = first?.type === "text" ? first.text : "null";
  const text = `${JSON.stringify(told).slice(0, -1)},"result":${result}}`;
  return { content: [{ type: "text", text }, ...others] };
}

function newOutput(run: LiveRun<CallToolResult>, from: number): Record<string, unknown> {
  const { pieces, cursor, skipped } = run.output.since(from);
  const isOne = run.tool === "run_python";
  return {
    output: pieces.map(({ index, stream, text }) =>
      isOne ? { stream, text } : { index, stream, text },
    ),
    ...(skipped > 0 ? { skipped_chars: skipped } : {}),
    cursor,
  };
}

function refusalIn(error: unknown): Record<string, unknown> {
  if (!(error instanceof PyExecutorError)) throw error;
  return { ...refusalOf(error), success: false };
}

function asText(body: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(body) }] };
}
