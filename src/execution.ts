/** What can be asked of the engine and what comes back: the types that all callers share. */

/** One snippet to run. */
export interface RunRequest {
  /** Python source text. */
  code: string;
  /** Seconds, fractions allowed; brought into the range that the operator allows. Default 30. */
  timeout?: number | undefined;
  /** Working directory; a relative one is taken from the workspace, which is also the default. */
  cwd?: string | undefined;
}

/** Several independent snippets to run in parallel. */
export interface BatchRequest {
  codes: readonly string[];
  /** Seconds for each snippet, as in {@link RunRequest.timeout}. */
  timeout?: number | undefined;
  /** How many run at the same time; brought into the range that the operator allows. Default 4. */
  maxWorkers?: number | undefined;
  cwd?: string | undefined;
}

/**
 * How a run ended.
 *
 * `ok`: exit code 0. `error`: another exit code. `timeout`: ended at its deadline. `signal`: ended by a signal.
 * `memory`: outgrew its memory limit. `cancelled`: the caller no longer wanted it. `refused`: it could not be run at all.
 */
export type RunStatus = "ok" | "error" | "timeout" | "signal" | "memory" | "cancelled" | "refused";

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
  /** The name of the signal that ended the run, such as `SIGSEGV`. */
  signal?: string;
  /** The repr of the snippet's last expression, if it has a value that isn't None. */
  result?: string;
  /** Time from the start of the code to its end, without the time spent waiting for a place. */
  durationMs: number;
  /** Set where a stream was too long to be shown whole. */
  truncated?: Partial<Record<OutputStream, Truncation>> & { result?: true };
  /** What the caller should know besides: a value that was brought into range, a workspace that isn't the expected one. */
  notes?: string[];
}

/** What a caller may hand to a run besides the request. */
export interface RunOptions {
  /** Aborting ends the run with its whole process tree. */
  signal?: AbortSignal | undefined;
  /** Called with output as it comes, decoded, in pieces. */
  onOutput?: ((stream: OutputStream, text: string) => void) | undefined;
}

export interface BatchOptions extends RunOptions {
  /** Called whenever a snippet of the batch has ended. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}
