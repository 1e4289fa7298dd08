import { randomBytes } from "node:crypto";
import { PyExecutorError } from "../errors.ts";
import type { LiveRun } from "./live-run.ts";

/** Runs that one client may have in the background, ended ones that are still kept included. */
const MAX_KEPT_RUNS = 32;
/** How long a run's answer is kept after its end. */
export const KEPT_MINUTES = 30;

interface Kept<Answer> {
  run: LiveRun<Answer>;
  /** Whether the run's end has been told. */
  isTold: boolean;
  timer?: NodeJS.Timeout;
}

/** The background runs of one client: no other has their registry, so that no other can name them. */
export class RunRegistry<Answer> {
  /** By id, the oldest first. */
  readonly #kept = new Map<string, Kept<Answer>>();
  readonly #maxRuns: number;
  readonly #keptMs: number;
  #isClosed = false;

  constructor({ maxRuns = MAX_KEPT_RUNS, keptMs = KEPT_MINUTES * 60_000 } = {}) {
    this.#maxRuns = maxRuns;
    this.#keptMs = keptMs;
  }

  /** Whether one more can be kept. */
  get hasRoom(): boolean {
    return this.#kept.size < this.#maxRuns || this.#firstTold() !== undefined;
  }

  /** Throws if no more can be kept. */
  checkRoom(): void {
    if (this.hasRoom) return;
    throw new PyExecutorError(
      "limit_exceeded",
      `You have ${this.#kept.size} runs in the background, which is the most. Fetch the end of one with get_run, ` +
        "or end one with cancel_run. Nothing was run.",
      { argument: "background" },
    );
  }

  /** Keeps a run until some time after its end; returns its id, which nobody can guess. Throws as {@link checkRoom}. */
  keep(run: LiveRun<Answer>): string {
    this.checkRoom();
    if (this.#kept.size >= this.#maxRuns) this.#kept.delete(this.#firstTold() ?? "");
    const id = randomBytes(12).toString("base64url");
    const kept: Kept<Answer> = { run, isTold: false };
    this.#kept.set(id, kept);
    if (this.#isClosed) run.cancel();
    void run.ended.then(() => {
      if (this.#isClosed) return;
      kept.timer = setTimeout(() => this.#kept.delete(id), this.#keptMs).unref();
    });
    return id;
  }

  /** Throws if the client has no such run. */
  find(id: string): LiveRun<Answer> {
    const kept = this.#kept.get(id);
    if (kept === undefined) {
      const shown = JSON.stringify(id.length > 40 ? `${id.slice(0, 40)}…` : id);
      throw new PyExecutorError(
        "invalid_argument",
        `You have no run with the \`id\` ${shown}. Ids come from calls with background: true, count for the connection ` +
          `that made the call only, and are forgotten ${KEPT_MINUTES} minutes after the run's end.`,
        { argument: "id" },
      );
    }
    return kept.run;
  }

  /** Notes that the client knows how a run has ended: it goes first when room is needed. */
  noteTold(id: string): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) kept.isTold = true;
  }

  /** Ends all runs and forgets them. */
  close(): void {
    this.#isClosed = true;
    for (const { run, timer } of this.#kept.values()) {
      clearTimeout(timer);
      run.cancel();
    }
    this.#kept.clear();
  }

  #firstTold(): string | undefined {
    for (const [id, { isTold }] of this.#kept) if (isTold) return id;
    return undefined;
  }
}
