import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StdioTransport } from "../../../src/serve/stdio-transport.ts";

const MIB = 1024 * 1024;

/** A transport with a client at its other end. */
class Connection {
  readonly input = new PassThrough();
  readonly output: Writable;
  readonly transport: StdioTransport;
  readonly messages: JSONRPCMessage[] = [];
  readonly errors: string[] = [];
  /** What happened at the end, in its order. */
  readonly ends: string[] = [];
  #written = "";

  constructor(output?: Writable) {
    this.output = output ?? this.#collect();
    this.transport = new StdioTransport(this.input, this.output, () => this.ends.push("onEnd"));
    Object.assign(this.transport, {
      onmessage: (message: JSONRPCMessage) => this.messages.push(message),
      onerror: (error: Error) => this.errors.push(error.message),
      onclose: () => this.ends.push("onclose"),
    });
  }

  static async open(output?: Writable): Promise<Connection> {
    const connection = new Connection(output);
    await connection.transport.start();
    return connection;
  }

  /** Sends these pieces, and waits until they have been received. */
  async send(...pieces: readonly (string | Buffer)[]): Promise<void> {
    for (const piece of pieces) this.input.write(piece);
    while (this.input.readableLength > 0 && !this.input.isPaused()) {
      await setImmediate();
    }
  }

  /** What the client was answered. */
  get answers(): unknown[] {
    const lines = this.#written.split("\n");
    expect(lines.pop()).toBe(""); // every answer ends its line
    return lines.map((line): unknown => JSON.parse(line));
  }

  #collect(): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#written += chunk.toString();
        done();
      },
    });
  }
}

const ping = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, method: "ping" });
const line = (message: object): string => `${JSON.stringify(message)}\n`;

describe("messages", () => {
  test("come one a line", async () => {
    const connection = await Connection.open();
    await connection.send(line(ping(1)));
    await connection.send(line(ping(2)));
    expect(connection.messages).toEqual([ping(1), ping(2)]);
  });

  test("may come several at once, the last one in part", async () => {
    const connection = await Connection.open();
    const third = line(ping(3));
    await connection.send(line(ping(1)) + line(ping(2)) + third.slice(0, 10));
    expect(connection.messages).toEqual([ping(1), ping(2)]);
    await connection.send(third.slice(10));
    expect(connection.messages).toEqual([ping(1), ping(2), ping(3)]);
  });

  test("wait for the end of their line", async () => {
    const connection = await Connection.open();
    await connection.send(JSON.stringify(ping(1)));
    expect(connection.messages).toEqual([]);
    await connection.send("\n");
    expect(connection.messages).toEqual([ping(1)]);
  });

  test("may end in CR and LF, and have blank lines between them", async () => {
    const connection = await Connection.open();
    await connection.send(`\r\n\n  \t\n${JSON.stringify(ping(1))}\r\n\r\n ${line(ping(2))}`);
    expect(connection.messages).toEqual([ping(1), ping(2)]);
    expect(connection.answers).toEqual([]);
  });

  test("may be cut anywhere, in the middle of characters too", async () => {
    const texts = fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 4 });
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(texts, sizes, async (contents, lengths) => {
        const sent = contents.map((text) => ({ jsonrpc: "2.0", method: "note", params: { text } }));
        const all = Buffer.from(sent.map(line).join(""));
        const connection = await Connection.open();
        let at = 0;
        for (const length of lengths) {
          await connection.send(all.subarray(at, (at += length)));
        }
        await connection.send(all.subarray(at));
        expect(connection.messages).toEqual(sent);
      }),
    );
  });

  test("are answered one a line, whatever characters they hold", async () => {
    const connection = await Connection.open();
    const answer: JSONRPCMessage = { jsonrpc: "2.0", id: 1, result: { text: "a\nb\r\n\u2028😀" } };
    await connection.transport.send(answer);
    await connection.transport.send({ jsonrpc: "2.0", id: 2, result: {} });
    expect(connection.answers).toEqual([answer, { jsonrpc: "2.0", id: 2, result: {} }]);
  });
});

describe("what is no message is answered, and the next one is read", () => {
  test.each([
    ["is no JSON", "hello"],
    ["is half of a message", '{"jsonrpc":"2.0","id":1,'],
    ["is two messages", '{"jsonrpc":"2.0","id":1,"method":"ping"}{}'],
    ["is no UTF-8", Buffer.from([0xff, 0xfe, 0x00])],
  ])("a line that %s is a parse error of no one's", async (_, text) => {
    const connection = await Connection.open();
    await connection.send(text, "\n", line(ping(2)));
    expect(connection.answers).toEqual([
      {
        jsonrpc: "2.0",
        id: null,
        error: { code: -32_700, message: "Received a line that is not JSON." },
      },
    ]);
    expect(connection.errors).toEqual(["received a line that is not JSON"]);
    expect(connection.messages).toEqual([ping(2)]);
  });

  test.each([
    ["has no version", '{"id":7,"method":"ping"}', 7],
    ["has another version", '{"jsonrpc":"1.0","id":7,"method":"ping"}', 7],
    ["has no method", '{"jsonrpc":"2.0","id":"seven"}', "seven"],
    ["has a method that is no text", '{"jsonrpc":"2.0","id":7,"method":1}', 7],
    ["has params that are no object", '{"jsonrpc":"2.0","id":7,"method":"ping","params":3}', 7],
    ["has an id that is none", '{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
    ["has neither an id nor a version", '{"method":"ping"}', null],
    ["is a list", '[{"jsonrpc":"2.0","id":7,"method":"ping"}]', null],
    ["is a text", '"ping"', null],
    ["is null", "null", null],
  ])("a line that %s is an invalid request under its id", async (_, text, id) => {
    const connection = await Connection.open();
    await connection.send(`${text}\n`, line(ping(2)));
    expect(connection.answers).toEqual([
      {
        jsonrpc: "2.0",
        id,
        error: { code: -32_600, message: "Received a line that is no JSON-RPC 2.0 message." },
      },
    ]);
    expect(connection.messages).toEqual([ping(2)]);
  });

  test("a message over the limit is refused with its size, none of it kept", async () => {
    const connection = await Connection.open();
    const piece = Buffer.alloc(MIB, "x");
    for (let sent = 0; sent < 65; sent += 1) {
      await connection.send(piece);
    }
    expect(connection.answers).toEqual([]);
    await connection.send("\n", line(ping(2)));
    expect(connection.answers).toEqual([
      {
        jsonrpc: "2.0",
        id: null,
        error: {
          code: -32_600,
          message: "Received a message of 68157440 bytes; the limit is 67108864.",
        },
      },
    ]);
    expect(connection.messages).toEqual([ping(2)]);
  });

  test("a message of 25 MB is within the limit", async () => {
    const connection = await Connection.open();
    const text = "x".repeat(25_000_000);
    await connection.send(line({ jsonrpc: "2.0", method: "note", params: { text } }));
    expect(connection.answers).toEqual([]);
    expect(connection.messages).toHaveLength(1);
  });

  test("a thousand bad lines get a thousand answers", async () => {
    const connection = await Connection.open();
    await connection.send("nonsense\n".repeat(1000), line(ping(2)));
    expect(connection.answers).toHaveLength(1000);
    expect(connection.messages).toEqual([ping(2)]);
  });
});

describe("the end", () => {
  test("of the input closes the connection, once", async () => {
    const connection = await Connection.open();
    await connection.send(line(ping(1)));
    connection.input.end();
    await once(connection.input, "close");
    expect(connection.ends).toEqual(["onclose", "onEnd"]);
    expect(connection.messages).toEqual([ping(1)]);
  });

  test("of an input that fails closes the connection", async () => {
    const connection = await Connection.open();
    connection.input.destroy(new Error("EIO"));
    await expect.poll(() => connection.ends).toEqual(["onclose", "onEnd"]);
  });

  test("in the middle of a message loses that, and nothing else", async () => {
    const connection = await Connection.open();
    await connection.send(line(ping(1)), '{"jsonrpc"');
    connection.input.end();
    await once(connection.input, "close");
    expect(connection.messages).toEqual([ping(1)]);
    expect(connection.answers).toEqual([]);
  });

  test("by closing is told once, however often it is asked for", async () => {
    const connection = await Connection.open();
    await connection.transport.close();
    await connection.transport.close();
    connection.input.end();
    expect(connection.ends).toEqual(["onclose", "onEnd"]);
  });

  test("leaves nothing to be sent", async () => {
    const connection = await Connection.open();
    await connection.transport.close();
    const sending = connection.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await expect(sending).rejects.toThrow("the connection is closed");
    expect(connection.answers).toEqual([]);
  });

  test("stops the reading: what comes later in the same piece is not handled", async () => {
    const connection = await Connection.open();
    const onmessage = (message: JSONRPCMessage): void => {
      connection.messages.push(message);
      void connection.transport.close();
    };
    Object.assign(connection.transport, { onmessage });
    await connection.send(line(ping(1)) + line(ping(2)) + "nonsense\n");
    await setImmediate();
    expect(connection.messages).toEqual([ping(1)]);
    expect(connection.answers).toEqual([]);
  });

  test("of the reader is noticed by writing to it", async () => {
    const closing =
      "require('fs').closeSync(0); console.log('closed'); setTimeout(() => {}, 20_000)";
    const reader = spawn(process.execPath, ["-e", closing], { stdio: ["pipe", "pipe", "ignore"] });
    try {
      await once(reader.stdout, "data");
      const connection = await Connection.open(reader.stdin);
      await connection.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
      await expect.poll(() => connection.ends).toEqual(["onclose", "onEnd"]);
    } finally {
      reader.kill();
    }
  });

  test("of an output that is destroyed already is noticed by writing to it", async () => {
    const output = new PassThrough();
    const connection = await Connection.open(output);
    output.destroy();
    await once(output, "close");
    await connection.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    expect(connection.ends).toEqual(["onclose", "onEnd"]);
  });
});
