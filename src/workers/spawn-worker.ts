import { PyExecutorError } from "../errors.ts";
import type { Logger } from "../observability/log.ts";
import { startInterpreter, type InterpreterProcess } from "./interpreter-process.ts";
import { NotStartedError } from "./run-connection.ts";
import type { Environment, RunEnd, RunEvents, Task, Worker, WorkerLimits } from "./worker.ts";

/** Interpreters kept waiting for each environment. More would only cost memory: one starts in 10 ms or so. */
const READY_AHEAD = 2;
/** Environments that interpreters are kept for; the one that was not used for longest goes first. */
const MAX_ENVIRONMENTS = 4;
const IDLE_MS = 5 * 60_000;
/** How often a run that had not begun is tried with another interpreter. */
const MAX_TRIES = 3;

export interface SpawnWorkerOptions {
  /** Path of `boot.py`. */
  boot: string;
  /** The server's private folder. */
  root: string;
  limits: WorkerLimits;
  log: Logger;
}

/** Interpreters that wait for runs in one environment. */
interface Shelf {
  environment: Environment;
  waiting: InterpreterProcess[];
  idleTimer: NodeJS.Timeout | undefined;
}

/** Runs each snippet in a fresh interpreter, a few of which are started ahead. */
export function createSpawnWorker(options: SpawnWorkerOptions): Worker {
  return new SpawnWorker(options);
}

class SpawnWorker implements Worker {
  readonly #options: SpawnWorkerOptions;
  /** By environment, the one used last at the end. */
  readonly #shelves = new Map<string, Shelf>();
  readonly #processes = new Set<InterpreterProcess>();
  #isClosed = false;

  constructor(options: SpawnWorkerOptions) {
    this.#options = options;
  }

  async run(task: Task, events: RunEvents): Promise<RunEnd> {
    let trouble: unknown;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const interpreter = this.#take(task.environment);
      try {
        // oxlint-disable-next-line no-await-in-loop -- each try is a reaction to the failure of the one before
        return await interpreter.connection.run(task, this.#options.limits, events);
      } catch (error) {
        if (!(error instanceof NotStartedError)) throw error;
        // oxlint-disable-next-line no-await-in-loop
        await interpreter.ended;
        trouble = interpreter.trouble() ?? error.message;
      } finally {
        this.#refill(task.environment);
      }
      if (events.signal.aborted) return { how: "cancelled", executable: task.environment.python };
    }
    throw new PyExecutorError(
      "interpreter_unusable",
      `Python could not be started: ${task.environment.python}: ${String(trouble)}. Run \`py-executor doctor\` for a diagnosis.`,
    );
  }

  warm(environment: Environment): void {
    this.#refill(environment);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { idleTimer } of this.#shelves.values()) clearTimeout(idleTimer);
    this.#shelves.clear();
    for (const { connection } of this.#processes) connection.close();
    await Promise.all([...this.#processes].map(({ ended }) => ended));
  }

  #take(environment: Environment): InterpreterProcess {
    if (this.#isClosed) throw new PyExecutorError("closed", "The executor has been closed.");
    const { waiting } = this.#shelf(environment);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next.connection.isUsable) return next;
    }
    return this.#start(environment);
  }

  #refill(environment: Environment): void {
    if (this.#isClosed) return;
    const shelf = this.#shelf(environment);
    // one that ended while it waited would end again: it is started when it is needed, and then its trouble is told
    if (shelf.waiting.some(({ connection }) => !connection.isUsable)) return;
    while (shelf.waiting.length < READY_AHEAD) shelf.waiting.push(this.#start(environment));
  }

  #start(environment: Environment): InterpreterProcess {
    const { boot, root, log } = this.#options;
    const interpreter = startInterpreter(boot, root, environment);
    this.#processes.add(interpreter);
    void interpreter.ended.then(() => {
      this.#processes.delete(interpreter);
      const trouble = interpreter.trouble();
      if (trouble !== undefined) log.debug({ python: environment.python, trouble }, "interpreter ended");
    });
    return interpreter;
  }

  #shelf(environment: Environment): Shelf {
    const key = JSON.stringify(environment);
    const shelf = this.#shelves.get(key) ?? { environment, waiting: [], idleTimer: undefined };
    this.#shelves.delete(key);
    this.#shelves.set(key, shelf);
    clearTimeout(shelf.idleTimer);
    shelf.idleTimer = setTimeout(() => this.#clear(key), IDLE_MS).unref();
    const [oldest] = this.#shelves.keys();
    if (this.#shelves.size > MAX_ENVIRONMENTS && oldest !== undefined) this.#clear(oldest);
    return shelf;
  }

  #clear(key: string): void {
    const shelf = this.#shelves.get(key);
    clearTimeout(shelf?.idleTimer);
    this.#shelves.delete(key);
    for (const { connection } of shelf?.waiting ?? []) connection.close();
  }
}
