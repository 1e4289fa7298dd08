import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { homedir, constants as osConstants, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import type { Program } from "./corpus.ts";

const run = promisify(execFile);

/** What `python -u file.py` did: the truth that the product is held against. */
interface ReferenceRun {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Exit code, or the negative number of the signal that ended it, as in Python's `subprocess`. */
  readonly exitCode: number;
  /** Where the program was while it ran: the path that {@link normalise} is to hide. */
  readonly filePath: string;
}

/**
 * Runs a program as `python -u <absolute path>` in a fresh folder that holds only the program, for
 * that folder is both the working directory and `sys.path[0]`. stdin is `/dev/null`, stdout and
 * stderr are real pipes (Node's own are sockets, which a program can tell apart: `/dev/stdout`
 * can't be opened). The folder is removed afterwards.
 *
 * @param options.env The whole environment of the process; nothing is inherited.
 * @param options.timeoutMs Milliseconds until the process group is killed and the call throws;
 *   20,000 by default.
 */
export async function runReference(
  python: string,
  program: Program,
  options: { env: Record<string, string>; timeoutMs?: number },
): Promise<ReferenceRun> {
  const { env, timeoutMs = 20_000 } = options;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "reference-")));
  const cwd = join(folder, "work");
  // The hyphens of its name keep the file from being imported in place of a module.
  const filePath = join(cwd, `${program.name}.py`);
  try {
    await mkdir(cwd);
    await writeFile(filePath, program.bytes);
    const out = await openPipe(join(folder, "stdout"));
    const err = await openPipe(join(folder, "stderr"));
    const child = spawn(python, ["-u", filePath], {
      cwd,
      env,
      stdio: ["ignore", out.writer, err.writer],
      detached: true, // a group of its own, to kill a program that hangs with all its children
    });
    closeSync(out.writer);
    closeSync(err.writer);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup(child);
    }, timeoutMs);
    try {
      const [[code, signal], stdout, stderr] = await Promise.all([
        once(child, "exit"),
        readAll(out.reader),
        readAll(err.reader),
      ]);
      if (timedOut) {
        throw new Error(`${program.name} did not end within ${timeoutMs} ms under ${python}`);
      }
      return { stdout, stderr, exitCode: toExitCode(code, signal), filePath };
    } finally {
      clearTimeout(timer);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Hides what two equal runs may differ in: the program's path, memory addresses and thread
 * identifiers, and how many frames fit before the recursion limit (a runner has a few frames of its
 * own below the program's).
 */
export function normalise(text: string, filePath: string): string {
  return text
    .replaceAll(filePath, "<file>")
    .replaceAll(/\b0x[0-9a-f]{6,16}\b/gi, "0x<address>")
    .replaceAll(/\b(started(?: daemon)?) \d{6,}/g, "$1 <thread>")
    .replaceAll(/(?<=\[Previous line repeated )9\d\d(?= more times\])/g, "<limit>");
}

/** A CPython that programs can be tried on. */
export interface FoundPython {
  readonly version: [major: number, minor: number];
  readonly path: string;
}

/**
 * Finds CPython 3.9 and newer, one for each minor version, oldest first: `python3.X` and `python3`
 * on PATH come before the versions of pyenv (`$PYENV_ROOT`, else `~/.pyenv`). Free-threaded builds
 * are left out.
 */
export async function findPythons(): Promise<FoundPython[]> {
  const candidates: string[] = [];
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const names = (await list(folder)).filter((name) => /^python3(\.\d+)?$/.test(name));
    // "python3.11" before "python3": the exact name is the more certain one.
    candidates.push(
      ...names
        .toSorted()
        .toReversed()
        .map((name) => join(folder, name)),
    );
  }
  const versions = join(process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv"), "versions");
  const installed = (await list(versions)).filter((name) => /^3\.\d+\.\d+$/.test(name));
  candidates.push(...installed.toSorted().map((name) => join(versions, name, "bin", "python")));

  const found = new Map<number, FoundPython>();
  for (const candidate of candidates) {
    const python = await probe(candidate);
    if (python && !found.has(python.version[1])) found.set(python.version[1], python);
  }
  return [...found.values()].toSorted((a, b) => a.version[1] - b.version[1]);
}

/** Asks an interpreter what it is; answers with its own `sys.executable`, for it may be a shim. */
async function probe(candidate: string): Promise<FoundPython | undefined> {
  // A free-threaded build answers "cpythont".
  const question =
    "import sys as s; print(s.implementation.name + s.abiflags, *s.version_info[:2], s.executable)";
  try {
    const { stdout } = await run(candidate, ["-c", question], { timeout: 10_000 });
    const answer = /^cpython 3 (\d+) (\/.+)$/m.exec(stdout);
    const minor = Number(answer?.[1]);
    return answer?.[2] && minor >= 9 ? { version: [3, minor], path: answer[2] } : undefined;
  } catch {
    return undefined; // a shim without a version behind it, a broken link, not executable
  }
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

async function openPipe(path: string): Promise<{ reader: Socket; writer: number }> {
  await run("mkfifo", [path]);
  // Opening either end waits for the other, except the reader's with O_NONBLOCK. The program's end
  // must not have that flag.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  return { reader: new Socket({ fd: reader, readable: true, writable: false }), writer };
}

async function readAll(stream: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // ESRCH: the whole group has just ended by itself
  }
}

function toExitCode(code: number | null, signal: NodeJS.Signals | null): number {
  if (signal !== null) return -osConstants.signals[signal];
  if (code === null) throw new Error("the process ended with neither a code nor a signal");
  return code;
}
