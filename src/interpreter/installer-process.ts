import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** How one step of an installation ended. */
export interface StepEnd {
  isOk: boolean;
  /** The last lines that it wrote, without passwords. */
  lines: string[];
}

export interface StepOptions {
  cwd: string;
  variables: NodeJS.ProcessEnv;
  /** Aborting ends the process with all that it started. */
  signal: AbortSignal;
  onLine: (line: string) => void;
}

const MAX_LINES = 40;
const MAX_LINE_CHARS = 500;
/** How long output is waited for that something outside of the process group may still hold open. */
const DRAIN_MS = 1000;

/** Runs a program of an installation to its end. That it fails, or can't be started, is an answer; never throws. */
export async function runStep(
  [program = "", ...args]: readonly string[],
  { cwd, variables, signal, onLine }: StepOptions,
): Promise<StepEnd> {
  const lines: string[] = [];
  const note = (text: string): void => {
    const line = withoutPasswords(text.trimEnd()).slice(0, MAX_LINE_CHARS);
    if (line === "") return;
    lines.push(line);
    if (lines.length > MAX_LINES) lines.shift();
    onLine(line);
  };
  if (signal.aborted) return { isOk: false, lines };
  // a group of its own, so that all that it starts can be ended with it
  const child = spawn(program, args, {
    cwd,
    env: variables,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = (): void => endGroup(child.pid);
  signal.addEventListener("abort", end);
  process.once("exit", end);
  const reading = [child.stdout, child.stderr].map((input) => {
    const reader = createInterface({ input }).on("line", note);
    return new Promise<void>((resolve) => void reader.once("close", resolve));
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
    child.once("error", (error) => {
      note(error.message);
      resolve(null);
    });
  });
  await Promise.race([Promise.all(reading), afterMs(DRAIN_MS)]);
  signal.removeEventListener("abort", end);
  process.off("exit", end);
  return { isOk: code === 0, lines };
}

function afterMs(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it is gone
  }
}

/** A line in which addresses have lost their user and password. */
function withoutPasswords(line: string): string {
  return line.replace(/\/\/[^/\s@]*@/g, "//");
}
