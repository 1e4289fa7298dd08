import { setTimeout as sleep } from "node:timers/promises";
import {
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Engine } from "../engine.ts";
import { createTools } from "../tools/index.ts";
import type { Tool, ToolContext, ToolProgress } from "../tools/define-tool.ts";
import { VERSION } from "../version.ts";
import { registerOutputs } from "./output-resources.ts";

/** Clients that reset their request timeout on progress need to hear something well before 60 s. */
const HEARTBEAT_MS = 10_000;
/**
 * Between the last progress and the answer: a client that reads both at once takes the answer first, and drops progress
 * of a call that is over (the official SDKs hand notifications on a moment later than responses).
 */
const LAST_PROGRESS_MS = 20;

const INSTRUCTIONS =
  "Runs Python code passed as data: no shell, no quoting. run_python for one snippet, run_python_batch for several " +
  "independent ones in parallel. Every run is a fresh process; keep what later steps need in files.";

/** One MCP server for one connection; it answers clients of every protocol version that the SDK speaks. */
export function createMcpServer(engine: Engine): McpServer {
  const server = new McpServer(
    { name: "py-executor", title: "Python Executor", version: VERSION },
    { instructions: INSTRUCTIONS, capabilities: { logging: {} } },
  );
  for (const tool of createTools(engine.settings)) registerTool(server, tool, engine);
  registerOutputs(server, engine.outputs);
  return server;
}

function registerTool(server: McpServer, tool: Tool, engine: Engine): void {
  const { name, title, description, annotations } = tool;
  const inputSchema = listedOnly(tool.inputSchema);
  server.registerTool(
    name,
    { title, description, annotations, inputSchema },
    async (args, context) => {
      const progress = progressOf(context);
      try {
        return await tool.call(args, {
          engine,
          signal: context.mcpReq.signal,
          reportProgress: progress.report,
        });
      } finally {
        await progress.stop();
      }
    },
  );
}

/** The tool checks its arguments itself, so that a refusal has the shape that its callers know; the SDK only lists them. */
function listedOnly(schema: z.ZodType): StandardSchemaWithJSON<unknown, unknown> {
  const standard: StandardSchemaWithJSON["~standard"] = schema["~standard"];
  return { "~standard": { ...standard, validate: (value: unknown) => ({ value }) } };
}

function progressOf(context: ServerContext): {
  report: ToolContext["reportProgress"];
  /** Returns when what was reported is on its way: a client hears nothing of a call after its answer. */
  stop(): Promise<void>;
} {
  const token = context.mcpReq._meta?.progressToken;
  if (token === undefined) return { report: () => {}, stop: async () => {} };
  let step = 0;
  let sent: Promise<void> = Promise.resolve();
  const startedAt = Date.now();
  const report = ({ message, done, total }: ToolProgress): void => {
    step = Math.max(step + 0.001, done ?? step); // the protocol wants it to grow
    const params = {
      progressToken: token,
      progress: step,
      message,
      ...(total === undefined ? {} : { total }),
    };
    sent = context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  const heartbeat = setInterval(() => {
    step += 0.001;
    report({ message: `running for ${Math.round((Date.now() - startedAt) / 1000)} s` });
  }, HEARTBEAT_MS);
  return {
    report,
    stop: async () => {
      clearInterval(heartbeat);
      if (step === 0) return;
      await sent;
      await sleep(LAST_PROGRESS_MS);
    },
  };
}
