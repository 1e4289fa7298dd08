import type { Duplex } from "node:stream";
import { deferred } from "../deferred.ts";
import type { OutputStream } from "../execution.ts";
import { BrokenFrameError, decodeFields, encodeFields, FrameKind, FrameParser, type Frame } from "./wire.ts";
import type { RunEnd, RunEvents, Task, WorkerLimits } from "./worker.ts";

/** A run that says nothing for this long after its deadline has lost its supervisor's attention. */
const SUPERVISOR_GRACE_MS = 15_000;
/** Longer delays make Node's timers fire at once (setTimeout documentation). */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a supervisor says of itself when it is ready. */
export interface Ready {
  pid: number;
  version: string;
  executable: string;
}

/** The connection was lost before the code began to run, so that it may be run elsewhere. */
export class NotStartedError extends Error {
  override readonly name = "NotStartedError";
}

/** The server's end of the connection to one supervisor: first it gets ready, then it carries out one run. */
export class RunConnection {
  /** Settles when the supervisor is ready; rejects if the connection ends before. */
  readonly ready: Promise<Ready>;

  readonly #stream: Duplex;
  readonly #parser = new FrameParser();
  #onFrame: (frame: Frame) => void;
  #onClose: () => void;
  #isClosed = false;

  constructor(stream: Duplex) {
    this.#stream = stream;
    const { promise, resolve, reject } = deferred<Ready>();
    this.ready = promise;
    promise.catch(() => {}); // whoever needs it awaits it
    this.#onFrame = ({ kind, payload }) => {
      if (kind === FrameKind.ready) resolve(readReady(payload));
    };
    this.#onClose = () => reject(new NotStartedError("the interpreter ended before it was ready"));
    stream.on("data", (piece: Buffer) => this.#receive(piece));
    stream.on("error", () => {}); // "close" follows
    stream.on("close", () => this.#closed());
    stream.on("end", () => this.#closed());
  }

  get isUsable(): boolean {
    return !this.#isClosed;
  }

  /** Closing the connection makes the supervisor end the run and itself. */
  close(): void {
    this.#stream.destroy();
  }

  /** Carries out the one run of this connection. Rejects with {@link NotStartedError} if it never began. */
  async run(task: Task, limits: WorkerLimits, events: RunEvents): Promise<RunEnd> {
    const { executable } = await this.ready;
    const { promise, resolve, reject } = deferred<RunEnd>();
    let hasStarted = false;
    const failed = (reason: string): void => resolve({ how: "failed", executable, reason });
    this.#onFrame = ({ kind, payload }) => {
      switch (kind) {
        case FrameKind.started:
          hasStarted = true;
          break;
        case FrameKind.stdout:
          events.onOutput("stdout", payload);
          break;
        case FrameKind.stderr:
          events.onOutput("stderr", payload);
          break;
        case FrameKind.stdoutTail:
          skipped(events, "stdout", payload);
          break;
        case FrameKind.stderrTail:
          skipped(events, "stderr", payload);
          break;
        case FrameKind.ended:
          resolve(readEnd(decodeFields(payload), executable));
          break;
        default:
          throw new BrokenFrameError(`a frame of unknown kind ${JSON.stringify(kind)}`);
      }
    };
    this.#onClose = () => {
      if (hasStarted) failed("the process that watches the run ended");
      else reject(new NotStartedError("the connection ended before the run began"));
    };
    const onAbort = (): void => {
      resolve({ how: "cancelled", executable });
      this.close();
    };
    const watchdog = setTimeout(
      () => {
        failed("the process that watches the run does not answer");
        this.close();
      },
      Math.min(task.timeout * 1000 + SUPERVISOR_GRACE_MS, MAX_TIMER_MS),
    );
    events.signal.addEventListener("abort", onAbort);
    try {
      if (this.#isClosed) this.#onClose();
      else if (events.signal.aborted) onAbort();
      else this.#stream.write(encodeRequest(task, limits));
      return await promise;
    } finally {
      clearTimeout(watchdog);
      events.signal.removeEventListener("abort", onAbort);
      this.#onFrame = () => {};
    }
  }

  #receive(piece: Buffer): void {
    try {
      for (const frame of this.#parser.push(piece)) this.#onFrame(frame);
    } catch (error) {
      if (!(error instanceof BrokenFrameError)) throw error;
      this.close(); // and the run ends as one whose supervisor is lost
    }
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
  }
}

function encodeRequest(task: Task, limits: WorkerLimits): Buffer {
  return encodeFields(FrameKind.run, {
    code: task.code,
    cwd: task.cwd,
    timeout: task.timeout,
    forward_bytes: limits.forwardBytes,
    tail_bytes: limits.tailBytes,
    result_bytes: limits.resultChars,
  });
}

function readReady(payload: Buffer): Ready {
  const fields = decodeFields(payload);
  return {
    pid: Number(text(fields, "pid")),
    version: text(fields, "version"),
    executable: text(fields, "executable"),
  };
}

function readEnd(fields: Map<string, Buffer>, executable: string): RunEnd {
  const durationMs = Number(text(fields, "duration_ms"));
  const reason = text(fields, "error");
  if (reason !== "") return { how: "failed", executable, reason };
  if (text(fields, "end") === "timeout") return { how: "timeout", executable, durationMs };
  const value = fields.has("result")
    ? { text: text(fields, "result"), isCut: text(fields, "result_truncated") === "1" }
    : undefined;
  return { how: "exit", exitCode: Number(text(fields, "exit_code")), executable, durationMs, value };
}

function text(fields: Map<string, Buffer>, name: string): string {
  return fields.get(name)?.toString() ?? "";
}

function skipped(events: RunEvents, stream: OutputStream, payload: Buffer): void {
  events.onSkipped(stream, Number(payload.readBigUInt64BE(0)), payload.subarray(8));
}
