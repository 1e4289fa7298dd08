/** Every way in which py-executor itself can fail or refuse. The user's Python failing is a result, never one of these. */
export type ErrorCode =
  /** An argument is missing, of the wrong type, or can't be used. */
  | "invalid_argument"
  /** An argument is beyond a limit that the operator set. */
  | "limit_exceeded"
  /** Too many runs are waiting already. */
  | "busy"
  /** There is no Python to run the code with. */
  | "interpreter_missing"
  /** The Python that was found can't be used: too old, broken, not executable. */
  | "interpreter_unusable"
  /** The operator doesn't allow packages to be asked for, or not these. */
  | "packages_refused"
  /** Packages that were asked for could not be installed. The code was not run. */
  | "packages_failed"
  /** The session that was named is gone, with all that was in it. Nothing was run. */
  | "session_lost"
  /** The session can't be forked as it is now. Nothing was run. */
  | "session_unforkable"
  /** Containment that the operator wants can't be had here. */
  | "containment_unavailable"
  /** The executor has been closed. */
  | "closed"
  /** An option of the server or of `createExecutor` is wrong. */
  | "invalid_option";

/** A session that is gone. */
export interface LostSession {
  id: string;
  state: "lost";
  /** What became of it: a sentence without its subject and full stop. */
  reason: string;
  /** Names that it had bound; the first hundred. */
  lostNames: readonly string[];
}

/**
 * What py-executor throws.
 *
 * @example
 * try { await executor.run({ code, cwd: "missing" }) }
 * catch (error) { if (error instanceof PyExecutorError) console.error(error.code, error.argument, error.message) }
 */
export class PyExecutorError extends Error {
  override readonly name = "PyExecutorError";
  readonly code: ErrorCode;
  /** The argument or option at fault, where one is. */
  readonly argument: string | undefined;
  /** What became of the session, with the code `session_lost`. */
  readonly session: LostSession | undefined;

  /** @param message what is wrong, the limit, and what to do about it */
  constructor(
    code: ErrorCode,
    message: string,
    options: { argument?: string; cause?: unknown; session?: LostSession } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.argument = options.argument;
    this.session = options.session;
  }
}

/** The system's own word for an error, such as `ENOENT`; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
