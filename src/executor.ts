import { readSettings, type ExecutorOptions } from "./config.ts";
import { createEngine } from "./engine.ts";
import type {
  BatchOptions,
  BatchRequest,
  MapRequest,
  MapResult,
  RunOptions,
  RunRequest,
  RunResult,
} from "./execution.ts";
import { createLog } from "./observability/log.ts";

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
  engine.warm();
  return {
    run: engine.run,
    runBatch: engine.runBatch,
    runMap: engine.runMap,
    close: engine.close,
    [Symbol.asyncDispose]: engine.close,
  };
}
