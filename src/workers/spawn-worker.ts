import { PyExecutorError } from "../errors.ts";
import { EnvironmentCache } from "./environment-cache.ts";
import { startInterpreter, unusable, type InterpreterProcess } from "./interpreter-process.ts";
import { NotStartedError, RunConnection } from "./run-connection.ts";
import { SessionConnection } from "./session-connection.ts";
import type {
  Environment,
  RunEnd,
  RunEvents,
  SessionHost,
  Task,
  Worker,
  WorkerOptions,
} from "./worker.ts";

/** Interpreters kept waiting for each environment. More would only cost memory: one starts in 10 ms or so. */
const READY_AHEAD = 2;
/** How long interpreters wait that no run needs. */
const IDLE_MS = 5 * 60_000;
/** How often a run that had not begun is tried with another interpreter. */
const MAX_TRIES = 3;

/** An interpreter that serves one run. */
interface Waiting {
  process: InterpreterProcess;
  connection: RunConnection;
}

/** Runs each snippet in a fresh interpreter, a few of which are started ahead. */
export function createSpawnWorker(options: WorkerOptions): Worker {
  return new SpawnWorker(options);
}

class SpawnWorker implements Worker {
  readonly #options: WorkerOptions;
  /** Interpreters that wait for runs in each environment. */
  readonly #shelves = new EnvironmentCache<Waiting[]>({
    idleMs: IDLE_MS,
    make: () => [],
    isCurrent: () => true,
    end: (shelf) => {
      for (const { connection } of shelf) connection.close();
    },
  });
  readonly #all = new Set<{ process: InterpreterProcess; connection: { close(): void } }>();
  #isClosed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  async run(task: Task, events: RunEvents): Promise<RunEnd> {
    let trouble: unknown;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const interpreter = this.#take(task.environment);
      try {
        return await interpreter.connection.run(task, this.#options.limits, events);
      } catch (error) {
        if (!(error instanceof NotStartedError)) throw error;
        await interpreter.process.ended;
        trouble = interpreter.process.trouble() ?? error.message;
      } finally {
        interpreter.connection.close(); // it has served its one run, or never will
        this.#refill(task.environment);
      }
      if (events.signal.aborted) return { how: "cancelled", executable: task.environment.python };
    }
    throw unusable(task.environment, String(trouble));
  }

  async openSession(
    environment: Environment,
    _code: string,
    signal: AbortSignal,
  ): Promise<SessionHost> {
    if (this.#isClosed) throw new PyExecutorError("closed", "The executor has been closed.");
    const { places, limits } = this.#options;
    const process = startInterpreter("once", places, environment);
    const connection = new SessionConnection(process.stream, {
      python: environment.python,
      limits,
    });
    this.#keep({ process, connection }, environment);
    const onAbort = (): void => connection.close();
    signal.addEventListener("abort", onAbort);
    try {
      await connection.ready;
      signal.throwIfAborted();
      return connection;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NotStartedError)) throw error;
      await process.ended;
      throw unusable(environment, process.trouble() ?? error.message);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  warm(environment: Environment): void {
    this.#refill(environment);
  }

  forget(environment: Environment): void {
    this.#shelves.drop(environment);
  }

  async describe(environment: Environment): Promise<ReadonlyMap<string, string>> {
    const { connection, process } = this.#take(environment);
    try {
      return await connection.ready;
    } catch (error) {
      await process.ended;
      throw unusable(environment, process.trouble() ?? String(error));
    } finally {
      connection.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#shelves.clear();
    for (const { connection } of this.#all) connection.close();
    await Promise.all([...this.#all].map(({ process }) => process.ended));
  }

  #take(environment: Environment): Waiting {
    if (this.#isClosed) throw new PyExecutorError("closed", "The executor has been closed.");
    const shelf = this.#shelves.use(environment);
    for (let next = shelf.shift(); next !== undefined; next = shelf.shift()) {
      if (next.connection.isOpen) return next;
    }
    return this.#start(environment);
  }

  #refill(environment: Environment): void {
    if (this.#isClosed) return;
    const shelf = this.#shelves.use(environment);
    // one that ended while it waited would end again: it is started when it is needed, and then its trouble is told
    if (shelf.some(({ connection }) => !connection.isOpen)) return;
    while (shelf.length < READY_AHEAD) shelf.push(this.#start(environment));
  }

  #start(environment: Environment): Waiting {
    const process = startInterpreter("once", this.#options.places, environment);
    const waiting = { process, connection: new RunConnection(process.stream) };
    this.#keep(waiting, environment);
    return waiting;
  }

  /** Keeps what was started until its process has ended. */
  #keep(
    started: { process: InterpreterProcess; connection: { close(): void } },
    environment: Environment,
  ): void {
    const { process } = started;
    this.#all.add(started);
    void process.ended.then(() => {
      this.#all.delete(started);
      const trouble = process.trouble();
      const { python } = environment;
      if (trouble !== undefined) this.#options.log.debug({ python, trouble }, "interpreter ended");
    });
  }
}
