import { spawn, type ChildProcess } from "node:child_process";
import { Duplex } from "node:stream";
import { systemCode } from "../errors.ts";
import { RunConnection } from "./run-connection.ts";
import type { Environment } from "./worker.ts";

/** The end of what a process wrote to stderr, for error messages. */
const KEPT_STDERR_CHARS = 2000;

/** An interpreter that was started ahead, with the connection to it. It serves one run. */
export interface InterpreterProcess {
  readonly connection: RunConnection;
  /** Settles when the process is gone. */
  readonly ended: Promise<void>;
  /** Why it could not be used, once that is known: what it wrote to stderr or the system's reason. */
  trouble(): string | undefined;
}

/**
 * Starts an interpreter that gets itself ready for a run.
 *
 * @param boot path of `boot.py`
 * @param root the server's private folder
 */
export function startInterpreter(boot: string, root: string, environment: Environment): InterpreterProcess {
  const child = spawn(environment.python, ["-u", boot, root], {
    env: environment.variables,
    cwd: root,
    // stdin at EOF; stdout and stderr are pipes, as they are for any program that is run and read
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true, // a session of its own: no terminal, no signals meant for the server
    windowsHide: true,
  });
  let stderr = "";
  let systemError: string | undefined;
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
  return {
    connection: new RunConnection(connectionOf(child)),
    ended,
    trouble: () => systemError ?? (stderr.trim() || undefined),
  };
}

/** Node makes extra "pipe" descriptors Unix sockets; a program that could not be started has none. */
function connectionOf(child: ChildProcess): Duplex {
  const stream = child.stdio[3];
  if (stream instanceof Duplex) return stream;
  const none = new Duplex({ read() {} });
  none.destroy();
  return none;
}
