import type { Settings } from "../config.ts";
import { createEngine, type Engine } from "../engine.ts";
import { createLog } from "../observability/log.ts";
import { serveOverStdio, untilAskedToEnd } from "../serve/stdio.ts";
import { staySmallWhenIdle } from "./idle-memory.ts";
import { VERSION } from "../version.ts";

/** `py-executor serve`: returns when the client is gone. */
export async function serve(settings: Settings): Promise<number> {
  const askedToEnd = untilAskedToEnd();
  if (process.stdin.isTTY) process.stderr.write(GREETING);
  const log = createLog(settings.logLevel);
  const engine = createEngine(settings, log);
  staySmallWhenIdle(engine);
  if (settings.sandbox === "strict") await refuseIfUncontained(engine);
  return serveOverStdio(engine, log, askedToEnd);
}

/** Ends the engine and throws if runs can't be contained as they must be. */
async function refuseIfUncontained(engine: Engine): Promise<void> {
  try {
    await engine.containment();
  } catch (error) {
    await engine.close();
    throw error;
  }
}

const GREETING = `py-executor ${VERSION} is an MCP server: it waits for a client on stdin, and this is a terminal.

To connect it to Claude Code:   claude mcp add py-executor -- npx -y py-executor --workspace "$PWD"
Claude Desktop, Cursor, Roo:    {"mcpServers": {"py-executor": {"command": "npx", "args": ["-y", "py-executor"]}}}
To try it without a client:     py-executor run -c 'print("hello")'
To see what works here:         py-executor doctor

Ctrl-C ends it.
`;
