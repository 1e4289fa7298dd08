import { deferred } from "../deferred.ts";
import { PyExecutorError } from "../errors.ts";
import { EnvironmentCache } from "./environment-cache.ts";
import { cacheFolder, ImportMemory } from "./import-memory.ts";
import { unusable } from "./interpreter-process.ts";
import { NotStartedError } from "./run-connection.ts";
import type { Template } from "./template.ts";
import type {
  Environment,
  RunEnd,
  RunEvents,
  SessionHost,
  Task,
  Worker,
  WorkerOptions,
} from "./worker.ts";
import { Zygote } from "./zygote.ts";

/** How long a tree of templates is kept that no run needs. */
const IDLE_MS = 10 * 60_000;
/** How often a run that had not begun is tried here before the other worker gets it. */
const MAX_TRIES = 3;
/** Trees that may fail in a row before the other worker gets all runs, for a while. */
const MAX_FAILURES = 6;
const RETRY_MS = 60_000;

export interface ForkWorkerOptions extends WorkerOptions {
  maxSlots: number;
  preload: readonly string[];
  workspace: string;
  /** Runs what can't be forked. */
  fallback: Worker;
}

/** Runs each snippet in a fork of a warm interpreter; where that isn't possible, the fallback runs it. */
export function createForkWorker(options: ForkWorkerOptions): Worker {
  return new ForkWorker(options);
}

class ForkWorker implements Worker {
  readonly #options: ForkWorkerOptions;
  readonly #warm: EnvironmentCache<Zygote>;
  /** Zygotes whose process may still be there. */
  readonly #zygotes = new Set<Zygote>();
  readonly #failed = new WeakSet<Zygote>();
  /** How often in a row a tree of each environment ended before it could begin. */
  readonly #failures = new Map<string, number>();
  /** Environments in which nothing can be forked, and until when that is believed (performance.now()). */
  readonly #unforkable = new Map<string, number>();
  #isClosed = false;

  constructor(options: ForkWorkerOptions) {
    this.#options = options;
    this.#warm = new EnvironmentCache<Zygote>({
      idleMs: IDLE_MS,
      make: (environment) => this.#start(environment),
      isCurrent: (zygote) => zygote.isCurrent,
      end: (zygote) => this.#end(zygote),
    });
  }

  async run(task: Task, events: RunEvents): Promise<RunEnd> {
    if (this.#isClosed) throw new PyExecutorError("closed", "The executor has been closed.");
    const key = this.#warm.keyOf(task.environment);
    for (let tries = 0; tries < MAX_TRIES && this.#mayFork(key); tries += 1) {
      try {
        const end = await this.#fork(key, task, events);
        if (end !== undefined) return end;
      } catch (error) {
        if (!(error instanceof NotStartedError) && !events.signal.aborted) throw error;
      }
      if (events.signal.aborted) return { how: "cancelled", executable: task.environment.python };
    }
    return this.#options.fallback.run(task, events);
  }

  async openSession(
    environment: Environment,
    code: string,
    signal: AbortSignal,
  ): Promise<SessionHost> {
    if (this.#isClosed) throw new PyExecutorError("closed", "The executor has been closed.");
    const key = this.#warm.keyOf(environment);
    for (let tries = 0; tries < MAX_TRIES && this.#mayFork(key); tries += 1) {
      try {
        const found = await this.#templateFor(key, environment, code, signal);
        if (found === undefined) break;
        return await this.#openDedicated(found, environment, signal);
      } catch (error) {
        if (!(error instanceof NotStartedError)) throw error;
      }
      signal.throwIfAborted();
    }
    return this.#options.fallback.openSession(environment, code, signal);
  }

  warm(environment: Environment): void {
    if (!this.#isClosed) this.#warm.use(environment);
  }

  forget(environment: Environment): void {
    this.#warm.drop(environment);
    this.#options.fallback.forget(environment);
  }

  async describe(environment: Environment): Promise<ReadonlyMap<string, string>> {
    const zygote = this.#warm.use(environment);
    try {
      return await zygote.ready;
    } catch (error) {
      await zygote.process.ended;
      throw unusable(environment, zygote.process.trouble() ?? String(error));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#warm.clear();
    for (const zygote of this.#zygotes) zygote.close();
    await Promise.all([
      ...[...this.#zygotes].map((zygote) => zygote.process.ended),
      this.#options.fallback.close(),
    ]);
  }

  /** Runs a task in a fork; undefined if nothing can be forked in its environment. */
  async #fork(key: string, task: Task, events: RunEvents): Promise<RunEnd | undefined> {
    const { signal } = events;
    const found = await this.#templateFor(key, task.environment, task.code, signal);
    if (found === undefined) return undefined;
    const { zygote, template } = found;
    const acquired = template.slots.acquire();
    const slot = await unlessAborted(acquired, signal).catch((error: unknown) => {
      acquired.then((late) => template.slots.release(late)).catch(() => {});
      throw error;
    });
    try {
      const end = await slot.run(task, this.#options.limits, events);
      if (end.how === "exit") zygote.learn(task.code, end.imports);
      return end;
    } finally {
      template.slots.release(slot);
    }
  }

  async #openDedicated(
    { zygote, template }: { zygote: Zygote; template: Template },
    { python }: Environment,
    signal: AbortSignal,
  ): Promise<SessionHost> {
    const { limits } = this.#options;
    const learn = zygote.learn.bind(zygote);
    const opened = template.slots.openDedicated({ python, limits, learn });
    return unlessAborted(opened, signal).catch((error: unknown) => {
      opened.then((late) => late.close()).catch(() => {});
      throw error;
    });
  }

  /** Where to fork code in an environment from; undefined if nothing can be forked there. */
  async #templateFor(
    key: string,
    environment: Environment,
    code: string,
    signal: AbortSignal,
  ): Promise<{ zygote: Zygote; template: Template } | undefined> {
    const zygote = this.#warm.use(environment);
    const reason = await unlessAborted(zygote.whyUnforkable(), signal).catch((error: unknown) => {
      if (error instanceof NotStartedError) this.#noteFailure(key, environment, zygote);
      throw error;
    });
    this.#failures.delete(key);
    if (reason === undefined) return { zygote, template: await zygote.templateFor(code) };
    this.#giveUp(key, environment, reason);
    return undefined;
  }

  #start(environment: Environment): Zygote {
    const { workspace } = this.#options;
    const memory = new ImportMemory(
      `${environment.python}\n${workspace}`,
      cacheFolder(process.env),
    );
    const zygote = new Zygote(environment, this.#options, memory);
    this.#zygotes.add(zygote);
    void zygote.process.ended.then(() => this.#zygotes.delete(zygote));
    return zygote;
  }

  /** Ends a zygote when the runs that go on in it are over. */
  #end(zygote: Zygote): void {
    if (!zygote.isBusy || this.#isClosed) zygote.close();
    else setTimeout(() => this.#end(zygote), 100).unref();
  }

  #mayFork(key: string): boolean {
    return !this.#isClosed && performance.now() >= (this.#unforkable.get(key) ?? 0);
  }

  /** A tree that ends before it can begin, again and again, is not tried for each run. */
  #noteFailure(key: string, environment: Environment, zygote: Zygote): void {
    if (this.#failed.has(zygote)) return; // each of the runs that waited for it comes here
    this.#failed.add(zygote);
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (failures < MAX_FAILURES) return;
    this.#failures.delete(key);
    const reason = zygote.process.trouble() ?? "its first process ended again and again";
    this.#giveUp(key, environment, reason, performance.now() + RETRY_MS);
  }

  #giveUp(key: string, environment: Environment, reason: string, until = Infinity): void {
    if (!this.#mayFork(key)) return;
    this.#unforkable.set(key, until);
    this.#warm.drop(environment);
    const { log } = this.#options;
    log.warn(
      { python: environment.python, reason },
      "runs can't be forked here: each starts an interpreter of its own",
    );
  }
}

/** Stops waiting when the signal aborts; rejects with its reason then. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = deferred<never>();
  aborted.promise.catch(() => {});
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
