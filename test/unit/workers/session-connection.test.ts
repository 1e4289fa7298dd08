/** The server's end of a connection to a host of sessions; the host is played by the test. */
import { duplexPair, type Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SessionConnection } from "../../../src/workers/session-connection.ts";
import { decodeFields, encodeFields, FrameParser } from "../../../src/workers/wire.ts";
import type { RunEvents, SessionTask, WorkerLimits } from "../../../src/workers/worker.ts";
import { eventually } from "../../support/eventually.ts";

const LIMITS: WorkerLimits = { forwardBytes: 1000, tailBytes: 100, resultChars: 50 };
const TASK: SessionTask = { code: "x = 1", cwd: "/data", timeout: 2.5 };
const EXIT = { end: "exit", exit_code: 0, duration_ms: 3 };
const SUPERVISOR = { executable: "/opt/python" };
const LOST = { how: "failed", ...SUPERVISOR, reason: "the process that watches the session ended" };

/** The far end. */
class Host {
  readonly frames: { kind: string; fields: Record<string, string> }[] = [];
  readonly stream: Duplex;

  constructor(stream: Duplex) {
    this.stream = stream;
    const parser = new FrameParser();
    stream.on("data", (piece: Buffer) => {
      for (const { kind, payload } of parser.push(piece)) {
        const fields = [...decodeFields(payload)].map(([name, value]) => [name, value.toString()]);
        this.frames.push({ kind, fields: Object.fromEntries(fields) as Record<string, string> });
      }
    });
  }

  async received(count: number): Promise<Record<string, string>> {
    await eventually(() => this.frames.length >= count);
    return this.frames[count - 1]?.fields ?? {};
  }

  get kinds(): string {
    return this.frames.map(({ kind }) => kind).join("");
  }

  say(kind: string, fields: Record<string, string | number>): void {
    this.stream.write(encodeFields(kind, fields));
  }

  /** Says something of a task. */
  tell(id: string | number | undefined, inner: Buffer): void {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(Number(id));
    const payload = Buffer.concat([head, inner.subarray(0, 1), inner.subarray(5)]);
    const header = Buffer.from("M0000");
    header.writeUInt32BE(payload.length, 1);
    this.stream.write(Buffer.concat([header, payload]));
  }

  end(id: string | number | undefined, fields: Record<string, string | number>): void {
    this.tell(id, encodeFields("X", fields));
  }
}

let host: Host;
let connection: SessionConnection;
const learned: unknown[] = [];

beforeEach(async () => {
  const [near, far] = duplexPair();
  host = new Host(far);
  learned.length = 0;
  connection = new SessionConnection(near, {
    python: "python3",
    limits: LIMITS,
    learn: (...what) => learned.push(what),
  });
  host.say("A", { executable: "/opt/python" });
  await connection.ready;
});
afterEach(() => {
  vi.useRealTimers();
  connection.close();
});

function listener(controller = new AbortController()): RunEvents & { told: string[] } {
  const told: string[] = [];
  return {
    signal: controller.signal,
    told,
    onOutput: (stream, bytes) => told.push(`${stream} ${bytes.toString()}`),
    onShown: () => {},
    onSkipped: (stream, skipped, tail) => told.push(`${stream} ${skipped} ${tail.toString()}`),
  };
}

describe("a connection to a host of sessions", () => {
  test("makes the place a host, and asks for a cell with all that it needs", async () => {
    const end = connection.runCell(0, { ...TASK, bindings: "{}", listBytes: 9 }, listener());
    const request = await host.received(2);
    expect(host.kinds).toBe("SQ");
    expect(request).toEqual({
      ...{ id: "1", process: "0", op: "cell", code: "x = 1", cwd: "/data", timeout: "2.5" },
      ...{ forward_bytes: "1000", tail_bytes: "100", result_chars: "50" },
      ...{ bindings: "{}", json_bytes: "9" },
    });
    host.end(1, { ...EXIT, result: "1", names: "a\nb", imports: "numpy" });
    expect(await end).toEqual({
      end: {
        ...{ how: "exit", exitCode: 0, ...SUPERVISOR, durationMs: 3, list: undefined },
        ...{ value: { text: "1", isCut: false }, imports: ["numpy"] },
      },
      names: ["a", "b"],
      isSettled: false,
      isLost: false,
    });
    expect(learned).toEqual([["x = 1", ["numpy"]]]);
  });

  test("keeps the output of tasks that go on at once apart", async () => {
    const [one, two] = [listener(), listener()];
    const ends = [connection.runCopy(0, TASK, one), connection.runCopy(0, TASK, two)];
    await host.received(3);
    host.tell(2, Buffer.from("O0000two"));
    host.tell(1, Buffer.from("E0000one"));
    host.tell(1, Buffer.from("o0000\0\0\0\0\0\0\0\u0005tail"));
    host.tell(77, Buffer.from("O0000nobody's"));
    host.end(2, EXIT);
    host.end(1, EXIT);
    await Promise.all(ends);
    expect([one.told, two.told]).toEqual([["stderr one", "stdout 5 tail"], ["stdout two"]]);
  });

  test("tells why a session can't be forked, for a copy and for a fork", async () => {
    const ends = [connection.runCopy(0, TASK, listener()), connection.fork(0, 5)];
    expect(await host.received(3)).toMatchObject({ op: "fork", as: "5", process: "0" });
    const refusal = { end: "exit", exit_code: -1, refused: "a thread runs" };
    host.end(1, refusal);
    host.end(2, refusal);
    expect(await Promise.all(ends)).toEqual([
      { refused: "a thread runs" },
      { refused: "a thread runs" },
    ]);
  });

  test("interrupts the cell of a process, and says when there is none", async () => {
    const end = connection.runCell(3, TASK, listener());
    void connection.runCopy(4, TASK, listener());
    await host.received(3);
    expect([connection.interrupt(4), connection.interrupt(3)]).toEqual([false, true]);
    expect(await host.received(4)).toEqual({ id: "1" });
    host.end(1, { ...EXIT, exit_code: 130 });
    await end;
    expect(connection.interrupt(3)).toBe(false);
    expect(host.kinds).toBe("SQQI");
  });

  test("cancels a task without closing, and takes what becomes of it", async () => {
    const controller = new AbortController();
    const end = connection.runCell(0, TASK, listener(controller));
    await host.received(2);
    controller.abort();
    expect(await host.received(3)).toEqual({ id: "1" });
    host.end(1, { end: "cancel", exit_code: 130, settled: 1, duration_ms: 1 });
    expect(await end).toMatchObject({ end: { how: "cancelled" }, isSettled: true, isLost: false });
    expect(host.kinds).toBe("SQC");
    expect(connection.interrupt(0)).toBe(false);
  });

  test("asks for nothing that was cancelled before", async () => {
    const events = { ...listener(), signal: AbortSignal.abort() };
    expect(await connection.runCell(0, TASK, events)).toMatchObject({ end: { how: "cancelled" } });
    host.say("D", { process: 9, ...EXIT });
    expect(host.kinds).toBe("S");
  });

  test("tells once of a process that ends while it has nothing to do", async () => {
    const ends: unknown[] = [];
    connection.onEnd(0, (end) => ends.push(end));
    host.say("D", { process: 1, end: "exit", exit_code: 0 });
    host.say("D", { process: 0, end: "exit", exit_code: -9 });
    host.say("D", { process: 0, end: "exit", exit_code: -9 });
    await eventually(() => ends.length > 0);
    connection.close();
    expect(ends).toMatchObject([{ how: "exit", exitCode: -9 }]);
  });

  test("has lost all sessions and tasks when it ends", async () => {
    const ends: unknown[] = [];
    connection.onEnd(0, (end) => ends.push(end));
    const cell = connection.runCell(1, TASK, listener());
    const facts = connection.describe(2);
    await host.received(3);
    host.stream.end();
    expect(await cell).toEqual({ end: LOST, names: undefined, isSettled: false, isLost: true });
    expect(await facts).toBeUndefined();
    expect(ends).toEqual([LOST]);
    connection.onEnd(3, (end) => ends.push(end));
    expect(ends).toEqual([LOST, LOST]);
    expect(await connection.runCell(0, TASK, listener())).toMatchObject({ isLost: true });
    await connection.closed;
  });

  test.each([
    ["an unknown frame", Buffer.from("?\0\0\0\0")],
    ["a frame of no task", Buffer.from("M\0\0\0\u0002ab")],
    ["an end without an exit code", undefined],
  ])("gives a host up that sends %s", async (_, bytes) => {
    const end = connection.runCell(0, TASK, listener());
    await host.received(2);
    if (bytes === undefined) host.end(1, { end: "exit" });
    else host.stream.write(bytes);
    expect(await end).toMatchObject({ end: LOST, isLost: true });
    await connection.closed;
  });

  test("gives a host up that says nothing long after the deadline", async () => {
    vi.useFakeTimers();
    const end = connection.runCell(0, TASK, listener());
    await vi.advanceTimersByTimeAsync(2500 + 16_000);
    expect(connection.interrupt(0)).toBe(true);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await end).toMatchObject({ isLost: true });
  });

  test("gives a host up that does not end what was cancelled", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const end = connection.runCell(0, { ...TASK, timeout: 1000 }, listener(controller));
    controller.abort();
    await vi.advanceTimersByTimeAsync(18_000);
    expect(await end).toMatchObject({ isLost: true });
  });

  test("tells of a process that ends while it is asked for its variables", async () => {
    const ends: unknown[] = [];
    connection.onEnd(0, (end) => ends.push(end));
    const facts = connection.describe(0);
    await host.received(2);
    host.end(1, { end: "timeout", lost: 1, duration_ms: 1 });
    expect(await facts).toBeUndefined();
    expect(ends).toMatchObject([{ how: "timeout" }]);
  });

  test("hands on what a process says of its variables", async () => {
    const facts = connection.describe(0);
    expect(await host.received(2)).toMatchObject({ op: "variables", process: "0" });
    host.end(1, { ...EXIT, variables: "[]", memory: 4096 });
    expect(await facts).toEqual({ variables: "[]", memory: 4096 });
    connection.closeProcess(0);
    expect(await host.received(3)).toEqual({ process: "0" });
  });

  test("rejects when the process ends before it is ready", async () => {
    const [near, far] = duplexPair();
    const early = new SessionConnection(near, { python: "python3", limits: LIMITS });
    far.end();
    await expect(early.ready).rejects.toThrow("ended before it was ready");
  });
});
