import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

/** What the server answers, or asks, or tells. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The answer to a tool call. */
export interface ToolReply {
  readonly isError: boolean;
  readonly content: readonly {
    type: string;
    text?: string;
    uri?: string;
    /** Of a picture: its bytes as base64. */
    data?: string;
    mimeType?: string;
  }[];
  /** What the first block holds. */
  readonly json: ToolJson;
}

/** The keys of every answer that tests look at. */
export interface ToolJson {
  readonly [key: string]: unknown;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit_code?: number;
  readonly status?: string;
  readonly error?: string;
  readonly notes?: string[];
  readonly results?: ToolJson[];
}

export interface StdioClientOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Runs the server as another user; only root can. */
  readonly uid?: number | undefined;
}

interface Waiter {
  readonly matches: (message: Message) => boolean;
  readonly resolve: (message: Message) => void;
  readonly reject: (error: Error) => void;
}

const CLIENT_INFO = { name: "test", version: "1.0.0" };
/** What no test is about: a hang becomes a failure that says what was waited for. */
const PATIENCE_MS = 50_000;

/**
 * A client that speaks newline-delimited JSON-RPC by hand and keeps all that the server writes, so that tests can count
 * answers, see what came late, and send what no real client would.
 */
export class StdioClient {
  /** Everything that came, in its order. */
  readonly messages: Message[] = [];
  /** Lines on the server's stdout that are no JSON-RPC messages. */
  readonly strayLines: string[] = [];
  /** How the server ended, once it has: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** What the server wrote to stderr. */
  log = "";

  readonly #server: ChildProcessWithoutNullStreams;
  readonly #waiters = new Set<Waiter>();
  #lastId = 0;
  #line = "";

  constructor([program = "", ...args]: readonly string[], options: StdioClientOptions = {}) {
    this.#server = spawn(program, args, { ...options, stdio: "pipe" });
    this.ended = new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.once("close", (code, signal) => resolve(code ?? signal ?? -1));
    });
    this.#server.stdin.on("error", () => {}); // the server may be gone
    this.#server.stdout.setEncoding("utf8").on("data", (piece: string) => this.#receive(piece));
    this.#server.stderr.setEncoding("utf8").on("data", (piece: string) => (this.log += piece));
    this.ended.then(
      (end) => this.#failAll(`the server ended (${end}): ${this.log}`),
      (error: unknown) => this.#failAll(String(error)),
    );
  }

  get pid(): number {
    return this.#server.pid ?? -1;
  }

  /** The handshake of protocol versions up to 2025-11-25; returns what the server said. */
  async initialize(protocolVersion = "2025-11-25"): Promise<Message> {
    const params = { protocolVersion, capabilities: {}, clientInfo: CLIENT_INFO };
    const answer = await this.request("initialize", params);
    this.notify("notifications/initialized");
    return answer;
  }

  request(
    method: string,
    params: object = {},
    id: string | number = this.newId(),
  ): Promise<Message> {
    const answer = this.waitFor(`the answer to ${method}`, (message) => isAnswerTo(message, id));
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  async callTool(name: string, args: object, id?: string | number): Promise<ToolReply> {
    return readToolReply(await this.request("tools/call", { name, arguments: args }, id));
  }

  notify(method: string, params: object = {}): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  send(message: object): void {
    this.sendText(`${JSON.stringify(message)}\n`);
  }

  /** Sends a text as it is, whether it is a message or not. */
  sendText(text: string): void {
    this.#server.stdin.write(text);
  }

  /** The first message of this kind, whether it has come already or is still to come. */
  waitFor(what: string, matches: (message: Message) => boolean): Promise<Message> {
    const known = this.messages.find(matches);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { matches, resolve, reject };
      this.#waiters.add(waiter);
      setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(new Error(`waited in vain for ${what}; stderr of the server: ${this.log}`));
      }, PATIENCE_MS).unref();
    });
  }

  answersTo(id: string | number | null): Message[] {
    return this.messages.filter((message) => isAnswerTo(message, id));
  }

  newId(): string {
    this.#lastId += 1;
    return `request-${this.#lastId}`;
  }

  kill(signal: NodeJS.Signals): void {
    this.#server.kill(signal);
  }

  /** Closes the server's stdin, which is how a client leaves; returns how the server ended. */
  leave(): Promise<number | NodeJS.Signals> {
    this.#server.stdin.end();
    return this.ended;
  }

  #receive(piece: string): void {
    const lines = (this.#line + piece).split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    const message = parse(line);
    if (message === undefined) {
      this.strayLines.push(line);
      return;
    }
    this.messages.push(message);
    for (const waiter of this.#waiters) {
      if (!waiter.matches(message)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(message);
    }
  }

  #failAll(reason: string): void {
    for (const { reject } of this.#waiters) reject(new Error(reason));
    this.#waiters.clear();
  }
}

function readToolReply({ result, error }: Message): ToolReply {
  if (result === undefined) throw new Error(`the call was answered by an error: ${error?.message}`);
  const { content, isError } = result as { content: ToolReply["content"]; isError?: boolean };
  return {
    content,
    isError: isError === true,
    json: JSON.parse(content[0]?.text ?? "{}") as ToolJson,
  };
}

function isAnswerTo({ id, method }: Message, wanted: string | number | null): boolean {
  return method === undefined && id === wanted;
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value;
    return isMessage ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
