import type { OutputStream } from "../execution.ts";
import type { Logger } from "../observability/log.ts";
import type { Trouble } from "../sandbox/hints.ts";
import type { Confinement } from "../sandbox/confinement.ts";
import type { SandboxLevel } from "../sandbox/level.ts";
import type { PrivateFolders } from "./private-folders.ts";
import type { Shown } from "./shown.ts";

/** An interpreter and all that a process of it is started with. Two runs with equal environments can share warm starts. */
export interface Environment {
  /** The program to start. */
  python: string;
  /** All variables that the code sees. */
  variables: Readonly<Record<string, string>>;
  /** Undefined: the process may do what the server may do. */
  confinement?: Confinement | undefined;
}

/** What a worker has to know of a run. */
export interface Task {
  code: string;
  /** An absolute path of a folder. */
  cwd: string;
  /** Seconds. */
  timeout: number;
  environment: Environment;
  /** A JSON object: names that the code finds bound, and their values. */
  bindings?: string | undefined;
  /** The longest JSON (bytes) of a list that the code ends in; it is told only if this is set. */
  listBytes?: number | undefined;
  /** What the code reads from standard input; nothing, if it is missing. */
  stdin?: string | undefined;
  /** What is to be in the working directory when the code begins: by relative path, which has been checked. */
  files?: ReadonlyMap<string, Buffer> | undefined;
}

/** What a worker tells while a run goes on. */
export interface RunEvents {
  /** Aborting ends the run with its whole process tree. */
  signal: AbortSignal;
  onOutput(stream: OutputStream, bytes: Buffer): void;
  /** Output of which only the end was kept: `skipped` bytes in all, and the last of them. */
  onSkipped(stream: OutputStream, skipped: number, tail: Buffer): void;
  /** Something that the run shows. */
  onShown(shown: Shown): void;
}

/** How a run ended, as its supervisor saw it. */
export type RunEnd =
  | {
      how: "exit";
      exitCode: number;
      executable: string;
      durationMs: number;
      sandbox?: SandboxLevel;
      value: RunValue | undefined;
      /** Told only if the task asked for it. */
      list?: ListAsJson | undefined;
      trouble?: Trouble;
      /** Whether the code is known to have written to no file; on some file systems that can't be known. */
      hasWrittenNothing?: true;
      /** Installed packages that the code imported and the interpreter did not have yet. */
      imports: readonly string[];
    }
  | { how: "timeout"; executable: string; sandbox?: SandboxLevel; durationMs: number }
  | {
      how: "limit";
      /** What all processes of the run together have outgrown. */
      outgrown: "memory" | "processes";
      executable: string;
      durationMs: number;
      sandbox?: SandboxLevel;
    }
  | { how: "cancelled"; executable: string; sandbox?: SandboxLevel }
  | { how: "failed"; executable: string; sandbox?: SandboxLevel; reason: string };

/** The text of the value that a script's last expression had. */
interface RunValue {
  text: string;
  isCut: boolean;
}

/** JSON text of the list that a script's last expression gave, or why there is none. It comes from the code: not to be trusted. */
export type ListAsJson = { json: string } | { problem: string };

/** What is asked of a session: its environment was settled when it was opened. */
export interface SessionTask extends Omit<Task, "environment" | "cwd"> {
  /** An absolute path of a folder; empty: where the session is. The first task of a session needs one. */
  cwd: string;
}

/** How code in a session ended. */
export interface SessionRunEnd {
  end: RunEnd;
  /** The names that the session has bound now; undefined if it could not say, and for code in a copy. */
  names: readonly string[] | undefined;
  /** Whether the deadline or a cancel interrupted the code, and it settled: the session lives on. */
  isSettled: boolean;
  /** Whether the session's process is gone. */
  isLost: boolean;
}

/** Why a session can't be forked: a sentence. */
export interface Unforkable {
  refused: string;
}

/** What a session says of itself. It comes from the code's process: not to be trusted. */
export interface SessionFacts {
  /** JSON of a list of `{name, type, size, shape, value}`. */
  variables: string;
  /** Bytes that its process uses. */
  memory: number;
}

/**
 * Holds sessions: processes that live on from cell to cell. The first has the number 0; the caller numbers those that
 * are forked from it. They share what contains them, and end together when the host does.
 */
export interface SessionHost {
  /** Runs code in a session's process. One cell at a time: the caller sees to that. */
  runCell(process: number, task: SessionTask, events: RunEvents): Promise<SessionRunEnd>;
  /** Runs code in a copy of a session's process, which ends with it. Not while a cell runs. */
  runCopy(
    process: number,
    task: SessionTask,
    events: RunEvents,
  ): Promise<SessionRunEnd | Unforkable>;
  /** Makes a copy of a session's process a session of its own. Not while a cell runs. */
  fork(process: number, as: number): Promise<SessionRunEnd | Unforkable>;
  /** Not while a cell runs; undefined if the process is gone or doesn't answer. */
  describe(process: number): Promise<SessionFacts | undefined>;
  /** Interrupts the cell that runs in a session; returns whether there is one. */
  interrupt(process: number): boolean;
  /** Ends a session's process with all that it runs. */
  closeProcess(process: number): void;
  /** Calls the listener once if the process ends while it has nothing to do, or the host is lost. */
  onEnd(process: number, listener: (end: RunEnd) => void): void;
  /** Ends all that is in it. May be called more than once. */
  close(): void;
}

/** Runs snippets in processes of their own. The engine knows nothing else of processes. */
export interface Worker {
  /**
   * Runs one snippet. Throws a `PyExecutorError` if the interpreter can't be used; everything else that can happen to
   * a run is a {@link RunEnd}.
   */
  run(task: Task, events: RunEvents): Promise<RunEnd>;
  /**
   * Opens a place for sessions; nothing runs in it yet. Throws as {@link run}, and the signal's reason if that aborts.
   *
   * @param code what will run in it first: it decides which libraries are there already
   */
  openSession(environment: Environment, code: string, signal: AbortSignal): Promise<SessionHost>;
  /** Gets ready for runs in an environment, so that the first doesn't wait; never throws. */
  warm(environment: Environment): void;
  /** What an interpreter of an environment says of itself; rejects if it can't be started. */
  describe(environment: Environment): Promise<ReadonlyMap<string, string>>;
  /** An environment is not used any more: what was got ready for it may go, when its runs are over. */
  forget(environment: Environment): void;
  /** Ends all runs and processes; returns when nothing of them is left. */
  close(): Promise<void>;
}

/** Bounds that a worker holds for every run. */
export interface WorkerLimits {
  /** Output of each stream that is handed on whole, in bytes. */
  forwardBytes: number;
  /** How much of the end is kept when there is more, in bytes. */
  tailBytes: number;
  /** The longest repr of a last value, in characters. */
  resultChars: number;
}

/** Where the server's own things are. */
export interface Places {
  /** Path of `boot.py`. */
  boot: string;
  /** The server's private folder. */
  root: string;
  /** The parts of it that interpreters get. */
  folders: PrivateFolders;
}

/** What every worker is made with. */
export interface WorkerOptions {
  places: Places;
  limits: WorkerLimits;
  log: Logger;
}
