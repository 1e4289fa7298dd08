import { lstatSync, readdirSync, type Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file that was made or changed. */
interface ChangedFile {
  /** From the folder that was looked through, with `/` between its parts. */
  path: string;
  /** Bytes. */
  size: number;
  change: "added" | "changed";
}

/** What was found, the newest last. */
export interface Found {
  files: ChangedFile[];
  /** Whether there was more to look at than is looked at. */
  isPartial: boolean;
}

/** Entries that are looked at while others wait: such a look takes 5 µs each. */
const QUICK = 150;
/** The same, where nothing is expected. */
const BRIEF = 15;
/** Files of a folder that are known to change, the newest. */
const MAX_KNOWN = 20;
const MAX_FOLDERS = 100;
/** A folder whose own size is above this has thousands of entries (bytes). */
const LARGE_FOLDER = 64 * 1024;
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 20;
const MAX_MS = 300;
const MAX_REMEMBERED = 10_000;
/** Caches, environments and the like: what programs keep for themselves. Hidden folders are among them. */
const SKIPPED = new Set(["node_modules", "__pycache__", "venv", "site-packages"]);
/** A file's times may be that much behind the clock: the kernel notes them in ticks. */
const TICK_MS = 12;

/**
 * Finds which files have changed since a moment, by a look at all of them: whoever has written, and by whatever means, it
 * shows. Files whose names or folders begin with a dot are left out, as are links and what is no file.
 */
export class ChangedFiles {
  /** By absolute path: the time of a change that was told already. */
  readonly #told = new Map<string, number>();
  /** By the folder that was looked through: paths of files that were told, the newest first. */
  readonly #known = new Map<string, string[]>();

  /**
   * @param folder an absolute path
   * @param since milliseconds since 1970
   * @param isLikelyNone whether nothing is expected: then a folder with much in it is only looked through if it, or a file
   *   that has changed before, or a folder with such a file, has changed
   * @returns nothing where the folder can't be read
   */
  async since(folder: string, since: number, isLikelyNone = false): Promise<Found> {
    const start = since - TICK_MS;
    const look = new Look(folder, start);
    const mayStop = isLikelyNone && !look.quickly(BRIEF) && look.found.length === 0;
    if (mayStop && !this.#hasSignOfChange(folder, start)) return { files: [], isPartial: false };
    if (!look.quickly(QUICK)) await look.patiently();
    const fresh = look.found
      .filter(({ path, stats }) => this.#isNews(join(folder, path), stats))
      .toSorted((one, other) => one.stats.ctimeMs - other.stats.ctimeMs);
    const paths = fresh.map(({ path }) => path);
    this.#remember(folder, paths.toReversed());
    const files = fresh.map(({ path, stats }) => ({
      path,
      size: stats.size,
      change: stats.birthtimeMs >= start ? ("added" as const) : ("changed" as const),
    }));
    return { files, isPartial: look.isPartial };
  }

  #hasSignOfChange(folder: string, start: number): boolean {
    const known = this.#known.get(folder) ?? [];
    const places = new Set(["", ...known, ...known.map((path) => dirname(path))]);
    return [...places].some((path) => {
      const stats = orNothing(() => lstatSync(join(folder, path)));
      return stats === undefined || stats.ctimeMs >= start;
    });
  }

  #remember(folder: string, paths: readonly string[]): void {
    if (paths.length === 0) return;
    const known = new Set([...paths, ...(this.#known.get(folder) ?? [])]);
    const [oldest] = this.#known.keys();
    this.#known.delete(folder);
    if (this.#known.size >= MAX_FOLDERS && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(folder, [...known].slice(0, MAX_KNOWN));
  }

  #isNews(path: string, { ctimeMs }: Stats): boolean {
    if (this.#told.get(path) === ctimeMs) return false;
    if (this.#told.size >= MAX_REMEMBERED) this.#told.clear();
    this.#told.set(path, ctimeMs);
    return true;
  }
}

/** One look through a folder. */
class Look {
  readonly found: { path: string; stats: Stats }[] = [];
  isPartial = false;
  readonly #folder: string;
  readonly #since: number;
  readonly #until = performance.now() + MAX_MS;
  /** Folders to be looked into, from the outer one. */
  #folders: string[] = [""];
  #files: string[] = [];
  #seen = 0;

  constructor(folder: string, since: number) {
    this.#folder = folder;
    this.#since = since;
  }

  /** Looks at a few entries at once, since a way through Node's thread pool takes longer; returns whether that was all. */
  quickly(entries: number): boolean {
    while (this.#seen < entries) {
      const file = this.#files.pop();
      if (file !== undefined) {
        const stats = orNothing(() => lstatSync(join(this.#folder, file)));
        if (stats !== undefined) this.#note(file, stats);
        continue;
      }
      const folder = this.#folders.pop();
      if (folder === undefined) return true;
      const path = join(this.#folder, folder);
      if ((orNothing(() => lstatSync(path).size) ?? 0) > LARGE_FOLDER) {
        this.#folders.push(folder);
        return false;
      }
      this.#sort(folder, orNothing(() => readdirSync(path, { withFileTypes: true })) ?? []);
    }
    return false;
  }

  /** Looks at the rest, up to a bound. */
  async patiently(): Promise<void> {
    for (;;) {
      if (this.#seen > MAX_ENTRIES || performance.now() > this.#until) {
        this.isPartial = true;
        return;
      }
      const files = this.#files.splice(0, 64);
      await Promise.all(
        files.map(async (file) => {
          const stats = await lstat(join(this.#folder, file)).catch(() => undefined);
          if (stats !== undefined) this.#note(file, stats);
        }),
      );
      if (files.length > 0) continue;
      const folder = this.#folders.pop();
      if (folder === undefined) return;
      const path = join(this.#folder, folder);
      this.#sort(folder, await readdir(path, { withFileTypes: true }).catch(() => []));
    }
  }

  #sort(
    folder: string,
    entries: readonly { name: string; isFile(): boolean; isDirectory(): boolean }[],
  ): void {
    const prefix = folder === "" ? "" : `${folder}/`;
    const isDeep = folder.split("/").length >= MAX_DEPTH;
    this.#seen += 1;
    for (const entry of entries) {
      if (entry.name.startsWith(".")) continue;
      if (entry.isFile()) this.#files.push(prefix + entry.name);
      else if (entry.isDirectory() && !isDeep && !SKIPPED.has(entry.name))
        this.#folders.push(prefix + entry.name);
    }
  }

  #note(path: string, stats: Stats): void {
    this.#seen += 1;
    // the time of the last change of any kind, which no program can set (inode(7))
    if (stats.ctimeMs >= this.#since && stats.isFile()) this.found.push({ path, stats });
  }
}

function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined; // gone, or not to be read
  }
}
