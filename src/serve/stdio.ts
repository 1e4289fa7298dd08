import type { CallToolResult } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { RunRegistry } from "../background/run-registry.ts";
import type { Engine } from "../engine.ts";
import type { Logger } from "../observability/log.ts";
import { createMcpServer } from "./mcp-server.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** One line that says how far runs are contained, and what is missing. */
async function logContainment(engine: Engine, log: Logger): Promise<void> {
  try {
    const { level, layers, missing } = await engine.containment();
    const facts = { sandbox: level, by: [...layers], missing: Object.fromEntries(missing) };
    if (level === "full") log.info(facts, "runs are contained");
    else
      log.warn(facts, level === "none" ? "runs are not contained" : "runs are contained in part");
  } catch {
    // whatever is wrong is told to the first run
  }
}

const ENDING_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/** What is not ended by then is left to the workers, which end when the server's connections to them do. */
const SHUTDOWN_PATIENCE_MS = 3000;

/** Settles when a signal asks for the end; listened for before there is anything to tidy up. */
export function untilAskedToEnd(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ENDING_SIGNALS) process.once(signal, () => resolve(signal));
  });
}

/**
 * Serves MCP over stdin and stdout until the client is gone or a signal asks for the end; then ends all runs.
 *
 * @param askedToEnd see {@link untilAskedToEnd}
 * @returns the exit code for the process
 */
export async function serveOverStdio(
  engine: Engine,
  log: Logger,
  askedToEnd: Promise<string>,
): Promise<number> {
  const runs = new RunRegistry<CallToolResult>();
  const sessions = engine.openStore();
  const ending = new Promise<string>((resolve) => {
    const transport = new StdioTransport(process.stdin, process.stdout, () =>
      resolve("the client closed the connection"),
    );
    serveStdio(() => createMcpServer(engine, { runs, sessions }), {
      transport,
      onerror: (error) => log.warn({ reason: error.message }, "protocol"),
    });
  });
  engine.warm();
  void logContainment(engine, log);
  log.debug({ reason: await Promise.race([ending, askedToEnd]) }, "ending");
  const patience = setTimeout(() => process.exit(0), SHUTDOWN_PATIENCE_MS);
  runs.close();
  sessions.close();
  await engine.close();
  clearTimeout(patience);
  return 0;
}
