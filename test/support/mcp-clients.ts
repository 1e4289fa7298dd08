/** The two generations of the official TypeScript client behind one face, so that both can hold the same conversations. */
import { Client as Client2 } from "@modelcontextprotocol/client";
import {
  StdioClientTransport as Transport2,
  getDefaultEnvironment,
} from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/stdio.js";

/** A block of an answer, as far as tests look at it. */
interface Block {
  readonly type: string;
  readonly text?: string;
  readonly uri?: string;
}

export interface ToolAnswer {
  readonly content: readonly Block[];
  readonly isError?: boolean | undefined;
}

/** A client that is connected to a server which it has started itself. */
export interface Conversation {
  readonly pid: number;
  readonly protocolVersion: string | undefined;
  listTools(): Promise<{ name: string; description?: string | undefined }[]>;
  callTool(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>;
  readText(uri: string): Promise<string>;
  close(): Promise<void>;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
  readonly env?: Record<string, string>;
}

const clientInfo = { name: "end-to-end-test", version: "1.0.0" };

/** The current client. `auto` asks for the newest protocol first, `legacy` shakes hands as clients used to. */
export async function connectClient2(
  server: ServerCommand,
  mode: "auto" | "legacy",
): Promise<Conversation> {
  const transport = new Transport2(withEnvironment(server));
  const client = new Client2(clientInfo, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    get pid() {
      return startedPid(transport.pid);
    },
    protocolVersion: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args, signal) =>
      client.callTool({ name, arguments: args }, optionsFor(signal)),
    readText: async (uri) => firstText((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

/** The client of the package that most hosts still use. */
export async function connectClient1(server: ServerCommand): Promise<Conversation> {
  const transport = new Transport1(withEnvironment(server));
  const client = new Client1(clientInfo);
  await client.connect(transport);
  return {
    get pid() {
      return startedPid(transport.pid);
    },
    protocolVersion: undefined, // it keeps that to itself over stdio
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args, signal) => {
      const params = { name, arguments: args };
      // Its type also allows the answer of a protocol before 2024-11-05, which no server here gives.
      return (await client.callTool(params, undefined, optionsFor(signal))) as ToolAnswer;
    },
    readText: async (uri) => firstText((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

/** The JSON that the first block of an answer holds. */
export function jsonOf(answer: ToolAnswer): unknown {
  return JSON.parse(answer.content[0]?.text ?? "");
}

function withEnvironment({ command, args, env }: ServerCommand): ServerCommand {
  return { command, args, env: { ...getDefaultEnvironment(), ...env } };
}

function startedPid(pid: number | null): number {
  if (pid === null) throw new Error("the server is not running");
  return pid;
}

function optionsFor(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function firstText([first]: readonly object[]): string {
  if (first === undefined || !("text" in first) || typeof first.text !== "string") {
    throw new Error("the resource has no text");
  }
  return first.text;
}
