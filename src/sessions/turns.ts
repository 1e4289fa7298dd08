import { deferred, type Deferred } from "../deferred.ts";

/** `alone`: nothing else goes on meanwhile. `shared`: others that share may go on at the same time. */
export type TurnKind = "alone" | "shared";

/** To be called when the turn is over; may be called more than once. */
export type EndTurn = () => void;

interface Waiting {
  kind: TurnKind;
  turn: Deferred<EndTurn>;
}

/** Gives turns in the order in which they are asked for, so that what needs a session for itself is not passed over. */
export class Turns {
  readonly #maxWaiting: number;
  readonly #onFree: () => void;
  readonly #waiting: Waiting[] = [];
  #sharing = 0;
  #isTaken = false;
  #closedBy: Error | undefined;

  /**
   * @param maxWaiting how many may wait; {@link hasRoom} tells
   * @param onFree called whenever the last turn is over and nobody waits
   */
  constructor(maxWaiting: number, onFree: () => void) {
    this.#maxWaiting = maxWaiting;
    this.#onFree = onFree;
  }

  /** Whether nobody has a turn, nor waits for one. */
  get isFree(): boolean {
    return !this.#isTaken && this.#sharing === 0 && this.#waiting.length === 0;
  }

  /** Whether one more may wait. */
  get hasRoom(): boolean {
    return this.#waiting.length < this.#maxWaiting;
  }

  /** Whether a turn of this kind could be had at once. */
  isReady(kind: TurnKind): boolean {
    const isOpen = this.#closedBy === undefined && this.#waiting.length === 0 && !this.#isTaken;
    return isOpen && (kind === "shared" || this.#sharing === 0);
  }

  /** Waits for a turn. Rejects with the signal's reason if that aborts first, and with what {@link close} is given. */
  async take(kind: TurnKind, signal: AbortSignal): Promise<EndTurn> {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    signal.throwIfAborted();
    const waiting: Waiting = { kind, turn: deferred<EndTurn>() };
    this.#waiting.push(waiting);
    this.#next();
    const onAbort = (): void => {
      const at = this.#waiting.indexOf(waiting);
      if (at === -1) return; // it has its turn already
      this.#waiting.splice(at, 1);
      waiting.turn.reject(signal.reason);
      this.#next();
    };
    signal.addEventListener("abort", onAbort);
    try {
      return await waiting.turn.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Turns away all that wait, and all that will ask. Turns that go on are not ended by this. */
  close(reason: Error): void {
    this.#closedBy ??= reason;
    for (const { turn } of this.#waiting.splice(0)) turn.reject(reason);
  }

  #next(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const isBlocked = this.#isTaken || (next.kind === "alone" && this.#sharing > 0);
      if (isBlocked) return;
      this.#waiting.shift();
      next.turn.resolve(this.#begin(next.kind));
    }
    if (this.isFree) this.#onFree();
  }

  #begin(kind: TurnKind): EndTurn {
    if (kind === "alone") this.#isTaken = true;
    else this.#sharing += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (kind === "alone") this.#isTaken = false;
      else this.#sharing -= 1;
      this.#next();
    };
  }
}
