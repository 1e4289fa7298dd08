import { connect } from "node:net";
import { deferred, type Deferred } from "../deferred.ts";
import { NotStartedError, RunConnection } from "./run-connection.ts";
import { encodeFields, FrameKind } from "./wire.ts";

/** Slots that nobody has needed for this long are given up, but for a few. */
const IDLE_MS = 400;

/** The slots of one template: places for runs, each with a forked interpreter waiting in it. */
export class SlotPool {
  readonly #socketPath: string;
  readonly #maxSlots: number;
  readonly #idle: RunConnection[] = [];
  readonly #all = new Set<RunConnection>();
  readonly #waiting: Deferred<RunConnection>[] = [];
  #kept = 0;
  #shrinkTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * @param socketPath where the template listens
   * @param maxSlots how many runs may go on at once
   */
  constructor(socketPath: string, maxSlots: number) {
    this.#socketPath = socketPath;
    this.#maxSlots = maxSlots;
  }

  /**
   * Keeps this many slots ready while nothing is asked for: one that is used again and again is ready again before the
   * next call comes.
   */
  keepAhead(count: number): void {
    this.#kept = Math.min(count, this.#maxSlots);
    while (this.#all.size < this.#kept) this.#open();
    this.#shrinkTimer ??= setTimeout(() => this.#shrink(), IDLE_MS).unref();
  }

  /**
   * Takes a slot that is ready; it must be given back by {@link release}. Rejects with {@link NotStartedError} if the
   * template is gone.
   */
  async acquire(): Promise<RunConnection> {
    for (let slot = this.#idle.pop(); slot !== undefined; slot = this.#idle.pop()) {
      if (slot.isOpen) return slot;
    }
    if (this.#isClosed) throw new NotStartedError("the template has ended");
    const turn = deferred<RunConnection>();
    this.#waiting.push(turn);
    if (this.#all.size < this.#maxSlots) this.#open();
    return turn.promise;
  }

  /** Gives a slot back after its run; it will be ready again when it has cleaned up. */
  release(slot: RunConnection): void {
    this.#offerWhenReady(slot);
  }

  get busyCount(): number {
    return this.#all.size - this.#idle.length;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#shrinkTimer);
    for (const slot of this.#all) slot.close();
  }

  #open(): void {
    if (this.#isClosed) return;
    const socket = connect(this.#socketPath);
    socket.write(encodeFields(FrameKind.slot, {}));
    const slot = new RunConnection(socket);
    this.#all.add(slot);
    let wasReady = false;
    slot.ready.then(
      () => {
        wasReady = true;
      },
      () => {}, // "closed" follows
    );
    void slot.closed.then(() => this.#forget(slot, wasReady));
    this.#offerWhenReady(slot);
  }

  #offerWhenReady(slot: RunConnection): void {
    slot.ready.then(
      () => this.#offer(slot),
      () => {}, // it is closed, and forgotten
    );
  }

  #offer(slot: RunConnection): void {
    const turn = this.#waiting.shift();
    if (turn !== undefined) {
      turn.resolve(slot);
      return;
    }
    this.#idle.push(slot);
    this.#shrinkTimer ??= setTimeout(() => this.#shrink(), IDLE_MS).unref();
  }

  /** A slot is gone; whoever waits for one gets another, unless the template has none to give. */
  #forget(slot: RunConnection, wasReady: boolean): void {
    this.#all.delete(slot);
    const at = this.#idle.indexOf(slot);
    if (at !== -1) this.#idle.splice(at, 1);
    if (this.#waiting.length === 0 || this.#all.size >= this.#maxSlots) return;
    if (wasReady && !this.#isClosed) this.#open();
    else if (this.#all.size < this.#waiting.length) {
      this.#waiting.shift()?.reject(new NotStartedError("the template has no slot to give"));
    }
  }

  #shrink(): void {
    this.#shrinkTimer = undefined;
    while (this.#idle.length > this.#kept) this.#idle.shift()?.close();
  }
}
