import { closeSync, openSync, rmSync, statSync, utimesSync } from "node:fs";
import { systemCode } from "../errors.ts";

/** How often a holder says that it is still there (milliseconds). */
const BEAT_MS = 2000;
/** When a holder that says nothing counts as gone (milliseconds). */
const GONE_MS = 15_000;

/**
 * A file that says that somebody is at work, to every server that shares the folder. Its time is renewed while its holder
 * lives; one that was killed leaves a file that soon counts for nothing. Process numbers would not do: servers in
 * containers can share a folder, and have numbers of their own.
 */
export class Hold {
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(path: string) {
    this.#path = path;
    this.#timer = setInterval(() => {
      try {
        const now = new Date();
        utimesSync(path, now, now);
      } catch {
        // whoever took it for left has removed it
      }
    }, BEAT_MS).unref();
  }

  /** Undefined if there is such a file already. */
  static take(path: string): Hold | undefined {
    try {
      closeSync(openSync(path, "wx", 0o600));
    } catch (error) {
      if (systemCode(error) === "EEXIST") return undefined;
      throw error;
    }
    return new Hold(path);
  }

  /** May be called more than once. */
  release(): void {
    clearInterval(this.#timer);
    rmSync(this.#path, { force: true });
  }
}

/** Whether a file is there whose holder is at work. */
export function isHeld(path: string, goneMs = GONE_MS): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < goneMs;
}
