import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** How a program ended and what it wrote. */
export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** Added to the variables of the test. */
  readonly env?: Record<string, string>;
  /** What it reads; nothing unless given. */
  readonly stdin?: string;
  /** Generous: it is killed then, so that a test that hangs says what it was. */
  readonly withinMs?: number;
}

/** Runs a program to its end, without a shell. How it ends is an answer; throws only if it can't be started. */
export async function runCommand(
  [program = "", ...args]: readonly string[],
  { cwd, env = {}, stdin = "", withinMs = 60_000 }: CommandOptions = {},
): Promise<CommandEnd> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout: withinMs,
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => {}); // it need not read what it is given
  child.stdin.end(stdin);
  const closed = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve([code, signal]));
  });
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closed,
  ]);
  return { code, signal, stdout, stderr };
}

/** Throws, with all that the program wrote, unless it ended with exit code 0. */
export function assertSuccess({ code, signal, stdout, stderr }: CommandEnd): void {
  if (code === 0) return;
  throw new Error(`ended with ${signal ?? code}\nstdout: ${stdout}\nstderr: ${stderr}`);
}
