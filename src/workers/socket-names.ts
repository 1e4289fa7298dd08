import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** More templates than live at once: four environments with a handful each. */
const RESERVED = 24;

/**
 * Names for the sockets of templates. They are taken from the start, as empty files, so that what lies in the server's
 * folder does not change with what it learns: whoever watches the temporary area sees litter where there is some.
 */
export class SocketNames {
  readonly #root: string;
  readonly #free: string[];
  #count = RESERVED;

  /** @param root the server's private folder */
  constructor(root: string) {
    this.#root = root;
    this.#free = Array.from({ length: RESERVED }, (_, index) => join(root, `s${index}`));
    for (const path of this.#free) writeFileSync(path, "");
  }

  /** A path that a socket can be bound to. */
  take(): string {
    const path = this.#free.shift() ?? join(this.#root, `s${(this.#count += 1)}`);
    rmSync(path, { force: true });
    return path;
  }

  /** To be called when the socket is closed. */
  giveBack(path: string): void {
    try {
      rmSync(path, { force: true });
      writeFileSync(path, "");
      this.#free.push(path);
    } catch {
      // the folder is gone, and the server with it
    }
  }
}
