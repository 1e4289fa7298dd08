import { PyExecutorError } from "../errors.ts";
import { startInterpreter, type InterpreterProcess } from "./interpreter-process.ts";
import { NotStartedError, RunConnection } from "./run-connection.ts";
import type { Environment, RunEnd, RunEvents, Task, Worker, WorkerOptions } from "./worker.ts";

/** Interpreters kept waiting for each environment. More would only cost memory: one starts in 10 ms or so. */
const READY_AHEAD = 2;
/** Environments that interpreters are kept for; the one that was not used for longest goes first. */
const MAX_ENVIRONMENTS = 4;
const IDLE_MS = 5 * 60_000;
/** How often a run that had not begun is tried with another interpreter. */
const MAX_TRIES = 3;

/** An interpreter that serves one run. */
interface Waiting {
  process: InterpreterProcess;
  connection: RunConnection;
}

/** Interpreters that wait for runs in one environment. */
interface Shelf {
  environment: Environment;
  waiting: Waiting[];
  idleTimer: NodeJS.Timeout | undefined;
}

/** Runs each snippet in a fresh interpreter, a few of which are started ahead. */
export function createSpawnWorker(options: WorkerOptions): Worker {
  return new SpawnWorker(options);
}

class SpawnWorker implements Worker {
  readonly #options: WorkerOptions;
  /** By environment, the one used last at the end. */
  readonly #shelves = new Map<string, Shelf>();
  readonly #all = new Set<Waiting>();
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
    for (const { connection } of this.#all) connection.close();
    await Promise.all([...this.#all].map(({ process }) => process.ended));
  }

  #take(environment: Environment): Waiting {
    if (this.#isClosed) throw new PyExecutorError("closed", "The executor has been closed.");
    const { waiting } = this.#shelf(environment);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next.connection.isOpen) return next;
    }
    return this.#start(environment);
  }

  #refill(environment: Environment): void {
    if (this.#isClosed) return;
    const shelf = this.#shelf(environment);
    // one that ended while it waited would end again: it is started when it is needed, and then its trouble is told
    if (shelf.waiting.some(({ connection }) => !connection.isOpen)) return;
    while (shelf.waiting.length < READY_AHEAD) shelf.waiting.push(this.#start(environment));
  }

  #start(environment: Environment): Waiting {
    const { places, log } = this.#options;
    const process = startInterpreter("once", places, environment);
    const waiting = { process, connection: new RunConnection(process.stream) };
    this.#all.add(waiting);
    void process.ended.then(() => {
      this.#all.delete(waiting);
      const trouble = process.trouble();
      if (trouble !== undefined)
        log.debug({ python: environment.python, trouble }, "interpreter ended");
    });
    return waiting;
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
