import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { deferred } from "../deferred.ts";
import { NotStartedError } from "./run-connection.ts";
import { readReady, type Ready } from "./run-end.ts";
import { SlotPool } from "./slot-pool.ts";
import { BrokenFrameError, encodeFields, FrameKind, FrameParser } from "./wire.ts";

/** The template ends itself when an import hangs; this is for one that can't. */
const IMPORT_PATIENCE_MS = 90_000;

/** What a template is made with. */
interface TemplateOptions {
  /** All that it will have imported. */
  modules: readonly string[];
  /** Those of them that it imports itself. */
  own: readonly string[];
  /** Where it is to listen. */
  socketPath: string;
  maxSlots: number;
}

/** A warm interpreter process that runs are forked from, and the connection that controls it. */
export class Template {
  /** What it has imported, beyond what every template has. */
  readonly modules: readonly string[];
  readonly socketPath: string;
  readonly slots: SlotPool;
  /** Settles when runs can be forked from it; rejects with {@link NotStartedError} if it ends before. */
  readonly ready: Promise<Ready>;
  /** Settles when the process is gone. */
  readonly ended: Promise<void>;
  readonly #control: Duplex;
  #isReady = false;
  #isOpen = true;

  /**
   * @param control a connection to a process that is to become this template
   */
  constructor(control: Duplex, options: TemplateOptions) {
    this.modules = options.modules;
    this.socketPath = options.socketPath;
    this.slots = new SlotPool(options.socketPath, options.maxSlots);
    this.#control = control;
    const ready = deferred<Ready>();
    const ended = deferred<void>();
    this.ready = ready.promise;
    this.ended = ended.promise;
    this.ready.catch(() => {}); // whoever needs it awaits it
    const patience = setTimeout(() => this.close(), IMPORT_PATIENCE_MS);
    const parser = new FrameParser();
    control.on("data", (piece: Buffer) => {
      try {
        for (const frame of parser.push(piece)) {
          if (frame.kind !== FrameKind.ready) continue;
          clearTimeout(patience);
          this.#isReady = true;
          ready.resolve(readReady(frame.payload));
        }
      } catch (error) {
        if (!(error instanceof BrokenFrameError)) throw error;
        this.close();
      }
    });
    const onEnd = (): void => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      clearTimeout(patience);
      ready.reject(new NotStartedError("the template ended before it was ready"));
      this.slots.close();
      ended.resolve();
    };
    control.on("error", () => {}); // "close" follows
    control.on("end", onEnd);
    control.on("close", onEnd);
    const opening = { socket: options.socketPath, modules: options.own.join(",") };
    control.write(encodeFields(FrameKind.template, opening));
  }

  get isUsable(): boolean {
    return this.#isOpen && this.#isReady;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Forks a further template, which imports more. */
  fork(options: TemplateOptions): Template {
    return new Template(connect(this.socketPath), options);
  }

  /** Ends the process; runs that go on in its slots end with it. */
  close(): void {
    this.#control.destroy();
  }
}
