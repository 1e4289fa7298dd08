// @ts-check
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Windows has no quick way to see the command lines of others. */
export const canSeeProcesses = process.platform !== "win32";

/**
 * The command lines, of all processes of this machine, that hold a text; needs {@link canSeeProcesses}.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function processesNaming(text) {
  return commandLines().filter((line) => line.includes(text));
}

/** @returns {string[]} */
function commandLines() {
  if (existsSync("/proc/self/cmdline")) {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => commandLine(pid));
  }
  return execFileSync("ps", ["-axww", "-o", "args="], { encoding: "utf8" }).split("\n");
}

/**
 * @param {string} pid
 * @returns {string} empty if the process has ended meanwhile
 */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
