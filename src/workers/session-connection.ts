import type { Duplex } from "node:stream";
import { deferred } from "../deferred.ts";
import { MAX_TIMER_MS, NotStartedError } from "./run-connection.ts";
import {
  readEnd,
  readReady,
  requestFields,
  supervisorOf,
  takeOutput,
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
import type {
  RunEnd,
  RunEvents,
  SessionFacts,
  SessionHost,
  SessionRunEnd,
  SessionTask,
  Unforkable,
  WorkerLimits,
} from "./worker.ts";

/** A host gives code two seconds to settle after a deadline or a cancel; one that says nothing for longer has lost it. */
const GRACE_MS = 17_000;
/** How long what runs no code of the caller may take (seconds). */
const ANSWER_SECONDS = 10;
const TASK_ID_BYTES = 4;
const NO_EVENTS: RunEvents = {
  signal: new AbortController().signal,
  onOutput: () => {},
  onSkipped: () => {},
  onShown: () => {},
};

/** What a connection to a host is made with. */
export interface SessionConnectionOptions {
  /** What was started, for a host that says nothing of its executable. */
  python: string;
  limits: WorkerLimits;
  /** Whether the other end is a host from the beginning, and not a place for runs that has to be made one. */
  isHost?: boolean;
  /** Told what code in a session has imported. */
  learn?: (code: string, imports: readonly string[]) => void;
}

type Fields = Map<string, Buffer>;
type Operation = "cell" | "copy" | "fork" | "variables";

/** What a host was asked for and has not answered yet. */
interface Pending {
  process: number;
  operation: Operation;
  events: RunEvents;
  /** Takes the fields of its end; undefined if the host is lost. */
  resolve: (end: Fields | undefined) => void;
}

/**
 * The server's end of the connection to a host of sessions. Closing it ends all of them; if it is lost, they are.
 */
export class SessionConnection implements SessionHost {
  /** Settles when the first session can be used; rejects with {@link NotStartedError} if the connection ends before. */
  readonly ready: Promise<void>;
  /** Settles when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #stream: Duplex;
  readonly #options: SessionConnectionOptions;
  readonly #parser = new FrameParser();
  readonly #ready = deferred<void>();
  readonly #closed = deferred<void>();
  readonly #pending = new Map<number, Pending>();
  /** Told of the end of processes, by number. */
  readonly #listeners = new Map<number, (end: RunEnd) => void>();
  #supervisor: Supervisor;
  #lastId = 0;
  #isClosed = false;

  /** @param stream a connection to a host, or to a place for runs: when that is ready, it is made one */
  constructor(stream: Duplex, options: SessionConnectionOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#supervisor = { executable: options.python };
    this.ready = this.#ready.promise;
    this.closed = this.#closed.promise;
    this.ready.catch(() => {}); // whoever needs it awaits it
    stream.on("data", (piece: Buffer) => this.#receive(piece));
    stream.on("error", () => {}); // "close" follows
    stream.on("end", () => this.close());
    stream.on("close", () => this.close());
  }

  async runCell(process: number, task: SessionTask, events: RunEvents): Promise<SessionRunEnd> {
    const end = await this.#run(process, "cell", task, events);
    if (end.isLost) this.#listeners.delete(process);
    return end;
  }

  async runCopy(
    process: number,
    task: SessionTask,
    events: RunEvents,
  ): Promise<SessionRunEnd | Unforkable> {
    return this.#unlessRefused((onRefused) => this.#run(process, "copy", task, events, onRefused));
  }

  async fork(process: number, as: number): Promise<SessionRunEnd | Unforkable> {
    const nothing = { code: "", cwd: "", timeout: ANSWER_SECONDS, as };
    const fork = await this.#unlessRefused((onRefused) =>
      this.#run(process, "fork", nothing, NO_EVENTS, onRefused),
    );
    const isLate = "end" in fork && fork.end.how === "timeout";
    return isLate ? { refused: `it was not done within ${ANSWER_SECONDS} s` } : fork;
  }

  async describe(process: number): Promise<SessionFacts | undefined> {
    const nothing = { code: "", cwd: "", timeout: ANSWER_SECONDS };
    const fields = await this.#ask(process, "variables", nothing, NO_EVENTS);
    if (fields?.has("lost") === true) this.#tellEnd(process, fields);
    const variables = fields?.get("variables")?.toString();
    if (fields === undefined || variables === undefined) return undefined;
    return { variables, memory: Number(fields.get("memory")?.toString() ?? 0) };
  }

  interrupt(process: number): boolean {
    for (const [id, pending] of this.#pending) {
      if (pending.process !== process || pending.operation !== "cell") continue;
      this.#send(FrameKind.interrupt, { id });
      return true;
    }
    return false;
  }

  closeProcess(process: number): void {
    this.#listeners.delete(process);
    this.#send(FrameKind.close, { process });
  }

  onEnd(process: number, listener: (end: RunEnd) => void): void {
    if (this.#isClosed) listener(this.#lostEnd());
    else this.#listeners.set(process, listener);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.destroy();
    this.#ready.reject(new NotStartedError("the process ended before it was ready"));
    for (const { resolve } of this.#pending.values()) resolve(undefined);
    this.#pending.clear();
    for (const listener of this.#listeners.values()) listener(this.#lostEnd());
    this.#listeners.clear();
    this.#closed.resolve();
  }

  async #run(
    process: number,
    operation: Operation,
    task: SessionTask & { as?: number },
    events: RunEvents,
    onRefused?: (reason: string) => void,
  ): Promise<SessionRunEnd> {
    if (events.signal.aborted) {
      const end: RunEnd = { how: "cancelled", ...this.#supervisor };
      return { end, names: undefined, isSettled: true, isLost: false };
    }
    const fields = await this.#ask(process, operation, task, events);
    try {
      if (fields !== undefined) return this.#readRunEnd(fields, task.code, onRefused);
    } catch (error) {
      if (!(error instanceof BrokenFrameError)) throw error;
      this.close();
    }
    return { end: this.#lostEnd(), names: undefined, isSettled: false, isLost: true };
  }

  #readRunEnd(fields: Fields, code: string, onRefused?: (reason: string) => void): SessionRunEnd {
    const refused = fields.get("refused")?.toString();
    if (refused !== undefined && refused !== "") onRefused?.(refused);
    const end = readEnd(fields, this.#supervisor);
    if (end.how === "exit") this.#options.learn?.(code, end.imports);
    return {
      end,
      names: fields.get("names")?.toString().split("\n").filter(Boolean),
      isSettled: fields.has("settled"),
      isLost: fields.has("lost"),
    };
  }

  async #unlessRefused(
    run: (onRefused: (reason: string) => void) => Promise<SessionRunEnd>,
  ): Promise<SessionRunEnd | Unforkable> {
    let refused: string | undefined;
    const end = await run((reason) => {
      refused = reason;
    });
    return refused === undefined ? end : { refused };
  }

  /** Asks for something; settles with the fields of its end, or with undefined if the host is lost. */
  async #ask(
    process: number,
    operation: Operation,
    { as, ...task }: SessionTask & { as?: number },
    events: RunEvents,
  ): Promise<Fields | undefined> {
    if (this.#isClosed) return undefined;
    const id = (this.#lastId += 1);
    const ended = deferred<Fields | undefined>();
    this.#pending.set(id, { process, operation, events, resolve: ended.resolve });
    const giveUpAfter = (milliseconds: number): NodeJS.Timeout =>
      setTimeout(() => this.close(), Math.min(milliseconds, MAX_TIMER_MS));
    let watchdog = giveUpAfter(task.timeout * 1000 + GRACE_MS);
    const onAbort = (): void => {
      this.#send(FrameKind.cancel, { id });
      clearTimeout(watchdog);
      watchdog = giveUpAfter(GRACE_MS);
    };
    events.signal.addEventListener("abort", onAbort);
    try {
      this.#send(FrameKind.task, {
        id,
        process,
        op: operation,
        json_bytes: 0,
        ...requestFields(task, this.#options.limits),
        ...(as === undefined ? {} : { as }),
      });
      return await ended.promise;
    } finally {
      clearTimeout(watchdog);
      events.signal.removeEventListener("abort", onAbort);
      this.#pending.delete(id);
    }
  }

  #send(kind: string, fields: Record<string, string | number | Buffer>): void {
    if (!this.#isClosed) this.#stream.write(encodeFields(kind, fields));
  }

  #receive(piece: Buffer): void {
    try {
      for (const frame of this.#parser.push(piece)) this.#take(frame);
    } catch (error) {
      if (!(error instanceof BrokenFrameError)) throw error;
      this.close();
    }
  }

  #take({ kind, payload }: Frame): void {
    switch (kind) {
      case FrameKind.ready:
        this.#supervisor = supervisorOf(readReady(payload), this.#options.python);
        if (this.#options.isHost !== true) this.#send(FrameKind.session, {});
        this.#ready.resolve();
        break;
      case FrameKind.multiplexed:
        this.#takeOfTask(payload);
        break;
      case FrameKind.died: {
        const fields = decodeFields(payload);
        this.#tellEnd(Number(fields.get("process")?.toString()), fields);
        break;
      }
      default:
        throw new BrokenFrameError(`a frame of unknown kind ${JSON.stringify(kind)}`);
    }
  }

  #tellEnd(process: number, fields: Fields): void {
    const listener = this.#listeners.get(process);
    this.#listeners.delete(process);
    listener?.(readEnd(fields, this.#supervisor));
  }

  #takeOfTask(payload: Buffer): void {
    if (payload.length <= TASK_ID_BYTES) throw new BrokenFrameError("a frame of no task");
    const pending = this.#pending.get(payload.readUInt32BE(0));
    if (pending === undefined) return; // it is over for us
    const kind = payload.toString("latin1", TASK_ID_BYTES, TASK_ID_BYTES + 1);
    const frame = { kind, payload: payload.subarray(TASK_ID_BYTES + 1) };
    if (takeOutput(frame, pending.events)) return;
    if (kind !== FrameKind.ended)
      throw new BrokenFrameError(`a frame of unknown kind ${JSON.stringify(kind)}`);
    pending.resolve(decodeFields(frame.payload));
  }

  #lostEnd(): RunEnd {
    const reason = "the process that watches the session ended";
    return { how: "failed", ...this.#supervisor, reason };
  }
}
