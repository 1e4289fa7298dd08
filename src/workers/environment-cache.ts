import type { Environment } from "./worker.ts";

/** Environments that something is kept for; the one that was not used for longest goes first. */
const MAX_ENVIRONMENTS = 4;

interface EnvironmentCacheOptions<Kept> {
  /** How long something is kept that isn't used, in milliseconds. */
  idleMs: number;
  make(environment: Environment): Kept;
  /** Whether something still is what `make` would make; what isn't is ended and made anew. */
  isCurrent(kept: Kept): boolean;
  /** Called once for all that is kept no longer. */
  end(kept: Kept): void;
}

interface Entry<Kept> {
  kept: Kept;
  idleTimer: NodeJS.Timeout;
}

/** Keeps something for each of the environments that were used last. Equal environments share it. */
export class EnvironmentCache<Kept> {
  readonly #options: EnvironmentCacheOptions<Kept>;
  /** By key, the one used last at the end. */
  readonly #entries = new Map<string, Entry<Kept>>();
  readonly #keys = new WeakMap<Environment, string>();

  constructor(options: EnvironmentCacheOptions<Kept>) {
    this.#options = options;
  }

  /**
   * The same text for equal environments. It is made once for each object, since all variables go into it: an
   * environment must not be changed.
   */
  keyOf(environment: Environment): string {
    let key = this.#keys.get(environment);
    if (key === undefined) {
      key = JSON.stringify(environment);
      this.#keys.set(environment, key);
    }
    return key;
  }

  /** What is kept for an environment; made if there is nothing, or nothing current. */
  use(environment: Environment): Kept {
    const key = this.keyOf(environment);
    const found = this.#entries.get(key);
    const isUsable = found !== undefined && this.#options.isCurrent(found.kept);
    if (!isUsable) this.#drop(key);
    const entry = isUsable ? found : this.#make(key, environment);
    entry.idleTimer.refresh();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENVIRONMENTS && oldest !== undefined) this.#drop(oldest);
    return entry.kept;
  }

  /** Ends what is kept for an environment, if there is something. */
  drop(environment: Environment): void {
    this.#drop(this.keyOf(environment));
  }

  /** Ends all that is kept. */
  clear(): void {
    for (const key of this.#entries.keys()) this.#drop(key);
  }

  #make(key: string, environment: Environment): Entry<Kept> {
    const kept = this.#options.make(environment);
    return { kept, idleTimer: setTimeout(() => this.#drop(key), this.#options.idleMs).unref() };
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    clearTimeout(entry.idleTimer);
    this.#options.end(entry.kept);
  }
}
