import { connect, type Socket } from "node:net";
import { deferred, type Deferred } from "../deferred.ts";
import { NotStartedError, RunConnection } from "./run-connection.ts";
import { SessionConnection, type SessionConnectionOptions } from "./session-connection.ts";
import { encodeFields, FrameKind } from "./wire.ts";

/** Slots that nobody has needed for this long are given up, but for a few. */
const IDLE_MS = 1500;
/** And those few, too, after this time: the next run then waits some milliseconds longer, and nothing is held for it. */
const REST_MS = 3000;

/** The slots of one template: places for runs, each with a forked interpreter waiting in it. */
export class SlotPool {
  readonly #socketPath: string;
  readonly #maxSlots: number;
  readonly #idle: RunConnection[] = [];
  readonly #all = new Set<RunConnection>();
  /** Places that are sessions': each for as long as the session lives, whatever goes on in it. */
  readonly #dedicated = new Set<SessionConnection>();
  readonly #waiting: Deferred<RunConnection>[] = [];
  #kept = 0;
  /** When a slot was last asked for (performance.now()). */
  #usedAt = performance.now();
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
   * next call comes. Does nothing once the pool is closed.
   */
  keepAhead(count: number): void {
    if (this.#isClosed) return;
    this.#kept = Math.min(count, this.#maxSlots);
    this.#usedAt = performance.now();
    this.#openAhead();
    this.#shrinkTimer ??= setTimeout(() => this.#shrink(), IDLE_MS).unref();
  }

  /**
   * Takes a slot that is ready; it must be given back by {@link release}. Rejects with {@link NotStartedError} if the
   * template is gone.
   */
  async acquire(): Promise<RunConnection> {
    this.#usedAt = performance.now();
    for (let slot = this.#idle.pop(); slot !== undefined; slot = this.#idle.pop()) {
      if (slot.isOpen) return slot;
    }
    if (this.#isClosed) throw new NotStartedError("the template has ended");
    const turn = deferred<RunConnection>();
    this.#waiting.push(turn);
    if (this.#all.size < this.#maxSlots) this.#open();
    return turn.promise;
  }

  /**
   * Opens a place for sessions, beyond the bound on slots: those who open them bound them. It is no slot's; closing the
   * connection ends it. Rejects with {@link NotStartedError} if the template is gone.
   */
  async openDedicated(options: SessionConnectionOptions): Promise<SessionConnection> {
    if (this.#isClosed) throw new NotStartedError("the template has ended");
    const socket = this.#connect(FrameKind.session);
    const connection = new SessionConnection(socket, { ...options, isHost: true });
    this.#dedicated.add(connection);
    void connection.closed.then(() => this.#dedicated.delete(connection));
    await connection.ready;
    return connection;
  }

  /** Gives a slot back after its run; it will be ready again when it has cleaned up. */
  release(slot: RunConnection): void {
    this.#offerWhenReady(slot);
  }

  get busyCount(): number {
    return this.#all.size - this.#idle.length + this.#dedicated.size;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#shrinkTimer);
    for (const slot of [...this.#all, ...this.#dedicated]) slot.close();
    this.#turnAway(this.#waiting.length);
  }

  #open(): void {
    if (this.#isClosed) return;
    const slot = new RunConnection(this.#connect(FrameKind.slot));
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

  /** Asks the template for a place, for runs or for sessions; the connection is the place. */
  #connect(kind: string): Socket {
    const socket = connect(this.#socketPath);
    socket.write(encodeFields(kind, {}));
    return socket;
  }

  #offerWhenReady(slot: RunConnection): void {
    slot.ready.then(
      () => this.#offer(slot),
      () => {}, // it is closed, and forgotten
    );
  }

  #offer(slot: RunConnection): void {
    if (!slot.isOpen) return; // it is forgotten
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
    if (this.#all.size >= this.#maxSlots) return;
    if (this.#waiting.length === 0) {
      if (wasReady && !this.#isResting) this.#openAhead(); // it ended after its run: something was left in it
    } else if (wasReady) this.#open();
    else if (this.#all.size === 0) this.#turnAway(this.#waiting.length);
    else if (this.#all.size < this.#waiting.length) this.#turnAway(1);
  }

  get #isResting(): boolean {
    return performance.now() - this.#usedAt > REST_MS;
  }

  #openAhead(): void {
    while (this.#all.size < this.#kept && !this.#isClosed) this.#open();
  }

  #turnAway(count: number): void {
    const error = new NotStartedError("the template has no slot to give");
    for (const turn of this.#waiting.splice(0, count)) turn.reject(error);
  }

  #shrink(): void {
    this.#shrinkTimer = undefined;
    const wanted = this.#isResting ? 0 : this.#kept;
    while (this.#idle.length > wanted) this.#idle.shift()?.close();
    if (this.#idle.length > 0)
      this.#shrinkTimer = setTimeout(() => this.#shrink(), IDLE_MS).unref();
  }
}
