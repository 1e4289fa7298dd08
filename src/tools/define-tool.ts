import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import { PyExecutorError } from "../errors.ts";

/** What a tool may use besides its arguments. */
export interface ToolContext {
  engine: Engine;
  /** Aborts when the client cancels the call or goes away. */
  signal: AbortSignal;
  /** Tells the client that the call is going on, if it wants to know. */
  reportProgress(progress: ToolProgress): void;
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

/**
 * Defines a tool.
 *
 * @param definition its listing, `run`, and `refusal`: the keys that a refused call's answer has besides `error`
 */
export function defineTool<Shape extends z.ZodRawShape>(
  definition: Omit<Tool, "inputSchema" | "call"> & {
    inputSchema: z.ZodObject<Shape>;
    refusal: Record<string, unknown>;
    run(args: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<CallToolResult>;
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
        if (error instanceof PyExecutorError) return refused(error.message, refusal);
        throw error;
      }
    },
  };
}

function refused(message: string, refusal: Record<string, unknown>): CallToolResult {
  const body = { error: message, ...refusal };
  return { content: [{ type: "text", text: JSON.stringify(body) }], isError: true };
}

/** Says of each wrong argument what it is, what is wanted, and which arguments there are. */
function argumentProblems(error: z.ZodError, tool: { name: string; inputSchema: z.ZodObject }): string {
  const known = Object.keys(tool.inputSchema.shape);
  const problems = error.issues.map((issue) => {
    if (issue.code === "unrecognized_keys") {
      return `unknown argument ${issue.keys.map((key) => `\`${key}\``).join(", ")}`;
    }
    const [name = "arguments", ...inside] = issue.path.map(String);
    const place = `\`${name}${inside.map((key) => `[${key}]`).join("")}\``;
    return `${place}: ${issue.message.replace(/^Invalid input: /, "")}`;
  });
  const arguments_ = known.map((name) => `\`${name}\``).join(", ");
  return `${tool.name} was not run: ${problems.join("; ")}. Its arguments are ${arguments_}; see their descriptions.`;
}
