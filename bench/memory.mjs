// @ts-check
import { readdirSync, readFileSync } from "node:fs";

const KILOBYTES_IN_A_MEGABYTE = 1024;

/**
 * The memory of a process and of all below it, in MB. Pages that several processes share are divided among them (PSS),
 * as forked ones share most of theirs. Linux only.
 *
 * @param {number} pid
 */
export function proportionalMegabytes(pid) {
  const kilobytes = processTree(pid).map((member) => {
    const rollup = readFileSync(`/proc/${member}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
  });
  return kilobytes.reduce((sum, each) => sum + each, 0) / KILOBYTES_IN_A_MEGABYTE;
}

/**
 * @param {number} root
 * @returns {number[]}
 */
function processTree(root) {
  const parents = parentsOfAll();
  const tree = [root];
  // The list grows while it is walked: each member brings its own children.
  for (const member of tree) {
    for (const [pid, parent] of parents) if (parent === member) tree.push(pid);
  }
  return tree;
}

/** @returns {Map<number, number>} each process's parent */
function parentsOfAll() {
  /** @type {Map<number, number>} */
  const parents = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      // A process that has ended has no memory any more, and can't be asked for it.
      if (/^State:\s+[ZX]/m.test(status)) continue;
      parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    } catch {
      // It ended while we looked.
    }
  }
  return parents;
}
