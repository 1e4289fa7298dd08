import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/** More interpreters than live at once: four environments, each with a warm one, and those that end. */
const FOLDERS = 12;
/** More templates than one interpreter becomes. */
const SOCKETS = 6;

/** The part of the server's private folder that one interpreter has. */
export class PrivateFolder {
  readonly path: string;
  readonly #free: string[];
  #count = SOCKETS;

  /** Throws if it can't be made. */
  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { mode: 0o700 });
    this.#free = Array.from({ length: SOCKETS }, (_, index) => join(path, `s${index}`));
    for (const name of this.#free) writeFileSync(name, "");
  }

  /** A path in it that a socket can be bound to. */
  takeName(): string {
    const name = this.#free.shift() ?? join(this.path, `s${(this.#count += 1)}`);
    rmSync(name, { force: true });
    return name;
  }

  /** To be called when the socket is closed. */
  giveNameBack(name: string): void {
    try {
      rmSync(name, { force: true });
      writeFileSync(name, "");
      this.#free.push(name);
    } catch {
      // the folder is gone, and the server with it
    }
  }
}

/**
 * Folders in the server's private folder, one for each interpreter that is started: what it keeps there, such as the
 * sockets of its templates, is not to be seen by another, since that may run a program which code has written.
 *
 * Folders and the names of sockets, as empty files, are there from the start, so that what lies in the temporary area
 * does not change with what runs: whoever watches it sees litter where there is some.
 */
export class PrivateFolders {
  readonly #root: string;
  readonly #free: PrivateFolder[];
  #count = FOLDERS;

  /** @param root the server's private folder */
  constructor(root: string) {
    this.#root = root;
    const names = Array.from({ length: FOLDERS }, (_, index) => `p${index}`);
    this.#free = names.map((name) => new PrivateFolder(join(root, name)));
  }

  /** A folder that nobody else has. */
  take(): PrivateFolder {
    return this.#free.shift() ?? new PrivateFolder(join(this.#root, `p${(this.#count += 1)}`));
  }

  /** To be called when the processes have ended that used it. */
  async giveBack({ path }: PrivateFolder): Promise<void> {
    try {
      await rm(path, { recursive: true, force: true });
      this.#free.push(new PrivateFolder(path));
    } catch {
      // something can't be removed, or the folder is gone, and the server with it
    }
  }
}
