import {
  McpServer,
  type CallToolResult,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Engine } from "../engine.ts";
import type { RunRegistry } from "../background/run-registry.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { FOREGROUND_MS } from "../tools/call-run.ts";
import { createTools } from "../tools/index.ts";
import type { Tool } from "../tools/define-tool.ts";
import { VERSION } from "../version.ts";
import { registerArtifacts } from "./artifact-resources.ts";
import { registerOutputs } from "./output-resources.ts";
import { reportProgressOf } from "./progress.ts";
import { registerSessions } from "./session-resources.ts";
import { registerTasks, taskHandOver, TASKS_CAPABILITY } from "./tasks.ts";

const INSTRUCTIONS =
  "Runs Python code passed as data: no shell, no quoting. run_python for one snippet, run_python_batch for several " +
  "independent ones in parallel, run_python_map for one over a list. What takes longer than 50 s: background: true, then " +
  "get_run. Every run is a fresh process, unless you name a session: then variables are kept from call to call.";

/** What one client has: the same for every server that is made for its connection. */
export interface Client {
  /** Its runs in the background. */
  runs: RunRegistry<CallToolResult>;
  sessions: SessionStore;
  /** How long it waits for a run before that goes on in the background by itself. */
  foregroundMs?: number;
}

/** One MCP server for one connection; it answers clients of every protocol version that the SDK speaks. */
export function createMcpServer(engine: Engine, client: Client): McpServer {
  const server = new McpServer(
    { name: "py-executor", title: "Python Executor", version: VERSION },
    { instructions: INSTRUCTIONS, capabilities: { logging: {}, ...TASKS_CAPABILITY } },
  );
  for (const tool of createTools(engine.settings)) registerTool(server, tool, engine, client);
  registerOutputs(server, engine.outputs);
  registerArtifacts(server, engine);
  registerSessions(server, client.sessions);
  registerTasks(server, client.runs);
  return server;
}

function registerTool(server: McpServer, tool: Tool, engine: Engine, client: Client): void {
  const { name, title, description, annotations } = tool;
  const inputSchema = listedOnly(tool.inputSchema);
  server.registerTool(
    name,
    { title, description, annotations, inputSchema },
    async (args, context) => {
      const progress = reportProgressOf(context);
      try {
        return await tool.call(args, {
          engine,
          signal: context.mcpReq.signal,
          reportProgress: (told) => progress.report(told),
          reportOutput: (text, source) => progress.output(text, source),
          runs: client.runs,
          sessions: client.sessions,
          foregroundMs: client.foregroundMs ?? FOREGROUND_MS,
          handOver: taskHandOver(context),
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
