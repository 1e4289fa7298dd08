import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { OutputStream } from "../execution.ts";
import { readBytes } from "./read-bytes.ts";

/** What a kept text is: a stream of a run, or a result that is as long as one. */
export type KeptText = OutputStream | "result";

const TEXT = "text/plain";
/** Texts and displays are kept for so long, if there is room (milliseconds). */
const KEPT_MS = 24 * 3600_000;

/** A text that was too long to be shown, kept in a file. */
export interface OutputFile {
  readonly uri: string;
  write(bytes: Buffer): void;
  /** Notes bytes that the run wrote but nobody kept. */
  skip(bytes: number): void;
}

/** What can be said of something kept without reading it. */
export interface OutputInfo {
  uri: string;
  runId: string;
  /** Such as `stdout` or `displays/1.png`. */
  name: string;
  mimeType: string;
  /** Bytes that are kept. */
  size: number;
  /** Bytes that the run wrote. */
  totalBytes: number;
}

export interface OutputStoreOptions {
  /** The server's private folder. */
  root: string;
  /** The most that is kept of one stream, in bytes. */
  maxBytesEach: number;
  /** The most that is kept in all, in bytes; the oldest goes first. */
  maxBytesInAll: number;
}

/** Each thing that is kept holds a descriptor. */
const MAX_KEPT = 500;

interface Entry extends OutputInfo {
  path: string;
  /** Milliseconds since 1970. */
  since: number;
  descriptor: number | undefined;
  /** Whether a piece of the text could not be kept, so that nothing after it is. */
  isFull: boolean;
}

/**
 * Keeps what runs have put out, by address: outputs that were too long to be shown, and what was displayed. For as long as
 * there is room and the server lives, but no longer than a day.
 */
export class OutputStore {
  readonly #options: OutputStoreOptions;
  /** By address, the oldest first. */
  readonly #entries = new Map<string, Entry>();
  #bytesInAll = 0;

  constructor(options: OutputStoreOptions) {
    this.#options = options;
  }

  /** A new name for a run, not to be guessed. */
  newRunId(): string {
    return randomBytes(9).toString("base64url");
  }

  /** Opens a text, `run://{id}/{stream}`; undefined if it can't be kept. */
  open(runId: string, stream: KeptText): OutputFile | undefined {
    return this.#open(`run://${runId}/${stream}`, { runId, name: stream, mimeType: TEXT });
  }

  /** Keeps something displayed, `artifact://{id}/{name}`; returns its address, or undefined if it can't be kept whole. */
  put(runId: string, name: string, mimeType: string, bytes: Buffer): string | undefined {
    if (bytes.length > this.#options.maxBytesInAll) return undefined;
    const uri = `artifact://${runId}/${name}`;
    const file = this.#open(uri, { runId, name, mimeType }, bytes.length);
    file?.write(bytes);
    const entry = this.#entries.get(uri);
    if (entry === undefined || entry.size === bytes.length) return file?.uri;
    this.#drop(entry);
    return undefined;
  }

  /** Lets go of something kept. */
  drop(uri: string): void {
    const entry = this.#entries.get(uri);
    if (entry !== undefined) this.#drop(entry);
  }

  /** @param maxBytes the most that is kept of it */
  #open(
    uri: string,
    what: Pick<Entry, "runId" | "name" | "mimeType">,
    maxBytes = this.#options.maxBytesEach,
  ): OutputFile | undefined {
    this.#dropOld();
    this.drop(uri);
    const entry: Entry = {
      uri,
      ...what,
      path: join(this.#options.root, randomBytes(9).toString("hex")),
      since: Date.now(),
      size: 0,
      totalBytes: 0,
      descriptor: undefined,
      isFull: false,
    };
    try {
      entry.descriptor = openSync(entry.path, "wx+", 0o600);
      // a file without a name is gone when the server is, however that ends; Windows keeps the names of open files
      if (process.platform !== "win32") rmSync(entry.path);
    } catch {
      return undefined; // a full disk costs the copy, not the answer
    }
    this.#entries.set(uri, entry);
    return {
      uri,
      write: (bytes) => this.#write(entry, bytes, maxBytes),
      skip: (bytes) => {
        entry.totalBytes += bytes;
      },
    };
  }

  list(): OutputInfo[] {
    this.#dropOld();
    return [...this.#entries.values()];
  }

  /**
   * @param offset where to begin, in bytes
   * @param length how much to read at the most, in bytes
   * @returns undefined if there is no such text (any more)
   */
  read(
    uri: string,
    offset = 0,
    length = Number.MAX_SAFE_INTEGER,
  ): { info: OutputInfo; bytes: Buffer } | undefined {
    this.#dropOld();
    const entry = this.#entries.get(uri);
    if (entry?.descriptor === undefined) return undefined;
    return { info: entry, bytes: readBytes(entry.descriptor, entry.size, offset, length) };
  }

  close(): void {
    for (const entry of this.#entries.values()) this.#drop(entry);
  }

  #write(entry: Entry, bytes: Buffer, maxBytes: number): void {
    entry.totalBytes += bytes.length;
    if (entry.descriptor === undefined || entry.isFull) return;
    const kept = bytes.subarray(0, maxBytes - entry.size);
    let written = 0;
    try {
      written = writeSync(entry.descriptor, kept);
    } catch {
      // a full disk costs the copy, not the answer
    }
    // what comes after a gap would pass for what comes next
    entry.isFull = written < bytes.length;
    entry.size += written;
    this.#bytesInAll += written;
    this.#makeRoom(entry);
  }

  #dropOld(): void {
    const oldest = Date.now() - KEPT_MS;
    for (const entry of this.#entries.values()) {
      if (entry.since >= oldest) return; // they are in their order
      this.#drop(entry);
    }
  }

  /** Drops the oldest, but not the one that the room is for. */
  #makeRoom(growing: Entry): void {
    for (const oldest of this.#entries.values()) {
      const isRoomy = this.#bytesInAll <= this.#options.maxBytesInAll;
      if (isRoomy && this.#entries.size <= MAX_KEPT) return;
      if (oldest !== growing) this.#drop(oldest);
    }
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.uri);
    this.#bytesInAll -= entry.size;
    if (entry.descriptor !== undefined) closeSync(entry.descriptor);
    entry.descriptor = undefined;
    rmSync(entry.path, { force: true });
  }
}
