import { readSettings, type ExecutorOptions } from "./config.ts";
import { createEngine, type Engine } from "./engine.ts";
import { PyExecutorError } from "./errors.ts";
import type {
  BatchOptions,
  BatchRequest,
  MapRequest,
  MapResult,
  ReadPart,
  RunOptions,
  RunRequest,
  RunResult,
  SessionInfo,
} from "./execution.ts";
import { createLog } from "./observability/log.ts";
import { readKept } from "./output/read-kept.ts";
import type { SessionStore } from "./sessions/session-store.ts";

/** Where a session of the library starts. */
export interface SessionOptions {
  /** 1 to 64 letters, digits, `_`, `-` and `.`; a number is made up if there is none. */
  id?: string | undefined;
  /** As in {@link RunRequest.cwd}: where it starts. */
  cwd?: string | undefined;
  /** As in {@link RunRequest.packages}: it keeps them. */
  packages?: readonly string[] | undefined;
}

/** What a session settles itself. */
type InSession<Request> = Omit<Request, "session" | "packages">;

/** Python that lives on from run to run; made by {@link Executor.openSession}. */
export interface PythonSession {
  readonly id: string;
  /** Runs code in it: variables, imports and working directory are there for the next run. Throws as {@link Executor.run} does. */
  run(request: InSession<RunRequest>, options?: RunOptions): Promise<RunResult>;
  /** Runs snippets in copies of it, in parallel; it stays as it is. Throws also `session_unforkable`. */
  runBatch(request: InSession<BatchRequest>, options?: BatchOptions): Promise<RunResult[]>;
  /** Runs one snippet over chunks of a list, in copies of it. Throws as {@link runBatch} does. */
  runMap(request: InSession<MapRequest>, options?: BatchOptions): Promise<MapResult>;
  /** Makes a session that has all that this one has. Throws as {@link runBatch} does. */
  fork(id?: string): Promise<PythonSession>;
  /** Raises `KeyboardInterrupt` in the code that runs in it; returns whether there is some. */
  interrupt(): boolean;
  /** What is in it. */
  describe(): Promise<SessionInfo>;
  /** What was run in it, as the text of a Python file or of a Jupyter notebook. */
  history(format: "py" | "ipynb"): string;
  /** Ends it, with all that runs in it. May be called more than once. */
  close(): void;
}

/** Runs Python snippets; made by {@link createExecutor}. */
export interface Executor {
  /**
   * Runs one snippet. What the code does, failing included, is a result; throws a `PyExecutorError` if the request is
   * refused or the executor itself fails.
   */
  run(request: RunRequest, options?: RunOptions): Promise<RunResult>;
  /** Runs independent snippets in parallel; the results are in the order of `codes`. Throws as {@link run} does. */
  runBatch(request: BatchRequest, options?: BatchOptions): Promise<RunResult[]>;
  /**
   * Runs one snippet over chunks of a list in parallel, each with its part bound as `items`; results are in the order
   * of the items. Throws as {@link run} does.
   */
  runMap(request: MapRequest, options?: BatchOptions): Promise<MapResult>;
  /**
   * Opens a session, which lives until it or the executor is closed, or it isn't used for some time. Code can be run in
   * it by its name, too: `run({ code, session: id })`. Throws as {@link run} does.
   */
  openSession(options?: SessionOptions): Promise<PythonSession>;
  /**
   * Reads what an address of a result leads to: `artifact://…` or `run://…`.
   *
   * @param part from which byte on, and how many at the most; all of it by default
   * @returns undefined if there is no such thing any more
   */
  read(uri: string, part?: { offset?: number; length?: number }): ReadPart | undefined;
  /** Ends all runs; returns when no process and no file of them is left. May be called more than once. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes an executor. Throws a `PyExecutorError` with code `invalid_option` if an option is wrong.
 *
 * @example
 * const executor = createExecutor({ workspace: "/data" });
 * const { stdout, exitCode } = await executor.run({ code: "print(6 * 7)" });
 * await executor.close();
 */
export function createExecutor(options: ExecutorOptions = {}): Executor {
  const settings = readSettings({ ...options, logLevel: options.logLevel ?? "warn" });
  const engine = createEngine(settings, createLog(settings.logLevel));
  const store = engine.openStore();
  const sessions = { sessions: store };
  engine.warm();
  return {
    run: (request, runOptions) => engine.run(request, { ...runOptions, ...sessions }),
    runBatch: (request, batchOptions) => engine.runBatch(request, { ...batchOptions, ...sessions }),
    runMap: (request, batchOptions) => engine.runMap(request, { ...batchOptions, ...sessions }),
    openSession: async ({ id = store.newId(), ...where } = {}) => {
      if (store.get(id) !== undefined) {
        throw new PyExecutorError(
          "invalid_argument",
          `There is a session ${JSON.stringify(id)} already. Use it, close it, or take another name.`,
          { argument: "id" },
        );
      }
      const { success, stderr } = await engine.run({ code: "", session: id, ...where }, sessions);
      if (!success)
        throw new PyExecutorError(
          "interpreter_unusable",
          `The session could not be opened: ${stderr}`,
        );
      return handleOf(engine, store, id);
    },
    read: (uri, { offset = 0, length = Number.MAX_SAFE_INTEGER } = {}) =>
      readKept(engine, uri, offset, length),
    close: engine.close,
    [Symbol.asyncDispose]: engine.close,
  };
}

function handleOf(engine: Engine, sessions: SessionStore, id: string): PythonSession {
  const session = id;
  return {
    id,
    run: (request, options) => engine.run({ ...request, session }, { ...options, sessions }),
    runBatch: (request, options) =>
      engine.runBatch({ ...request, session }, { ...options, sessions }),
    runMap: (request, options) => engine.runMap({ ...request, session }, { ...options, sessions }),
    fork: async (as = sessions.newId()) => {
      await sessions.fork(id, as, new AbortController().signal);
      return handleOf(engine, sessions, as);
    },
    interrupt: () => sessions.find(id).interrupt(),
    describe: async () => sessions.find(id).describe(),
    history: (format) => {
      const { history } = sessions.find(id);
      return format === "py" ? history.toPython(id) : history.toNotebook();
    },
    close: () => {
      if (sessions.get(id) !== undefined) sessions.end(id);
    },
  };
}
