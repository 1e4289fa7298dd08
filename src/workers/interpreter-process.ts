import { spawn, type ChildProcess } from "node:child_process";
import { Duplex } from "node:stream";
import { PyExecutorError, systemCode } from "../errors.ts";
import type { PrivateFolder } from "./private-folders.ts";
import { packFields } from "./wire.ts";
import type { Environment, Places } from "./worker.ts";

/** The end of what a process wrote to stderr, for error messages. */
const KEPT_STDERR_CHARS = 2000;

/** An interpreter that takes longer to start hangs, in a start-up file or on a dead file system. */
const START_PATIENCE_MS = 30_000;
/** How long a process may take to end after its connection was closed. */
const END_PATIENCE_MS = 10_000;

/** What an interpreter is started for; `python/py_executor_runtime/boot.py` has the meaning. */
export type Role = "once" | "template";

/** An interpreter that the server started, and the connection to it. */
export interface InterpreterProcess {
  readonly stream: Duplex;
  /** What belongs to it of the server's private folder, for as long as it lives. */
  readonly folder: PrivateFolder;
  /** Settles when the process is gone. */
  readonly ended: Promise<void>;
  /** Why it could not be used, once that is known: what it wrote to stderr or the system's reason. */
  trouble(): string | undefined;
}

/** Starts an interpreter. What goes wrong shows as the end of the process, with its trouble. */
export function startInterpreter(
  role: Role,
  { boot, root, folders }: Places,
  environment: Environment,
): InterpreterProcess {
  const { python, confinement } = environment;
  const command = [...(confinement?.command ?? []), python, "-u", boot, role];
  const [program = python, ...parameters] = command;
  const folder = folders.take();
  const child = spawn(program, parameters, {
    env: environment.variables,
    cwd: folder.path,
    // stdout and stderr are pipes, as they are for any program that is run and read
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    detached: true, // a session of its own: no terminal, no signals meant for the server
    windowsHide: true,
  });
  let stderr = "";
  let systemError: string | undefined;
  const terms = { root, folder: folder.path, server: process.pid, spec: confinement?.spec ?? "" };
  child.stdin?.on("error", () => {}); // a process that has ended already says so itself
  child.stdin?.end(packFields(terms));
  child.stdout?.resume();
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    stderr = (stderr + piece).slice(-KEPT_STDERR_CHARS);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      systemError = systemCode(error) ?? error.message;
      resolve();
    });
    child.once("exit", () => resolve());
  });
  void ended.then(() => folders.giveBack(folder));
  const stream = connectionOf(child);
  const startTimer = setTimeout(() => {
    systemError = `it was not ready within ${START_PATIENCE_MS / 1000} s`;
    killGroup(child);
  }, START_PATIENCE_MS);
  stream.once("data", () => clearTimeout(startTimer));
  stream.once("close", () => {
    clearTimeout(startTimer);
    const endTimer = setTimeout(() => killGroup(child), END_PATIENCE_MS);
    void ended.then(() => clearTimeout(endTimer));
  });
  return {
    stream,
    folder,
    ended,
    trouble: () => systemError ?? (stderr.trim() || undefined),
  };
}

/** What a process was started with is in its group, but for the runs: those end when it does. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // gone already
  }
}

/** Node makes extra "pipe" descriptors Unix sockets; a program that could not be started has none. */
function connectionOf(child: ChildProcess): Duplex {
  const stream = child.stdio[3];
  if (stream instanceof Duplex) return stream;
  const none = new Duplex({ read() {} });
  none.destroy();
  return none;
}

/** What a caller is told who can't have an interpreter. */
export function unusable({ python }: Environment, trouble: string): PyExecutorError {
  return new PyExecutorError(
    "interpreter_unusable",
    `Python could not be started: ${python}: ${trouble}. Run \`py-executor doctor\` for a diagnosis.`,
  );
}
