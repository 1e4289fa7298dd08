import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { ServerContext } from "@modelcontextprotocol/server";
import type { ToolProgress } from "../tools/define-tool.ts";

/** Clients that reset their request timeout on progress need to hear something well before 60 s. */
const HEARTBEAT_MS = 10_000;
/** Output is told of this often at the most. */
const OUTPUT_MS = 1000;
/**
 * Between the last progress and the answer: a client that reads both at once takes the answer first, and drops progress
 * of a call that is over (the official SDKs hand notifications on a moment later than responses).
 */
const LAST_PROGRESS_MS = 20;
/** Of a line of output (characters). */
const MAX_LINE = 200;
/** So little that thousands of them come before the next whole number. */
const TINY_STEP = 0.0001;

/** Tells the client that its call goes on. */
export interface ProgressReporter {
  report(progress: ToolProgress): void;
  /** Output has come; it is told by its last line. `source`: lines of different ones are not mixed. */
  output(text: string, source: string): void;
  /** Returns when what was reported is on its way: a client hears nothing of a call after its answer. */
  stop(): Promise<void>;
}

/** A reporter for one call. It is silent if the client didn't ask for progress. */
export function reportProgressOf({ mcpReq }: ServerContext): ProgressReporter {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) {
    return { report: () => {}, output: () => {}, stop: async () => {} };
  }
  const send = (params: { progress: number; message: string; total?: number }): Promise<void> =>
    mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, ...params },
    });
  return new Reporter(send);
}

type Send = (params: { progress: number; message: string; total?: number }) => Promise<void>;

class Reporter implements ProgressReporter {
  readonly #send: Send;
  readonly #startedAt = Date.now();
  readonly #line = new LastLine();
  #step = 0;
  #sent: Promise<void> = Promise.resolve();
  #heartbeat: NodeJS.Timeout | undefined;
  #outputTimer: NodeJS.Timeout | undefined;
  #outputToldAt = -Infinity;
  #isOver = false;

  constructor(send: Send) {
    this.#send = send;
    this.#restartHeartbeat();
  }

  report({ message, done, total }: ToolProgress): void {
    if (this.#isOver) return;
    this.#step = Math.max(this.#step + TINY_STEP, done ?? 0); // the protocol wants it to grow
    const params = { progress: this.#step, message, ...(total === undefined ? {} : { total }) };
    this.#sent = this.#send(params).catch(() => {});
    this.#restartHeartbeat();
  }

  output(text: string, source: string): void {
    if (this.#isOver) return;
    this.#line.add(text, source);
    const wait = this.#outputToldAt + OUTPUT_MS - performance.now();
    if (this.#outputTimer !== undefined) return;
    if (wait <= 0) this.#tellOutput();
    else this.#outputTimer = setTimeout(() => this.#tellOutput(), wait);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#heartbeat);
    clearTimeout(this.#outputTimer);
    if (this.#step === 0) return;
    await this.#sent;
    await sleep(LAST_PROGRESS_MS);
  }

  #tellOutput(): void {
    this.#outputTimer = undefined;
    const message = this.#line.read();
    if (message === "") return;
    this.#outputToldAt = performance.now();
    this.report({ message });
  }

  #restartHeartbeat(): void {
    clearTimeout(this.#heartbeat);
    this.#heartbeat = setTimeout(() => {
      const seconds = Math.round((Date.now() - this.#startedAt) / 1000);
      this.report({ message: `running for ${seconds} s` });
    }, HEARTBEAT_MS);
  }
}

/** The last line with something in it, as a terminal would show it at the moment. */
class LastLine {
  #text = "";
  #source = "";

  add(text: string, source: string): void {
    const before = source === this.#source ? this.#text : `${this.#text}\n`;
    this.#source = source;
    this.#text = (before + text.slice(-2 * MAX_LINE)).slice(-2 * MAX_LINE);
  }

  read(): string {
    const lines = stripVTControlCharacters(this.#text)
      .split(/[\r\n]+/)
      .map((line) => line.replaceAll(/\p{Cc}/gu, " ").trim());
    return (lines.findLast((line) => line !== "") ?? "").slice(0, MAX_LINE).toWellFormed();
  }
}
