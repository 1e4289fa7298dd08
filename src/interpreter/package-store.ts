import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { systemCode } from "../errors.ts";
import { Hold, isHeld } from "./hold.ts";

/** What is noted of an environment that is whole. */
export interface Built {
  /** Name of its folder. */
  build: string;
  /** What it was made of, for people who look. */
  requirements: readonly string[];
  identity: string;
  bytes: number;
}

/** An environment that is there, and stays until it is given back. */
export interface Kept {
  folder: string;
  bytes: number;
  release: () => void;
}

const READY = "ready.json";
const LOCK = "lock";
const HOLD_MARK = ".use-";
/** Environments that nobody has used for so long are removed. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;
const schema = z.object({
  build: z.string().regex(/^b-[0-9a-f]+$/),
  requirements: z.array(z.string()),
  identity: z.string(),
  bytes: z.number(),
});

/**
 * The folder in which environments are kept, shared by all servers of a user.
 *
 * ```
 * <key>/ready.json       which build is whole; written last, in one step
 * <key>/lock             someone builds
 * <key>/b-1f…/           a build; a virtual environment can't be moved, so each is made in its own last place
 * <key>/b-1f….use-2c…    someone uses that build, or makes it
 * ```
 *
 * Nothing depends on the lock but work: two that build at once make two folders, and one of them becomes the one that
 * counts. What `ready.json` doesn't name and nobody holds is rubbish, whatever it was meant to become.
 */
export class PackageStore {
  readonly #folder: string;
  readonly #maxBytes: number;

  /** @param maxBytes of all environments together */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** The environment of a key, if it is there and whole. */
  find(key: string): Kept | undefined {
    const entry = join(this.#folder, key);
    const built = readReady(entry);
    if (built === undefined) return undefined;
    const hold = takeIfThere(holdPath(entry, built.build));
    // only what is still named now is safe: whoever removes an environment takes its name away first, then looks for holds
    if (hold === undefined || readReady(entry)?.build !== built.build) {
      hold?.release();
      return undefined;
    }
    const now = new Date();
    utimesSync(join(entry, READY), now, now);
    const folder = join(entry, built.build);
    return { folder, bytes: built.bytes, release: () => hold.release() };
  }

  /** The right to build the environment of a key; undefined while someone else has it. */
  lock(key: string): Hold | undefined {
    const entry = join(this.#folder, key);
    mkdirSync(entry, { recursive: true, mode: 0o700 });
    const path = join(entry, LOCK);
    const taken = takeIfThere(path);
    if (taken !== undefined || isHeld(path)) return taken;
    try {
      // renamed first: of two that find it left only one gets it
      const left = join(entry, `${LOCK}-${newName()}`);
      renameSync(path, left);
      rmSync(left, { force: true });
    } catch {
      // the other one was faster
    }
    return takeIfThere(path);
  }

  /** A place for a new build. It is held until it is released, and rubbish then unless it has been finished. */
  start(key: string): Kept {
    const entry = join(this.#folder, key);
    const build = `b-${newName()}`;
    const hold = Hold.take(holdPath(entry, build));
    return { folder: join(entry, build), bytes: 0, release: () => hold?.release() };
  }

  /**
   * Makes a build the environment of its key, if it fits; returns why it doesn't otherwise, and then it is rubbish. Others
   * that nobody uses make room for it, the one that was not used for the longest time first.
   */
  async finish(
    key: string,
    { folder }: Kept,
    about: Pick<Built, "requirements" | "identity">,
  ): Promise<string | undefined> {
    const bytes = await sizeOf(folder);
    const ofAll = this.#maxBytes;
    if (bytes > ofAll) return `it takes ${mebibytes(bytes)} of at most ${mebibytes(ofAll)}`;
    const others = await this.#makeRoom(bytes, key);
    if (others + bytes > ofAll) {
      return `it takes ${mebibytes(bytes)}, and environments that are in use ${mebibytes(others)} of at most ${mebibytes(ofAll)}`;
    }
    const entry = join(this.#folder, key);
    const built: Built = { build: folder.slice(entry.length + 1), ...about, bytes };
    const draft = join(entry, `ready-${newName()}`);
    writeFileSync(draft, `${JSON.stringify(built, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, join(entry, READY));
    return undefined;
  }

  /** What is there: how many environments that are whole, and their bytes. */
  usage(): { environments: number; bytes: number } {
    const sizes = this.#keys().flatMap((key) => readReady(join(this.#folder, key))?.bytes ?? []);
    return { environments: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  }

  /** Removes what nobody uses and no one needs: what was begun and not finished, and what is old. Never throws. */
  async sweep(): Promise<void> {
    for (const key of this.#keys()) {
      const entry = join(this.#folder, key);
      const usedAt = usedAtOf(entry);
      if (usedAt !== undefined && Date.now() - usedAt > MAX_AGE_MS) this.#takeName(key);
      await removeRubbish(entry);
    }
  }

  /** Removes environments until so many bytes are free; returns what the others take. */
  async #makeRoom(bytes: number, but: string): Promise<number> {
    const others = this.#keys()
      .filter((key) => key !== but)
      .map((key) => {
        const entry = join(this.#folder, key);
        return { key, bytes: readReady(entry)?.bytes ?? 0, usedAt: usedAtOf(entry) ?? 0 };
      })
      .toSorted((one, other) => one.usedAt - other.usedAt);
    let taken = others.reduce((sum, other) => sum + other.bytes, 0);
    for (const other of others) {
      if (taken + bytes <= this.#maxBytes) break;
      if (other.bytes === 0 || !this.#takeName(other.key)) continue;
      taken -= other.bytes;
      await removeRubbish(join(this.#folder, other.key));
    }
    return taken;
  }

  /** Takes an environment out of use unless someone uses it; returns whether it is. Its files are rubbish then. */
  #takeName(key: string): boolean {
    const entry = join(this.#folder, key);
    const built = readReady(entry);
    if (built === undefined || isBuildHeld(entry, built.build)) return false;
    rmSync(join(entry, READY), { force: true });
    // whoever has found it meanwhile keeps its files: they are removed when it gives them back
    return !isBuildHeld(entry, built.build);
  }

  #keys(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }
}

/** Undefined also if the folder was removed just now. */
function takeIfThere(path: string): Hold | undefined {
  try {
    return Hold.take(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function newName(): string {
  return randomBytes(6).toString("hex");
}

function holdPath(entry: string, build: string): string {
  return join(entry, `${build}${HOLD_MARK}${newName()}`);
}

/** What is noted of an entry's environment, if its files are there. */
function readReady(entry: string): Built | undefined {
  try {
    const built = schema.parse(JSON.parse(readFileSync(join(entry, READY), "utf8")));
    return existsSync(join(entry, built.build, "bin", "python")) ? built : undefined;
  } catch {
    return undefined;
  }
}

function usedAtOf(entry: string): number | undefined {
  return statSync(join(entry, READY), { throwIfNoEntry: false })?.mtimeMs;
}

function isBuildHeld(entry: string, build: string): boolean {
  return namesIn(entry).some(
    (name) => name.startsWith(build + HOLD_MARK) && isHeld(join(entry, name)),
  );
}

/** Removes from an entry what is neither named nor held, and the entry itself if nothing is left. */
async function removeRubbish(entry: string): Promise<void> {
  const named = readReady(entry)?.build;
  for (const name of namesIn(entry)) {
    const isHold = name.includes(HOLD_MARK) || name.startsWith(LOCK);
    const isBuild = name.startsWith("b-") && !isHold;
    const isDraft = name.startsWith("ready-");
    const isLeft = isHold && !isHeld(join(entry, name));
    const isUnnamed = isBuild && name !== named && !isBuildHeld(entry, name);
    if (!isLeft && !isUnnamed && !(isDraft && !isHeld(join(entry, name)))) continue;
    await rm(join(entry, name), { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
  }
  await rmdir(entry).catch(() => {}); // only if it is empty
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Bytes of all files in a folder. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? await sizeOf(path) : (await lstat(path)).size;
  }
  return bytes;
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)} MiB`;
}
