import type { OutputStream } from "../execution.ts";
import { OutputLog } from "./output-log.ts";

/** `cancelled`: it has ended since nobody wanted it any more. */
export type LiveState = "queued" | "running" | "finished" | "cancelled";

/** What work tells while it goes on, and how it is ended: options for any of the engine's runs. */
interface WorkOptions {
  signal: AbortSignal;
  onOutput: (stream: OutputStream, text: string, index: number) => void;
  onState: (state: "queued" | "running") => void;
  onProgress: (done: number, total: number) => void;
  onNotice: (line: string) => void;
}

/** Anything that runs code and comes to an answer. */
export type Work<Answer> = (options: WorkOptions) => Promise<Answer>;

/** How work has ended: with its answer, or with what it has thrown. */
export type Outcome<Answer> = { answer: Answer } | { error: unknown };

/** Hears of a run while it goes on. */
export interface Watcher {
  onOutput(text: string, source: string): void;
  onProgress(done: number, total: number): void;
  /** What is done before the code can run. */
  onNotice?(line: string): void;
}

/** Work that goes on whether or not somebody waits for it. */
export class LiveRun<Answer> {
  /** Of the tool that was called. */
  readonly tool: string;
  readonly output: OutputLog;
  readonly startedAt = Date.now();
  /** Settles when the work has ended, however. */
  readonly ended: Promise<void>;
  readonly #cancel = new AbortController();
  readonly #watchers = new Set<Watcher>();
  readonly #accepted: Promise<void>;
  #phase: "queued" | "running" = "queued";
  #outcome: Outcome<Answer> | undefined;
  #endedAt: number | undefined;
  #progress: { done: number; total: number } | undefined;

  /**
   * Begins the work.
   *
   * @param maxOutputChars how much of the newest output is kept for those who look now and then
   */
  constructor(tool: string, work: Work<Answer>, maxOutputChars: number) {
    this.tool = tool;
    this.output = new OutputLog(maxOutputChars);
    let accept = (): void => {};
    this.#accepted = new Promise((resolve) => {
      accept = resolve;
    });
    this.ended = this.#carryOut(work, accept).finally(accept);
  }

  get state(): LiveState {
    if (this.#outcome === undefined) return this.#phase;
    return this.#cancel.signal.aborted ? "cancelled" : "finished";
  }

  get outcome(): Outcome<Answer> | undefined {
    return this.#outcome;
  }

  get progress(): { done: number; total: number } | undefined {
    return this.#progress;
  }

  /** Since it began, and until it ended. */
  get milliseconds(): number {
    return (this.#endedAt ?? Date.now()) - this.startedAt;
  }

  /** Settles when the request has been checked and nothing speaks against it, or it has ended already. */
  async accepted(): Promise<void> {
    await this.#accepted;
    await new Promise((resolve) => setImmediate(resolve)); // a refusal for want of room follows at once
  }

  /** Ends the work with all its processes. One that has ended stays as it is. */
  cancel(): void {
    if (this.#outcome === undefined) this.#cancel.abort();
  }

  /** Waits for the end, but no longer than this, and not after the signal has aborted; returns whether it has ended. */
  async endsWithin(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#outcome === undefined && signal?.aborted !== true) {
      let giveUp = (): void => {};
      const given = new Promise<void>((resolve) => {
        giveUp = resolve;
      });
      const timer = milliseconds === Infinity ? undefined : setTimeout(giveUp, milliseconds);
      signal?.addEventListener("abort", giveUp);
      await Promise.race([this.ended, given]);
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    }
    return this.#outcome !== undefined;
  }

  /** @returns a function that ends the watching */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  async #carryOut(work: Work<Answer>, accept: () => void): Promise<void> {
    const options: WorkOptions = {
      signal: this.#cancel.signal,
      onState: (state) => {
        this.#phase = state;
        accept();
      },
      onOutput: (stream, text, index) => {
        this.output.add(stream, text, index);
        for (const watcher of this.#watchers) watcher.onOutput(text, `${index} ${stream}`);
      },
      onProgress: (done, total) => {
        this.#progress = { done, total };
        for (const watcher of this.#watchers) watcher.onProgress(done, total);
      },
      onNotice: (line) => {
        for (const watcher of this.#watchers) watcher.onNotice?.(line);
      },
    };
    let outcome: Outcome<Answer>;
    try {
      outcome = { answer: await work(options) };
    } catch (error) {
      outcome = { error };
    }
    this.#outcome = outcome;
    this.#endedAt = Date.now();
  }
}
