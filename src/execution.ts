/** What can be asked of the engine and what comes back: the types that all callers share. */
import type { LostSession } from "./errors.ts";

/** A file that is to be there when code begins. */
export interface InputFile {
  /** Relative to the working directory, without `..`; folders are made. */
  path: string;
  content: string | Uint8Array;
}

/** What code gets besides itself. */
export interface RunInput {
  /** What it reads from standard input; nothing, if it is missing. */
  stdin?: string | undefined;
  /** Written before it begins, in the place of what is there. */
  files?: readonly InputFile[] | undefined;
}

/** One snippet to run. */
export interface RunRequest extends RunInput {
  /** Python source text. */
  code: string;
  /** Seconds, fractions allowed; brought into the range that the operator allows. Default 30. */
  timeout?: number | undefined;
  /** Working directory; a relative one is taken from the workspace, which is also the default. */
  cwd?: string | undefined;
  /** Packages to run with, such as `polars>=1`; installed first where they aren't yet. At most 50. */
  packages?: readonly string[] | undefined;
  /**
   * A session to run in: it is made by the first use of its name, and keeps variables, imports and working directory for
   * the next. 1 to 64 letters, digits, `_`, `-` and `.`.
   */
  session?: string | undefined;
}

/** Several independent snippets to run in parallel. */
export interface BatchRequest extends RunInput {
  codes: readonly string[];
  /** Seconds for each snippet, as in {@link RunRequest.timeout}. */
  timeout?: number | undefined;
  /** How many run at the same time; brought into the range that the operator allows. Default 4. */
  maxWorkers?: number | undefined;
  cwd?: string | undefined;
  /** As in {@link RunRequest.packages}, for all snippets. */
  packages?: readonly string[] | undefined;
  /** A session: each snippet runs in a copy of it, and it stays as it is. */
  session?: string | undefined;
}

/** One snippet to run over a list of items, a part of it at a time. */
export interface MapRequest extends RunInput {
  /** Finds its part of the items bound as `items`, a list. */
  code: string;
  /** What JSON can carry; at most 10,000 items and 8 MiB of JSON. */
  items: readonly unknown[];
  /** What one item costs; decides how many chunks there are: 4, 3 (the default) or 2. */
  complexity?: "low" | "medium" | "high" | undefined;
  /** How many chunks, instead of `complexity`; brought into the range that the operator allows for a batch. */
  chunks?: number | undefined;
  /** Seconds for each chunk, as in {@link RunRequest.timeout}. */
  timeout?: number | undefined;
  /** As in {@link BatchRequest.maxWorkers}. */
  maxWorkers?: number | undefined;
  cwd?: string | undefined;
  /** As in {@link RunRequest.packages}. */
  packages?: readonly string[] | undefined;
  /** As in {@link BatchRequest.session}. */
  session?: string | undefined;
}

/** What comes of a {@link MapRequest}. */
export interface MapResult {
  /** How each chunk's run ended, in the order of the items. */
  results: RunResult[];
  /** How many items each chunk had. */
  chunkSizes: number[];
  /** The chunks' lists put together, if every chunk ended well and in a list that JSON can carry. */
  result?: unknown[];
  /** The same as JSON text, in which whole numbers beyond 2^53 are exact. */
  resultJson?: string;
  /** As in {@link RunResult.artifacts}, of all chunks together. */
  artifacts?: Artifact[];
  /** As in {@link RunResult.notes}, and why there is no `result`. */
  notes?: string[];
}

/**
 * How a run ended.
 *
 * `ok`: exit code 0. `error`: another exit code. `timeout`: ended at its deadline. `signal`: ended by a signal.
 * `memory`: outgrew its memory limit. `limit`: had more processes than it may. `cancelled`: the caller no longer wanted it. `refused`: it could not be run at all.
 */
export type RunStatus =
  | "ok"
  | "error"
  | "timeout"
  | "signal"
  | "memory"
  | "limit"
  | "cancelled"
  | "refused";

export type OutputStream = "stdout" | "stderr";

/** That a stream is not all there, and where the rest is. */
export interface Truncation {
  /** What the run wrote, in bytes. */
  totalBytes: number;
  /** What `stdout` or `stderr` holds of it, in bytes: its beginning and its end. */
  shownBytes: number;
  /** Where the text can be read in full, or its first part if it was beyond that limit too. */
  uri: string | undefined;
}

/** A picture as the bytes of a file. */
export interface Picture {
  /** `image/png`, `image/jpeg`, `image/webp` or `image/gif`. */
  mimeType: string;
  bytes: Buffer;
  /** Pixels; a longest side of 1,568 at most, where it could be scaled. */
  width?: number;
  height?: number;
}

/** Something that code has shown: a figure, a table, HTML … */
export interface Display {
  /** What has shown it: a call of `display`, the code's last expression, a figure that was shown or left open. */
  source: "display" | "result" | "figure";
  /** Of the representations that there are. */
  mimeTypes: string[];
  /** What there is to read of it. */
  text?: string;
  /** What a chart shows: type, axes, series. Only where it could be read off, and is short. */
  chart?: unknown;
  /** A picture of it that models read well; of the first four displays that have one. */
  picture?: Picture;
  /** Address of the representation that has most of it: the picture in its own size, the whole table … */
  artifact?: string;
  /** Addresses of all representations that are kept, by MIME type. */
  artifacts: Record<string, string>;
  notes?: string[];
}

/** A file that was made or changed in the folder where code ran, while it ran. */
export interface Artifact {
  /** From that folder. */
  path: string;
  /** Bytes. */
  size: number;
  /** By its name. */
  mimeType: string;
  change: "added" | "changed";
  /** Where it can be read: the file as it is then, not as it was. */
  uri: string;
}

/** What an address of a result leads to, or a part of it. */
export interface ReadPart {
  mimeType: string;
  bytes: Buffer;
  /** Of all of it, in bytes. */
  size: number;
}

/** How a snippet ended and what it wrote. */
export interface RunResult {
  status: RunStatus;
  stdout: string;
  stderr: string;
  /** The process's exit code; −N if signal N ended it, −1 at the deadline or when cancelled, −2 if it could not be run. */
  exitCode: number;
  /** Whether the exit code is 0. */
  success: boolean;
  /** The Python that ran the code: its `sys.executable`. */
  executable: string;
  /** How far the run was contained; absent where that was not settled before it ended. */
  sandbox?: "full" | "partial" | "none";
  /** The name of the signal that ended the run, such as `SIGSEGV`. */
  signal?: string;
  /** The repr of the snippet's last expression, if it has a value that isn't None. */
  result?: string;
  /** What the code has shown, besides what it wrote. */
  displays?: Display[];
  /** Files that were made or changed where the code worked, while it ran; of a batch, {@link BatchOptions.onArtifacts} has them. */
  artifacts?: Artifact[];
  /** Time from the start of the code to its end, without the time spent waiting for a place. */
  durationMs: number;
  /** Set where a stream was too long to be shown whole. */
  truncated?: Partial<Record<OutputStream, Truncation>> & { result?: true };
  /** What the caller should know besides: a value that was brought into range, a workspace that isn't the expected one. */
  notes?: string[];
  /** The session that the code ran in. */
  session?: SessionUse;
}

/** What became of a session in which code was run. */
export type SessionUse =
  | {
      id: string;
      /** `created`: the code was the first in it. `resumed`: it found what earlier code has left. */
      state: "created" | "resumed";
      /** How many cells it has run, this one included. */
      runCount: number;
      /** Whether the deadline or a cancel interrupted the code; the session lives on, with what the code had done. */
      isInterrupted?: true;
    }
  | LostSession;

/** A variable of a session. */
export interface SessionVariable {
  name: string;
  /** Such as `int` or `pandas.DataFrame`. */
  type: string;
  /** Bytes, of a container without its items; null if it can't be told cheaply. */
  size: number | null;
  /** Such as `(1000, 3)`; null for what has none. */
  shape: string | null;
  /** The beginning of its repr; null for what has a shape. */
  value: string | null;
}

/** What there is to say of a session now. */
export interface SessionInfo {
  id: string;
  /** `starting`: its first code has not begun yet. */
  state: "starting" | "idle" | "running";
  ageSeconds: number;
  /** Since its last use; 0 while it is used. */
  idleSeconds: number;
  runCount: number;
  /** Bytes that its process uses; absent while it runs. */
  memory?: number;
  /** The names that it had bound after its last run. */
  names: readonly string[];
  /** Absent while it runs. */
  variables?: readonly SessionVariable[];
}

/** What a caller may hand to a run besides the request. */
export interface RunOptions {
  /** Aborting ends the run with its whole process tree. */
  signal?: AbortSignal | undefined;
  /** Called with output as it comes, decoded, in pieces; `index` is the snippet's in a batch, the chunk's in a map. */
  onOutput?: ((stream: OutputStream, text: string, index: number) => void) | undefined;
  /** Called when the request has been checked and waits for a place, and when its (first) code is about to run. */
  onState?: ((state: "queued" | "running") => void) | undefined;
  /** Called with what is done before the code can run: a line of the installer of packages. */
  onNotice?: ((line: string) => void) | undefined;
  /** Whether the limit for background runs (`maxBackground`) counts instead of `maxTimeout`. */
  isBackground?: boolean | undefined;
}

export interface BatchOptions extends RunOptions {
  /** Called whenever a snippet of a batch or a chunk of a map has ended: how many snippets or items are done. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** Called at the end of a batch with the files that were made or changed by its snippets, if there are any. */
  onArtifacts?: ((artifacts: Artifact[]) => void) | undefined;
}
