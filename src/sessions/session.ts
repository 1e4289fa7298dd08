import { PyExecutorError } from "../errors.ts";
import type { RunResult, SessionInfo, SessionUse } from "../execution.ts";
import type {
  Environment,
  RunEnd,
  RunEvents,
  SessionRunEnd,
  SessionTask,
} from "../workers/worker.ts";
import { lostError, reasonOf, type Ending } from "./ends.ts";
import { History } from "./history.ts";
import type { Home } from "./home.ts";
import { Turns, type EndTurn, type TurnKind } from "./turns.ts";
import { readVariables } from "./variables.ts";

/** Calls that may wait for one session. */
const MAX_WAITING = 100;

interface SessionOptions {
  /** After so long without use it ends. */
  idleMs: number;
  /** Called once, when it has ended for whatever reason. */
  onEnd: (ending: Ending) => void;
}

/** What is forked, and continues in the copy. */
interface Inheritance {
  names: readonly string[];
  history: History;
  runCount: number;
}

/** A process that lives on from cell to cell, as its client sees it. It has no process before its first cell. */
export class Session {
  readonly id: string;
  readonly #options: SessionOptions;
  readonly #turns: Turns;
  readonly #createdAt = Date.now();
  #usedAt = Date.now();
  #history = new History();
  #names: readonly string[] = [];
  #runCount = 0;
  #home: Home | undefined;
  #process = -1;
  #isNew = true;
  #isRunning = false;
  /** Whether the last cell was interrupted from outside, and has settled. */
  #hasSettled = false;
  #isClosed = false;
  #ending: Ending | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(id: string, options: SessionOptions) {
    this.id = id;
    this.#options = options;
    this.#turns = new Turns(MAX_WAITING, () => this.#rest());
  }

  /** Whether it has a process, or had one. */
  get hasBegun(): boolean {
    return this.#home !== undefined;
  }

  /** Whether nobody has a turn in it, nor waits for one. */
  get isFree(): boolean {
    return this.#turns.isFree;
  }

  get history(): History {
    return this.#history;
  }

  get environment(): Environment | undefined {
    return this.#home?.environment;
  }

  /** The packages that it was made with. */
  get packages(): readonly string[] {
    return this.#home?.packages ?? [];
  }

  /** Whether a turn of this kind could be had at once. */
  isReady(kind: TurnKind): boolean {
    return this.#turns.isReady(kind);
  }

  /**
   * Waits for a turn: code that changes the session needs it alone; copies share it. Throws `busy` if too many wait,
   * `session_lost` if the session ends, and the signal's reason if that aborts first.
   */
  async take(kind: TurnKind, signal: AbortSignal): Promise<EndTurn> {
    if (!this.#turns.hasRoom) {
      throw new PyExecutorError(
        "busy",
        `The session ${JSON.stringify(this.id)} is busy: ${MAX_WAITING} calls wait for it, which is the most. Nothing ` +
          "was run; try again in a moment.",
        { argument: "session" },
      );
    }
    const endTurn = await this.#turns.take(kind, signal);
    clearTimeout(this.#idleTimer);
    return () => {
      this.#usedAt = Date.now();
      endTurn();
    };
  }

  /**
   * Gives it its process; what it has inherited, if that was forked from another's. Throws `session_lost` if it was
   * closed meanwhile.
   */
  begin(home: Home, process: number, inherited?: Inheritance): void {
    if (this.#ending !== undefined) {
      home.leave(process);
      throw lostError(this.id, this.#ending);
    }
    this.#home = home;
    this.#process = process;
    if (inherited !== undefined) {
      this.#isNew = false;
      this.#names = inherited.names;
      this.#history = inherited.history;
      this.#runCount = inherited.runCount;
    }
    home.host.onEnd(process, (end) => this.#end(reasonOf(end)));
  }

  /** Runs code in it. Needs a turn alone. */
  async runCell(task: SessionTask, events: RunEvents): Promise<RunEnd> {
    const { host } = this.#getHome();
    if (this.#ending !== undefined) throw lostError(this.id, this.#ending);
    this.#isRunning = true;
    if (task.code.trim() !== "") this.#runCount += 1; // nothing but white space only begins the session
    this.#hasSettled = false;
    let run: SessionRunEnd;
    try {
      run = await host.runCell(this.#process, task, events);
    } finally {
      this.#isRunning = false;
    }
    if (run.isLost) this.#end(reasonOf(run.end, task.timeout));
    else if (run.names !== undefined) this.#names = run.names;
    this.#hasSettled = run.isSettled;
    return this.#asSeen(run.end, events);
  }

  /** Runs code in a copy of it. Needs a turn. Throws `session_unforkable`. */
  async runCopy(task: SessionTask, events: RunEvents): Promise<RunEnd> {
    const { host } = this.#getHome();
    if (this.#ending !== undefined) throw lostError(this.id, this.#ending);
    const run = await host.runCopy(this.#process, task, events);
    if ("refused" in run) throw this.#unforkable(run.refused);
    return this.#asSeen(run.end, events);
  }

  /** Makes another one a copy of it. Needs a turn. Throws `session_unforkable`, and `session_lost` if it has ended. */
  async forkInto(other: Session): Promise<void> {
    const home = this.#getHome();
    const number = home.enter();
    let endedEarly: RunEnd | undefined; // before the copy could listen itself
    home.host.onEnd(number, (end) => {
      endedEarly = end;
    });
    try {
      const fork = await home.host.fork(this.#process, number);
      if ("refused" in fork) throw this.#unforkable(fork.refused);
      if (fork.isLost) this.#end(reasonOf(fork.end));
      if (fork.end.how !== "exit" || fork.end.exitCode !== 0) {
        throw this.#ending === undefined
          ? this.#unforkable(reasonOf(fork.end))
          : lostError(this.id, this.#ending);
      }
    } catch (error) {
      home.leave(number);
      throw error;
    }
    const history = this.#history.copy();
    other.begin(home, number, { names: this.#names, history, runCount: this.#runCount });
    if (endedEarly !== undefined) other.#end(reasonOf(endedEarly));
  }

  /** Notes what came of a cell; returns what is told of the session with it. */
  note(code: string, startedAt: number, result: RunResult): SessionUse {
    const { status, stdout, stderr, durationMs } = result;
    const outcome = { status, stdout, stderr, durationMs, result: result.result };
    if (code.trim() !== "") this.#history.add({ code, startedAt, ...outcome });
    const { id } = this;
    const state = this.#isNew ? "created" : "resumed";
    this.#isNew = false;
    if (this.#ending !== undefined) return { id, state: "lost", ...this.#ending };
    return {
      id,
      state,
      runCount: this.#runCount,
      ...(this.#hasSettled ? { isInterrupted: true } : {}),
    };
  }

  /** Interrupts the code that runs in it; returns whether there is some. */
  interrupt(): boolean {
    return this.#isRunning && this.#getHome().host.interrupt(this.#process);
  }

  /** What there is to say of it; while it is used by a cell, only what is known without asking it. */
  async describe(): Promise<SessionInfo> {
    const known = {
      id: this.id,
      ageSeconds: secondsSince(this.#createdAt),
      idleSeconds: this.isFree ? secondsSince(this.#usedAt) : 0,
      runCount: this.#runCount,
    };
    if (this.#home === undefined) return { ...known, state: "starting", names: [] };
    const facts = this.#turns.isReady("shared") ? await this.#ask() : undefined;
    const state = this.#isRunning ? "running" : "idle";
    return { ...known, state, names: this.#names, ...facts };
  }

  /** Ends it, with all that runs in it. */
  close(reason: string): void {
    this.#isClosed = true;
    this.#end(reason);
  }

  /** What ran while the session was closed has been cancelled, and what ended with it did so for its reason. */
  #asSeen(end: RunEnd, { signal }: RunEvents): RunEnd {
    const isCancelled = this.#isClosed || (signal.aborted && end.how === "failed");
    if (isCancelled) return { how: "cancelled", executable: end.executable };
    if (end.how !== "failed" || this.#ending === undefined) return end;
    return { ...end, reason: `the session ended: ${this.#ending.reason}` };
  }

  async #ask(): Promise<Pick<SessionInfo, "memory" | "variables"> | undefined> {
    // without counting as a use: who only looks doesn't keep it alive
    const endTurn = await this.#turns.take("shared", new AbortController().signal);
    try {
      const facts = await this.#getHome().host.describe(this.#process);
      if (facts === undefined) return undefined;
      return { memory: facts.memory, variables: readVariables(facts.variables) };
    } finally {
      endTurn();
    }
  }

  #getHome(): Home {
    if (this.#home === undefined) throw new Error("the session has not begun");
    return this.#home;
  }

  #unforkable(reason: string): PyExecutorError {
    return new PyExecutorError(
      "session_unforkable",
      `The session ${JSON.stringify(this.id)} can't be forked: ${reason.replace(/\.$/, "")}. Change that in the session with run_python, or ` +
        "run the code in the session itself.",
      { argument: "session" },
    );
  }

  #rest(): void {
    clearTimeout(this.#idleTimer);
    if (this.#ending !== undefined || this.#home === undefined) return;
    const { idleMs } = this.#options;
    const reason = `it was not used for ${idleMs / 1000} s (--session-idle)`;
    const left = Math.max(0, this.#usedAt + idleMs - Date.now());
    this.#idleTimer = setTimeout(() => this.#end(reason), left).unref();
  }

  #end(reason: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = { reason, lostNames: this.#names };
    clearTimeout(this.#idleTimer);
    this.#turns.close(lostError(this.id, this.#ending));
    this.#home?.leave(this.#process);
    this.#options.onEnd(this.#ending);
  }
}

function secondsSince(time: number): number {
  return Math.round((Date.now() - time) / 1000);
}
