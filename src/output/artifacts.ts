import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statfsSync,
} from "node:fs";
import { join } from "node:path";
import type { Artifact, ReadPart } from "../execution.ts";
import { ChangedFiles, type Found } from "./changed-files.ts";
import { mimeTypeOf } from "./mime.ts";
import { readBytes } from "./read-bytes.ts";

/** Files of one request that are told, the newest. */
const MAX_TOLD = 50;
/** Of all their addresses together, in characters. */
const MAX_TOLD_CHARS = 60_000;
/** Requests whose files can be read by their addresses, the newest. */
const MAX_KEPT = 200;
/** Part of an address; what runs display is kept beside it. */
const FILES = "files";

/** What is told of a request's files. */
interface Told {
  artifacts: Artifact[];
  notes: string[];
}

const NOTHING: Told = { artifacts: [], notes: [] };

interface Kept {
  /** Real path of the folder that all lie in. */
  folder: string;
  artifacts: readonly Artifact[];
}

/** The files that runs have made or changed where they worked, by `artifact://{id}/files/{path}`: not copied, but read where they lie. */
export class Artifacts {
  readonly #changed = new ChangedFiles();
  readonly #isWritable: (folder: string) => boolean;
  /** By the id of a run, the oldest first. */
  readonly #kept = new Map<string, Kept>();

  /** @param isWritable whether code can write to a folder: in others nothing is looked for */
  constructor(isWritable: (folder: string) => boolean) {
    this.#isWritable = isWritable;
  }

  /**
   * Takes note of the time, before code runs in a folder.
   *
   * @param input what is written there for the code, by path: only if it is another afterwards, it is told
   * @returns finds what has changed there since; the run's id becomes the first part of the addresses. Where code is said
   *   to have written nothing, a folder with much in it is not looked through without a sign of a change: the kernel counts
   *   neither what is written to a page that waits to be written already, nor a new name, nor a file that is emptied
   */
  watch(
    folder: string,
    input: ReadonlyMap<string, Buffer> = new Map(),
  ): (runId: string, hasWrittenNothing: boolean) => Promise<Told> {
    const since = Date.now();
    return async (runId, hasWrittenNothing) => {
      // from here on, the folder is where it is now: code may put a link in its place, or in that of one above
      const real = realIfThere(folder);
      if (real === undefined) return NOTHING;
      const isLikelyNone = hasWrittenNothing && isCounted(real);
      if (!isLikelyNone && !this.#isWritable(real)) return NOTHING;
      const found = await this.#changed.since(real, since, isLikelyNone);
      const isOurs = found.files.length > 0 && realIfThere(real) === real && this.#isWritable(real);
      return isOurs ? this.#note(runId, real, found, input) : NOTHING;
    };
  }

  #note(
    runId: string,
    folder: string,
    { files: found, isPartial }: Found,
    input: ReadonlyMap<string, Buffer>,
  ): Told {
    const files = found.filter(({ path, size }) => {
      const given = input.get(path);
      if (given?.length !== size) return true;
      return readPart(join(folder, path), 0, size)?.bytes.equals(given) !== true;
    });
    const artifacts: Artifact[] = [];
    let room = MAX_TOLD_CHARS;
    for (const { path, size, change } of files.slice(-MAX_TOLD).toReversed()) {
      const uri = `artifact://${runId}/${FILES}/${path.split("/").map(encodeURIComponent).join("/")}`;
      room -= uri.length;
      if (room >= 0) artifacts.unshift({ path, size, mimeType: mimeTypeOf(path), change, uri });
    }
    if (artifacts.length > 0) this.#keep(runId, { folder, artifacts });
    const left = files.length - artifacts.length;
    const notes = [
      ...(left > 0 ? [`${left} more files were made or changed than are listed.`] : []),
      ...(isPartial ? ["The folder is too large to look for all files that were changed."] : []),
    ];
    return { artifacts, notes };
  }

  /** All that can be read, the newest last. */
  list(): Artifact[] {
    return [...this.#kept.values()].flatMap(({ artifacts }) => artifacts);
  }

  /**
   * Reads a part of a file as it is now.
   *
   * @returns undefined if there is no such file (any more)
   */
  read(uri: string, offset: number, length: number): ReadPart | undefined {
    const [, runId = ""] = /^artifact:\/\/([^/]+)\//.exec(uri) ?? [];
    const kept = this.#kept.get(runId);
    const artifact = kept?.artifacts.find((one) => one.uri === uri);
    if (kept === undefined || artifact === undefined) return undefined;
    const part = readPart(join(kept.folder, artifact.path), offset, length);
    return part && { mimeType: artifact.mimeType, ...part };
  }

  #keep(runId: string, kept: Kept): void {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(runId, kept);
  }
}

/** File systems on which the kernel counts what a process has written (statfs(2)): ext4, xfs, btrfs, overlayfs. */
const COUNTED = new Set([0xef53, 0x58465342, 0x9123683e, 0x794c7630]);

function isCounted(folder: string): boolean {
  try {
    return COUNTED.has(statfsSync(folder).type);
  } catch {
    return false;
  }
}

function realIfThere(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * A file's bytes, if it is a file and lies where the path says: code that runs there may put a link in its place, or in
 * that of a folder above, at any time.
 */
function readPart(
  path: string,
  offset: number,
  length: number,
): Omit<ReadPart, "mimeType"> | undefined {
  let descriptor: number;
  try {
    // not blocking: opening a pipe waits for whoever writes to it
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const flags = process.platform === "win32" ? O_RDONLY : O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
    descriptor = openSync(path, flags);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || placeOf(descriptor, path) !== path) return undefined;
    return { bytes: readBytes(descriptor, stats.size, offset, length), size: stats.size };
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Where an open file lies: Linux tells it of the descriptor itself (proc(5)), elsewhere the path is asked again. */
function placeOf(descriptor: number, path: string): string {
  return process.platform === "linux"
    ? readlinkSync(`/proc/self/fd/${descriptor}`)
    : realpathSync(path);
}

/** Adds what has changed while code ran, if anything has. */
export function withArtifacts<Result extends { artifacts?: Artifact[]; notes?: string[] }>(
  result: Result,
  { artifacts, notes }: { artifacts: Artifact[]; notes: string[] },
): Result {
  if (artifacts.length === 0) return result;
  const told = [...(result.notes ?? []), ...notes];
  return { ...result, artifacts, ...(told.length > 0 ? { notes: told } : {}) };
}
