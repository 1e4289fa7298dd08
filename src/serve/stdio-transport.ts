import type { Readable, Writable } from "node:stream";
import {
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";

/** A batch of the default limits is 20 MiB of code, and JSON escapes may double it. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * MCP over stdin and stdout: one JSON message a line.
 *
 * Unlike the SDK's own transport it survives what is no message: a line that isn't JSON, isn't JSON-RPC or is too long
 * is answered with an error, as JSON-RPC asks for, and the next line is read.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #onEnd: () => void;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #isClosed = false;

  /** @param onEnd called once when the client is gone: stdin is at its end, or stdout can't be written */
  constructor(input: Readable, output: Writable, onEnd: () => void) {
    this.#input = input;
    this.#output = output;
    this.#onEnd = onEnd;
  }

  async start(): Promise<void> {
    this.#input.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#input.on("error", () => void this.close());
    this.#input.on("end", () => void this.close());
    this.#input.on("close", () => void this.close());
    this.#output.on("error", () => void this.close());
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("the connection is closed"));
    return this.#write(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.pause();
    this.onclose?.();
    this.#onEnd();
  }

  #write(message: object): Promise<void> {
    return new Promise((resolve) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => {
        // a stream that is destroyed already tells nobody else
        if (error) void this.close();
        resolve();
      });
    });
  }

  #receive(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#lineEnded();
      if (this.#isClosed) return;
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes <= MAX_MESSAGE_BYTES) this.#line.push(part);
    else this.#line = []; // too long: read on to its end, but keep nothing
  }

  #lineEnded(): void {
    const size = this.#lineBytes;
    const line = this.#line;
    this.#line = [];
    this.#lineBytes = 0;
    if (size > MAX_MESSAGE_BYTES) {
      this.#refuse(
        INVALID_REQUEST,
        `a message of ${size} bytes; the limit is ${MAX_MESSAGE_BYTES}`,
      );
      return;
    }
    const text = Buffer.concat(line, size).toString().trim();
    if (text !== "") this.#handle(text);
  }

  #handle(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#refuse(PARSE_ERROR, "a line that is not JSON");
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#refuse(INVALID_REQUEST, "a line that is no JSON-RPC 2.0 message", idOf(value));
      return;
    }
    this.onmessage?.(message);
  }

  #refuse(code: number, problem: string, id: string | number | null = null): void {
    void this.#write({ jsonrpc: "2.0", id, error: { code, message: `Received ${problem}.` } });
    this.onerror?.(new Error(`received ${problem}`));
  }
}

function idOf(value: unknown): string | number | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null;
  return typeof value.id === "string" || typeof value.id === "number" ? value.id : null;
}
