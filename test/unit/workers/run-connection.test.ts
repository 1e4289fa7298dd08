import { duplexPair } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OutputStream } from "../../../src/execution.ts";
import { NotStartedError, RunConnection } from "../../../src/workers/run-connection.ts";
import { decodeFields, encodeFields } from "../../../src/workers/wire.ts";
import type { RunEnd, RunEvents, Task, WorkerLimits } from "../../../src/workers/worker.ts";
import { eventually } from "../../support/eventually.ts";
import { connectedPair, PeerServer, type Peer } from "../../support/socket-peer.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

const LIMITS: WorkerLimits = { forwardBytes: 1000, tailBytes: 100, resultChars: 50 };
const TASK: Task = {
  code: "print('é😀')\0",
  cwd: "/data",
  timeout: 2.5,
  environment: { python: "/usr/bin/python3", variables: {} },
};
const READY = encodeFields("A", { pid: 7, executable: "/opt/python" });
const ENDED = encodeFields("X", {
  end: "exit",
  exit_code: 3,
  duration_ms: 12.5,
  result: "[1, é]",
  result_truncated: 1,
  imports: "numpy,pandas",
});
const END: RunEnd = {
  how: "exit",
  exitCode: 3,
  executable: "/opt/python",
  durationMs: 12.5,
  value: { text: "[1, é]", isCut: true },
  imports: ["numpy", "pandas"],
};
const LOST = "the process that watches the run ended";

function frame(kind: string, payload: Buffer | string): Buffer {
  const bytes = Buffer.from(payload);
  const header = Buffer.alloc(5);
  header.write(kind, "latin1");
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

function tail(kind: string, skipped: number, text: string): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(skipped));
  return frame(kind, Buffer.concat([size, Buffer.from(text)]));
}

/** What a run tells, joined by stream, since output may come in any pieces. */
class Listener implements RunEvents {
  readonly controller = new AbortController();
  readonly signal = this.controller.signal;
  readonly output: Record<OutputStream, string> = { stdout: "", stderr: "" };
  readonly skipped: [OutputStream, number, string][] = [];

  onOutput(stream: OutputStream, bytes: Buffer): void {
    this.output[stream] += bytes.toString();
  }

  onShown(): void {}

  onSkipped(stream: OutputStream, skipped: number, last: Buffer): void {
    this.skipped.push([stream, skipped, last.toString()]);
  }
}

let folder: TestFolder;
const servers: PeerServer[] = [];

beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) server.close();
  folder.remove();
});

async function connection(isReading = true): Promise<{ connection: RunConnection; peer: Peer }> {
  const server = await PeerServer.listen(folder.temp, { isReading });
  servers.push(server);
  const { socket, peer } = await connectedPair(server);
  return { connection: new RunConnection(socket), peer };
}

/** How a run ends whose supervisor says this. */
async function endAfter(bytes: Buffer, listener = new Listener()): Promise<RunEnd> {
  const { connection: one, peer } = await connection();
  peer.socket.write(READY);
  const end = one.run(TASK, LIMITS, listener);
  await peer.received();
  peer.socket.end(bytes);
  return end;
}

describe("a connection", () => {
  test("is ready when its supervisor says so, and tells what it says", async () => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    expect([...(await one.ready)]).toEqual([
      ["pid", "7"],
      ["executable", "/opt/python"],
    ]);
    expect(one.isOpen).toBe(true);
    one.close();
    expect(await peer.ended()).toBe(true);
  });

  test("that ends before is not ready, and no run begins", async () => {
    const { connection: one, peer } = await connection();
    const run = one.run(TASK, LIMITS, new Listener());
    peer.socket.end(READY.subarray(0, -1));
    await expect(one.ready).rejects.toThrow(NotStartedError);
    await expect(run).rejects.toThrow(NotStartedError);
    await one.closed;
    expect(one.isOpen).toBe(false);
  });

  test("may be closed twice, and begins no run afterwards", async () => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    await one.ready;
    one.close();
    one.close();
    await one.closed;
    await expect(one.run(TASK, LIMITS, new Listener())).rejects.toThrow(NotStartedError);
    expect(await peer.ended()).toBe(true);
    expect(peer.frames).toEqual([]);
  });
});

describe("a run", () => {
  test("is asked for with all that its supervisor needs", async () => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    const end = one.run(TASK, LIMITS, new Listener());
    const { kind, payload } = await peer.received();
    expect(kind).toBe("R");
    const fields = [...decodeFields(payload)].map(([name, value]) => [name, value.toString()]);
    expect(Object.fromEntries(fields)).toMatchObject({
      code: TASK.code,
      cwd: "/data",
      timeout: "2.5",
      forward_bytes: "1000",
      tail_bytes: "100",
      result_chars: "50",
    });
    peer.socket.write(ENDED);
    expect(await end).toEqual(END);
  });

  test("waits until the supervisor is ready", async () => {
    const { connection: one, peer } = await connection();
    const end = one.run(TASK, LIMITS, new Listener());
    await nextTurn();
    expect(peer.frames).toEqual([]);
    peer.socket.write(READY);
    await peer.received();
    peer.socket.write(ENDED);
    expect(await end).toEqual(END);
  });

  test("may follow another when the supervisor is ready again, and hears nothing of it", async () => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    const [first, second] = [new Listener(), new Listener()];
    const firstEnd = one.run(TASK, LIMITS, first);
    await peer.received();
    peer.socket.write(Buffer.concat([frame("O", "first"), ENDED, frame("O", "late"), READY]));
    expect(await firstEnd).toEqual(END);
    await one.ready;
    const secondEnd = one.run(TASK, LIMITS, second);
    await peer.received(2);
    peer.socket.write(Buffer.concat([frame("O", "second"), ENDED]));
    expect(await secondEnd).toEqual(END);
    expect([first.output.stdout, second.output.stdout]).toEqual(["first", "second"]);
  });

  test("tells the same wherever its frames are split", async () => {
    const said = Buffer.concat([
      frame("O", "out é"),
      frame("E", "err"),
      frame("O", ""),
      frame("O", " and more"),
      tail("o", 2 ** 40, "last of out"),
      tail("e", 9, ""),
      ENDED,
      READY,
    ]);
    for (let at = 0; at <= said.length; at += 1) {
      const [near, far] = duplexPair();
      const one = new RunConnection(near);
      far.resume();
      far.write(READY);
      const listener = new Listener();
      const end = one.run(TASK, LIMITS, listener);
      await one.ready;
      far.write(said.subarray(0, at));
      await nextTurn();
      far.write(said.subarray(at));
      expect(await end).toEqual(END);
      expect(listener.output).toEqual({ stdout: "out é and more", stderr: "err" });
      expect(listener.skipped).toEqual([
        ["stdout", 2 ** 40, "last of out"],
        ["stderr", 9, ""],
      ]);
      await one.ready;
      one.close();
    }
  });
});

describe("the end of a run", () => {
  test.each<[string, Record<string, string | number>, RunEnd]>([
    [
      "an exit without a value",
      { end: "exit", exit_code: -9, duration_ms: 1 },
      {
        how: "exit",
        exitCode: -9,
        executable: "/opt/python",
        durationMs: 1,
        value: undefined,
        imports: [],
      },
    ],
    [
      "an exit with an empty value",
      { end: "exit", exit_code: 0, duration_ms: 1, result: "", result_truncated: 0 },
      {
        how: "exit",
        exitCode: 0,
        executable: "/opt/python",
        durationMs: 1,
        value: { text: "", isCut: false },
        imports: [],
      },
    ],
    [
      "a deadline",
      { end: "timeout", duration_ms: 2500 },
      { how: "timeout", executable: "/opt/python", durationMs: 2500 },
    ],
    [
      "a failure of the supervisor",
      { end: "exit", error: "no space left", duration_ms: 0 },
      { how: "failed", executable: "/opt/python", reason: "no space left" },
    ],
  ])("is told: %s", async (_what, fields, end) => {
    expect(await endAfter(encodeFields("X", fields))).toEqual(end);
  });

  test("is what came first: nothing after it counts", async () => {
    const again = encodeFields("X", { end: "exit", exit_code: 0, duration_ms: 0 });
    const listener = new Listener();
    expect(await endAfter(Buffer.concat([ENDED, frame("O", "late"), again]), listener)).toEqual(
      END,
    );
    expect(listener.output.stdout).toBe("");
  });

  test.each([
    ["an unknown kind", frame("?", "")],
    ["a length that no frame has", Buffer.from("O\xff\xff\xff\xff", "latin1")],
    ["fields that are none", frame("X", "\0\0\0\x01a")],
    ["no exit code", encodeFields("X", { end: "exit", duration_ms: 1 })],
    ["an exit code that is none", encodeFields("X", { end: "exit", exit_code: "x" })],
    ["a tail that doesn't say how much is missing", frame("o", "1234567")],
  ])("is that its supervisor is lost, after a frame with %s", async (_what, bytes) => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    const end = one.run(TASK, LIMITS, new Listener());
    await peer.received();
    peer.socket.write(bytes);
    expect(await end).toEqual({ how: "failed", executable: "/opt/python", reason: LOST });
    expect(one.isOpen).toBe(false);
    expect(await peer.ended()).toBe(true);
  });
});

describe("a supervisor that goes away", () => {
  test("after it has read the request may have run the code: the run failed", async () => {
    expect(await endAfter(Buffer.alloc(0))).toEqual({
      how: "failed",
      executable: "/opt/python",
      reason: LOST,
    });
  });

  test("in the middle of the answer has run the code: the run failed, and its output is kept", async () => {
    const listener = new Listener();
    const said = Buffer.concat([frame("O", "so far"), ENDED.subarray(0, -1)]);
    expect(await endAfter(said, listener)).toMatchObject({ how: "failed", reason: LOST });
    expect(listener.output.stdout).toBe("so far");
  });

  test("with the request unread has not: the run never began", async () => {
    const { connection: one, peer } = await connection(false);
    peer.socket.write(READY);
    await one.ready;
    const end = one.run(TASK, LIMITS, new Listener());
    await nextTurn(); // the request is written
    peer.socket.destroy();
    await expect(end).rejects.toThrow(NotStartedError);
  });

  test("with something unread, but after it has said something, has: the run failed", async () => {
    const { connection: one, peer } = await connection(false);
    peer.socket.write(READY);
    await one.ready;
    const listener = new Listener();
    const end = one.run(TASK, LIMITS, listener);
    peer.socket.write(frame("O", "so far"));
    expect(await eventually(() => listener.output.stdout === "so far")).toBe(true);
    peer.socket.destroy();
    expect(await end).toMatchObject({ how: "failed", reason: LOST });
  });
});

describe("cancelling", () => {
  test("ends the run at once and closes the connection, which the supervisor sees", async () => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    const listener = new Listener();
    const end = one.run(TASK, LIMITS, listener);
    await peer.received();
    listener.controller.abort();
    expect(await end).toEqual({ how: "cancelled", executable: "/opt/python" });
    expect(one.isOpen).toBe(false);
    expect(await peer.ended()).toBe(true);
  });

  test("before the run began leaves the connection to the next", async () => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    const listener = new Listener();
    listener.controller.abort();
    const end = await one.run(TASK, LIMITS, listener);
    expect(end).toEqual({ how: "cancelled", executable: "/opt/python" });
    expect(one.isOpen).toBe(true);
    expect(peer.frames).toEqual([]);
  });

  test("after the end changes nothing", async () => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    const listener = new Listener();
    const end = one.run(TASK, LIMITS, listener);
    await peer.received();
    peer.socket.write(Buffer.concat([ENDED, READY]));
    expect(await end).toEqual(END);
    listener.controller.abort();
    await one.ready;
    expect(one.isOpen).toBe(true);
  });
});

describe("silence", () => {
  test("of a supervisor ends the run some seconds after the deadline, and not before", async () => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    await one.ready;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const end = one.run(TASK, LIMITS, new Listener());
    await nextTurn(); // it is under way
    vi.advanceTimersByTime(17_400);
    expect(one.isOpen).toBe(true);
    vi.advanceTimersByTime(200);
    expect(await end).toMatchObject({
      how: "failed",
      reason: "the process that watches the run does not answer",
    });
    expect(one.isOpen).toBe(false);
  });

  test("is waited for even when the deadline is further away than timers reach", async () => {
    const { connection: one, peer } = await connection();
    peer.socket.write(READY);
    const end = one.run({ ...TASK, timeout: 1e9 }, LIMITS, new Listener());
    await peer.received();
    await nextTurn();
    expect(one.isOpen).toBe(true);
    peer.socket.write(ENDED);
    expect(await end).toEqual(END);
  });
});

test("whatever bytes come, a run has an end, and nothing is thrown but NotStartedError", async () => {
  const bytes = fc.uint8Array({ maxLength: 30 }).map((array) => Buffer.from(array));
  const kind = fc.constantFrom("A", "O", "E", "o", "e", "X", "R", "L", "T", "?");
  const field = fc.constantFrom("end", "exit_code", "duration_ms", "result", "imports", "error");
  const text = fc.constantFrom("", "exit", "timeout", "0", "-9", "1e999", "x", ",,");
  const frames = fc.oneof(
    fc.tuple(kind, bytes).map(([letter, payload]) => frame(letter, payload)),
    fc
      .tuple(kind, fc.dictionary(field, text))
      .map(([letter, fields]) => encodeFields(letter, fields)),
    bytes,
  );
  const stream = fc.array(frames, { maxLength: 5 }).map((list) => Buffer.concat(list));
  await fc.assert(
    fc.asyncProperty(stream, fc.boolean(), fc.nat(40), async (sent, isReady, at) => {
      const [near, far] = duplexPair();
      const one = new RunConnection(near);
      far.resume();
      if (isReady) far.write(READY);
      const outcome = one.run(TASK, LIMITS, new Listener()).then(
        ({ how }) => how,
        (error: unknown) => error,
      );
      if (isReady) await one.ready;
      far.write(sent.subarray(0, at));
      await nextTurn();
      far.end(sent.subarray(at));
      const end = await outcome;
      if (typeof end === "string") expect(["exit", "timeout", "failed"]).toContain(end);
      else expect(end).toBeInstanceOf(NotStartedError);
      await one.closed;
    }),
    { seed: 20240229, numRuns: 500 },
  );
});
