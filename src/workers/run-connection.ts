import type { Duplex } from "node:stream";
import { deferred, type Deferred } from "../deferred.ts";
import { systemCode } from "../errors.ts";
import {
  readEnd,
  readReady,
  requestFields,
  supervisorOf,
  takeOutput,
  type Ready,
  type Supervisor,
} from "./run-end.ts";
import {
  BrokenFrameError,
  decodeFields,
  encodeFields,
  FrameKind,
  FrameParser,
  type Frame,
} from "./wire.ts";
import type { RunEnd, RunEvents, Task, WorkerLimits } from "./worker.ts";

/** A run whose supervisor says nothing for this long after the deadline has lost it. */
const SUPERVISOR_GRACE_MS = 15_000;
/** How a connection ends whose peer has not read what was sent to it. */
const UNREAD: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE"]);
/** Longer delays make Node's timers fire at once (setTimeout documentation). */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The connection was lost before the code began to run, so that it may be run elsewhere. */
export class NotStartedError extends Error {
  override readonly name = "NotStartedError";
}

/**
 * The server's end of the connection to a supervisor. The supervisor says that it is ready, carries out a run, and says
 * again that it is ready or goes away. Closing the connection makes it end the run and itself.
 */
export class RunConnection {
  readonly #stream: Duplex;
  readonly #parser = new FrameParser();
  #ready: Deferred<Ready> = deferred();
  #run: RunUnderWay | undefined;
  /** Whether the supervisor has said something since the run was asked for. */
  #hasHeard = false;
  #trouble: string | undefined;
  #isClosed = false;
  readonly #closedPromise = deferred<void>();

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#ready.promise.catch(() => {}); // whoever needs it awaits it
    stream.on("data", (piece: Buffer) => this.#receive(piece));
    stream.on("error", (error) => {
      this.#trouble = systemCode(error); // and "close" follows
    });
    stream.on("end", () => this.#closed());
    stream.on("close", () => this.#closed());
  }

  /** Settles when the next run can begin; rejects with {@link NotStartedError} if the connection ends before. */
  get ready(): Promise<Ready> {
    return this.#ready.promise;
  }

  /** Settles when the connection has ended. */
  get closed(): Promise<void> {
    return this.#closedPromise.promise;
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  close(): void {
    this.#stream.destroy();
    this.#closed();
  }

  /** Carries out a run. Rejects with {@link NotStartedError} if it never began. */
  async run(task: Task, limits: WorkerLimits, events: RunEvents): Promise<RunEnd> {
    const supervisor = supervisorOf(await this.ready, task.environment.python);
    if (events.signal.aborted) return { how: "cancelled", ...supervisor };
    if (this.#isClosed)
      throw new NotStartedError("the connection ended before the run was asked for");
    const run = new RunUnderWay(supervisor, events);
    this.#run = run;
    this.#hasHeard = false;
    this.#ready = deferred();
    this.#ready.promise.catch(() => {});
    const onAbort = (): void => {
      run.finish({ how: "cancelled", ...supervisor });
      this.close();
    };
    const onSilence = (): void => {
      const reason = "the process that watches the run does not answer";
      run.finish({ how: "failed", ...supervisor, reason });
      this.close();
    };
    const silenceMs = Math.min(task.timeout * 1000 + SUPERVISOR_GRACE_MS, MAX_TIMER_MS);
    const watchdog = setTimeout(onSilence, silenceMs);
    events.signal.addEventListener("abort", onAbort);
    try {
      this.#stream.write(encodeRequest(task, limits));
      return await run.end;
    } finally {
      clearTimeout(watchdog);
      events.signal.removeEventListener("abort", onAbort);
      this.#run = undefined;
    }
  }

  #receive(piece: Buffer): void {
    if (this.#run !== undefined) this.#hasHeard = true;
    try {
      for (const frame of this.#parser.push(piece)) {
        if (frame.kind === FrameKind.ready) this.#ready.resolve(readReady(frame.payload));
        else this.#run?.take(frame);
      }
    } catch (error) {
      if (!(error instanceof BrokenFrameError)) throw error;
      this.close(); // and the run ends as one whose supervisor is lost
    }
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closedPromise.resolve();
    this.#ready.reject(new NotStartedError("the process ended before it was ready"));
    // unix(7) does not say so, but Linux does it: closing a socket with unread data resets the connection
    this.#run?.lost(this.#hasHeard || !UNREAD.has(this.#trouble));
  }
}

/** What is known of a run while it goes on. */
class RunUnderWay {
  readonly end: Promise<RunEnd>;
  readonly #supervisor: Supervisor;
  readonly #events: RunEvents;
  readonly #end = deferred<RunEnd>();
  #isOver = false;

  constructor(supervisor: Supervisor, events: RunEvents) {
    this.#supervisor = supervisor;
    this.#events = events;
    this.end = this.#end.promise;
  }

  take(frame: Frame): void {
    if (this.#isOver) return;
    if (takeOutput(frame, this.#events)) return;
    if (frame.kind !== FrameKind.ended)
      throw new BrokenFrameError(`a frame of unknown kind ${JSON.stringify(frame.kind)}`);
    this.finish(readEnd(decodeFields(frame.payload), this.#supervisor));
  }

  finish(end: RunEnd): void {
    this.#isOver = true;
    this.#end.resolve(end);
  }

  /** @param wasRead whether the supervisor had taken the request when the connection ended */
  lost(wasRead: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (wasRead) {
      const reason = "the process that watches the run ended";
      this.#end.resolve({ how: "failed", ...this.#supervisor, reason });
    } else {
      this.#end.reject(new NotStartedError("the connection ended before the run began"));
    }
  }
}

function encodeRequest(task: Task, limits: WorkerLimits): Buffer {
  return encodeFields(FrameKind.run, requestFields(task, limits));
}
