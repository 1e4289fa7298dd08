import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Settings } from "../config.ts";
import { PyExecutorError } from "../errors.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { defineTool, type Tool } from "./define-tool.ts";
import { sessionInfoToWire } from "./session-to-wire.ts";

/** The tool that looks after sessions, described with the limits that the operator has set. */
export const createSession = ({ maxSessions, sessionIdle }: Settings): Tool =>
  defineTool({
    name: "session",
    title: "Look after Python sessions",
    description: `List, fork, interrupt or close the sessions that run_python has made.

A session is a living Python process: run_python with \`session\` makes one and runs in it. You can have ${maxSessions}; one that isn't used for ${sessionIdle} s ends.
list: all of them, or the one named, with state, age, memory, run_count and variables (name, type, size, shape, value). Use it to see what is there before you load it again.
fork: makes a copy named \`as\` with the same variables in milliseconds. Use it to try something risky, or to go on in two ways. For parallel work on a session's data use run_python_batch or run_python_map with \`session\` instead: they make their own copies.
interrupt: raises KeyboardInterrupt in the code that runs there now; the session lives on.
close: ends the session with all that it holds. Use it when the data is no longer needed.
Not for code: that is run_python's.

Answer: list: {"sessions": [...]}, and ended: those that were lost since their last use; fork: {"session": {"id", "forked_from"}}; interrupt: {"interrupted": true or false}; close: {"closed": true}.

Example: {"action": "fork", "session": "analysis", "as": "try-1"}`,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    inputSchema: z.strictObject({
      action: z.enum(["list", "fork", "interrupt", "close"]).describe("What to do"),
      session: z.string().nullish().describe("Name of the session; list takes none, too"),
      as: z.string().nullish().describe("For fork: name of the copy"),
    }),
    refusal: { success: false },
    async run({ action, session, as }, { sessions, signal }) {
      if (action !== "fork" && (as ?? undefined) !== undefined) {
        throw argumentError("as", `\`as\` is for fork only, not for ${action}.`);
      }
      if (action === "list") return list(sessions, session ?? undefined);
      const id = needed("session", session, `${action} needs the name of a session.`);
      switch (action) {
        case "fork": {
          const name = needed("as", as, "fork needs a name for the copy.");
          await sessions.fork(id, name, signal);
          return asText({ session: { id: name, forked_from: id } });
        }
        case "interrupt": {
          const interrupted = sessions.find(id).interrupt();
          const message = interrupted ? undefined : "No code runs in the session.";
          return asText({ session: { id }, interrupted, message });
        }
        case "close":
          sessions.end(id);
          return asText({ session: { id }, closed: true });
      }
    },
  });

async function list(sessions: SessionStore, id: string | undefined): Promise<CallToolResult> {
  if (id !== undefined) {
    const info = await sessions.find(id).describe();
    return asText({ sessions: [sessionInfoToWire(info, true)] });
  }
  const infos = await sessions.list();
  const ended = [...sessions.ended].map(([name, { reason, lostNames }]) => ({
    id: name,
    state: "lost",
    reason,
    lost_names: lostNames,
  }));
  return asText({
    sessions: infos.map((info) => sessionInfoToWire(info, false)),
    ...(ended.length > 0 ? { ended } : {}),
  });
}

function needed(argument: string, value: string | null | undefined, problem: string): string {
  if (value === null || value === undefined) throw argumentError(argument, problem);
  return value;
}

function argumentError(argument: string, problem: string): PyExecutorError {
  return new PyExecutorError("invalid_argument", `${problem} Nothing was done.`, { argument });
}

function asText(body: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(body) }] };
}
