/** What other processes are and hold, from proc(5). Linux only, like the promises that are tested with it. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /** Its arguments, with a blank between them; empty for a zombie. */
  readonly command: string;
}

/** All processes there are. One that ends meanwhile may be missing. */
export function allProcesses(): ProcessInfo[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => describeProcess(Number(name)))
    .filter((found) => found !== undefined);
}

/** Children of a process, their children, and so on. */
export function descendantsOf(pid: number): ProcessInfo[] {
  const processes = allProcesses();
  const family = new Set([pid]);
  const found: ProcessInfo[] = [];
  for (let grown = true; grown;) {
    const more = processes.filter((one) => family.has(one.parent) && !family.has(one.pid));
    for (const one of more) family.add(one.pid);
    found.push(...more);
    grown = more.length > 0;
  }
  return found;
}

/**
 * Processes with this text in their arguments, their variables or their working directory.
 *
 * A path of the test's own finds all that the product and its runs leave behind: a forked process has the arguments of
 * the one that it came from, and one that was started by code has inherited a variable with that path.
 */
export function processesMentioning(text: string): ProcessInfo[] {
  return allProcesses().filter(({ pid, command }) => {
    const variables = read(pid, "environ");
    return (
      command.includes(text) || variables.includes(text) || workingDirectory(pid).includes(text)
    );
  });
}

export function isAlive(pid: number): boolean {
  const state = /^State:\t(\w)/m.exec(read(pid, "status"))?.[1];
  return state !== undefined && state !== "Z";
}

/** How many descriptors a process has open. */
export function countDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Memory that a process holds in RAM, in bytes; 0 if it is gone. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(read(pid, "status"))?.[1] ?? 0) * 1024;
}

function describeProcess(pid: number): ProcessInfo | undefined {
  const parent = /^PPid:\t(\d+)/m.exec(read(pid, "status"))?.[1];
  if (parent === undefined) return undefined;
  const command = read(pid, "cmdline").split("\0").join(" ").trim();
  return { pid, parent: Number(parent), command };
}

function workingDirectory(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ""; // gone, or another user's
  }
}

function read(pid: number, file: "cmdline" | "environ" | "status"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // gone, or another user's
  }
}
