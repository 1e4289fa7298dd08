export { createExecutor } from "./executor.ts";
export type { Executor, PythonSession, SessionOptions } from "./executor.ts";
export type { ExecutorOptions } from "./config.ts";
export type {
  Artifact,
  BatchOptions,
  BatchRequest,
  Display,
  InputFile,
  MapRequest,
  MapResult,
  OutputStream,
  Picture,
  ReadPart,
  RunInput,
  RunOptions,
  RunRequest,
  RunResult,
  RunStatus,
  SessionInfo,
  SessionUse,
  SessionVariable,
  Truncation,
} from "./execution.ts";
export { PyExecutorError } from "./errors.ts";
export type { ErrorCode, LostSession } from "./errors.ts";
export { chunkByCount, chunkBySize, suggestBatchSize } from "./schedule/chunking.ts";
