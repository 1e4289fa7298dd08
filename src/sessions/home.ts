import type { Environment, SessionHost } from "../workers/worker.ts";

/** Where a session and those that were forked from it live: one host, in one environment, for as long as one of them does. */
export class Home {
  readonly host: SessionHost;
  /** Settled when the first session was made: interpreter, variables, containment. */
  readonly environment: Environment;
  /** The packages that the first session was made with, as they were asked for. */
  readonly packages: readonly string[];
  readonly #onEmpty: () => void;
  readonly #living = new Set<number>();
  #lastNumber = -1;

  /** @param onEmpty called once, when the last session has left */
  constructor(
    host: SessionHost,
    environment: Environment,
    packages: readonly string[],
    onEmpty: () => void,
  ) {
    this.host = host;
    this.environment = environment;
    this.packages = packages;
    this.#onEmpty = onEmpty;
  }

  /** Makes room for one more session's process; returns its number, 0 for the first. */
  enter(): number {
    this.#lastNumber += 1;
    this.#living.add(this.#lastNumber);
    return this.#lastNumber;
  }

  /** Ends a session's process; with the last one the host ends. May be called more than once. */
  leave(number: number): void {
    if (!this.#living.delete(number)) return;
    this.host.closeProcess(number);
    if (this.#living.size > 0) return;
    this.host.close();
    this.#onEmpty();
  }
}
