import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { LiveRun } from "../background/live-run.ts";
import type { RunRegistry } from "../background/run-registry.ts";
import type { Engine } from "../engine.ts";
import { PyExecutorError } from "../errors.ts";
import { sessionToWire } from "./session-to-wire.ts";
import type { SessionStore } from "../sessions/session-store.ts";

/** How many wrong arguments a refusal names, and how much of each name it repeats. */
const MAX_NAMED = 10;
const MAX_NAME_CHARS = 100;

/** What a tool may use besides its arguments. */
export interface ToolContext {
  engine: Engine;
  /** Aborts when the client cancels the call or goes away. */
  signal: AbortSignal;
  /** Tells the client that the call is going on, if it wants to know. */
  reportProgress: (progress: ToolProgress) => void;
  /** Tells the client that output has come; `source`: lines of different ones are not mixed. */
  reportOutput: (text: string, source: string) => void;
  /** The client's own runs in the background. */
  runs: RunRegistry<CallToolResult>;
  /** The client's own sessions. */
  sessions: SessionStore;
  /** How long the client is kept waiting for code before its run goes on in the background. */
  foregroundMs: number;
  /** Answers in a way of the client's own when a run goes on in the background by itself; undefined: with words. */
  handOver?: ((id: string, run: LiveRun<CallToolResult>) => CallToolResult) | undefined;
}

export interface ToolProgress {
  message: string;
  done?: number;
  total?: number;
}

/** A tool as it is listed and called. One object drives the server and, later, other front ends and the docs. */
export interface Tool {
  name: string;
  title: string;
  /** What a model reads: when to use the tool and when not, with an example. At most 2 KB: some hosts cut there. */
  description: string;
  annotations: ToolAnnotations;
  inputSchema: z.ZodType;
  /** Runs the tool. What is refused, or fails on our side, comes back as a result that is flagged as an error. */
  call(args: unknown, context: ToolContext): Promise<CallToolResult>;
}

/** What hosts are told of a tool that runs code: it may do anything, and something else each time. */
export const RUNS_ANY_CODE: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/**
 * Defines a tool.
 *
 * @param definition its listing, `run`, and `refusal`: the keys that a refused call's answer has besides `error`
 */
export function defineTool<Shape extends z.ZodRawShape>(
  definition: Omit<Tool, "inputSchema" | "call"> & {
    inputSchema: z.ZodObject<Shape>;
    refusal: Record<string, unknown>;
    run: (args: z.output<z.ZodObject<Shape>>, context: ToolContext) => Promise<CallToolResult>;
  },
): Tool {
  const { refusal, run, ...listing } = definition;
  return {
    ...listing,
    async call(args, context) {
      const parsed = definition.inputSchema.safeParse(args ?? {});
      if (!parsed.success) return refused(argumentProblems(parsed.error, listing), refusal);
      try {
        return await run(parsed.data, context);
      } catch (error) {
        if (error instanceof PyExecutorError) return refused(error, refusal);
        throw error;
      }
    },
  };
}

/** The answer to a call that can't be carried out; `refusal`: the keys that it has besides `error`. */
export function refused(
  error: PyExecutorError | string,
  refusal: Record<string, unknown>,
): CallToolResult {
  const body = { ...(typeof error === "string" ? { error } : refusalOf(error)), ...refusal };
  return { content: [{ type: "text", text: JSON.stringify(body) }], isError: true };
}

/** What a refusal says in the words of the protocol. */
export function refusalOf({ message, session }: PyExecutorError): Record<string, unknown> {
  return { error: message, ...(session === undefined ? {} : { session: sessionToWire(session) }) };
}

/** Says of each wrong argument what it is, what is wanted, and which arguments there are. */
function argumentProblems(
  error: z.ZodError,
  tool: { name: string; inputSchema: z.ZodObject },
): string {
  const problems = firstOf(error.issues, describeIssue, "; ");
  const known = firstOf(Object.keys(tool.inputSchema.shape), quoted, ", ");
  return `${tool.name} was not run: ${problems}. Its arguments are ${known}; see their descriptions.`;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    return `unknown argument ${firstOf(issue.keys, quoted, ", ")}`;
  }
  const [name = "arguments", ...inside] = issue.path.map(String);
  const place = `${name}${inside.map((key) => `[${key}]`).join("")}`;
  return `${quoted(place)}: ${issue.message.replace(/^Invalid input: /, "")}`;
}

/** A list whose length is the caller's doing, cut to what a reader needs: a refusal must not outgrow a message. */
function firstOf<Item>(
  items: readonly Item[],
  describe: (item: Item) => string,
  separator: string,
): string {
  const named = items.slice(0, MAX_NAMED).map((item) => describe(item));
  if (items.length > MAX_NAMED) named.push(`and ${items.length - MAX_NAMED} more`);
  return named.join(separator);
}

function quoted(name: string): string {
  return name.length > MAX_NAME_CHARS ? `\`${name.slice(0, MAX_NAME_CHARS)}…\`` : `\`${name}\``;
}
