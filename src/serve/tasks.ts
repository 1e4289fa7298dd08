import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { LiveRun } from "../background/live-run.ts";
import { KEPT_MINUTES, type RunRegistry } from "../background/run-registry.ts";
import { PyExecutorError } from "../errors.ts";
import { refused, type ToolContext } from "../tools/define-tool.ts";

/** The tasks extension of protocol version 2026-07-28 (SEP-2663). */
const EXTENSION = "io.modelcontextprotocol/tasks";
const POLL_MS = 2000;

/** What the server announces of it. */
export const TASKS_CAPABILITY = { extensions: { [EXTENSION]: {} } };

/** What a request says of its client when that knows tasks. */
const ANNOUNCED = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({
    extensions: z.looseObject({ [EXTENSION]: z.looseObject({}) }),
  }),
});

type Run = LiveRun<CallToolResult>;

/**
 * Answers with a task when a call's run goes on in the background by itself, so that the host fetches the end of it and
 * the model sees one call; undefined for a client that didn't announce the extension with this very request.
 */
export function taskHandOver({ mcpReq }: ServerContext): ToolContext["handOver"] {
  if (!ANNOUNCED.safeParse(mcpReq.envelope).success) return undefined;
  return (id, run) => ({ ...describeTask(id, run), resultType: "task", content: [] });
}

/** Offers the client's background runs as tasks; a task has its run's id. */
export function registerTasks({ server }: McpServer, runs: RunRegistry<CallToolResult>): void {
  const params = z.looseObject({ taskId: z.string() });
  server.setRequestHandler("tasks/get", { params }, ({ taskId }) => {
    const run = findRun(runs, taskId);
    if (run.outcome !== undefined) runs.noteTold(taskId);
    return { ...describeTask(taskId, run), ...endOf(run) };
  });
  server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => {
    findRun(runs, taskId).cancel();
    return {};
  });
  // no task of ours asks for anything, so that there is nothing to be answered
  server.setRequestHandler("tasks/update", { params }, ({ taskId }) => {
    findRun(runs, taskId);
    return {};
  });
}

function describeTask(taskId: string, run: Run): Record<string, unknown> {
  const { progress } = run;
  return {
    taskId,
    status: statusOf(run),
    ...(progress && { statusMessage: `${progress.done} of ${progress.total} are done` }),
    createdAt: new Date(run.startedAt).toISOString(),
    lastUpdatedAt: new Date(run.startedAt + run.milliseconds).toISOString(),
    // from its creation on: it is kept for a time after its end, which is not known before
    ttlMs: run.outcome === undefined ? null : run.milliseconds + KEPT_MINUTES * 60_000,
    pollIntervalMs: POLL_MS,
  };
}

function statusOf({ state, outcome }: Run): string {
  if (state === "cancelled") return "cancelled";
  if (outcome === undefined) return "working";
  return "error" in outcome && !(outcome.error instanceof PyExecutorError) ? "failed" : "completed";
}

function endOf({ state, outcome }: Run): Record<string, unknown> {
  if (outcome === undefined || state === "cancelled") return {};
  if ("answer" in outcome) return { result: outcome.answer };
  const { error } = outcome;
  if (error instanceof PyExecutorError) return { result: refused(error, { success: false }) };
  return { error: { code: ProtocolErrorCode.InternalError, message: String(error) } };
}

function findRun(runs: RunRegistry<CallToolResult>, id: string): Run {
  try {
    return runs.find(id);
  } catch (error) {
    if (!(error instanceof PyExecutorError)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
}
