import { deferred, type Deferred } from "../deferred.ts";
import { PyExecutorError } from "../errors.ts";

/** The place of one run; `release` gives it to the next. */
export interface Place {
  release(): void;
}

/** Whose runs take turns: all runs of one request share a flow. */
export type Flow = symbol;

/**
 * Lets a bounded number of runs go on at once. Requests take turns: one with many runs does not make others wait for
 * all of them. The queue is bounded too.
 */
export class Admission {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  /** Runs that wait, by flow; the flow whose turn is next comes first. */
  readonly #waiting = new Map<Flow, Deferred<Place>[]>();
  #waitingCount = 0;
  #running = 0;
  #isClosed = false;

  constructor(limits: { maxRunning: number; maxWaiting: number }) {
    this.#maxRunning = limits.maxRunning;
    this.#maxWaiting = limits.maxWaiting;
  }

  /**
   * Waits for a place.
   *
   * @param isUnderWay the request has had a place already: it is not turned away half done
   *
   * Rejects with a `busy` error if too many wait already, with `closed` after {@link close}, and with the signal's
   * reason if that aborts first.
   */
  async admit(flow: Flow, signal: AbortSignal, isUnderWay = false): Promise<Place> {
    if (this.#isClosed) throw closedError();
    signal.throwIfAborted();
    if (this.#running < this.#maxRunning) return this.#place();
    if (!isUnderWay && this.#waitingCount >= this.#maxWaiting) {
      throw new PyExecutorError(
        "busy",
        `The server is busy: ${this.#running} runs are going on and ${this.#waitingCount} are waiting, which is the ` +
          "most it takes. Nothing was run; try again in a moment.",
      );
    }
    return this.#wait(flow, signal);
  }

  /** Turns away all that wait. */
  close(): void {
    this.#isClosed = true;
    for (const queue of this.#waiting.values())
      for (const { reject } of queue) reject(closedError());
    this.#waiting.clear();
    this.#waitingCount = 0;
  }

  async #wait(flow: Flow, signal: AbortSignal): Promise<Place> {
    const turn = deferred<Place>();
    const queue = this.#waiting.get(flow) ?? [];
    queue.push(turn);
    this.#waiting.set(flow, queue);
    this.#waitingCount += 1;
    const onAbort = (): void => {
      const at = queue.indexOf(turn);
      if (at === -1) return; // it has its place already
      queue.splice(at, 1);
      this.#waitingCount -= 1;
      if (queue.length === 0) this.#waiting.delete(flow);
      turn.reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort);
    try {
      return await turn.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #place(): Place {
    this.#running += 1;
    let isReleased = false;
    return {
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#running -= 1;
        this.#next();
      },
    };
  }

  #next(): void {
    for (const [flow, queue] of this.#waiting) {
      const turn = queue.shift();
      this.#waiting.delete(flow);
      if (queue.length > 0) this.#waiting.set(flow, queue); // to the end: the other flows have their turn first
      if (turn === undefined) continue;
      this.#waitingCount -= 1;
      turn.resolve(this.#place());
      return;
    }
  }
}

function closedError(): PyExecutorError {
  return new PyExecutorError("closed", "The executor has been closed.");
}
