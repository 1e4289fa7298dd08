/** Bounds around a server whose code tries to take the machine down, for the case that containment fails: cgroups(7). */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../eventually.ts";

/** Wider than what containment allows, so that no test passes thanks to them. */
const MAX_PROCESSES = 700;
const MAX_MEMORY_BYTES = 6 * 1024 ** 3;
const ROOT = "/sys/fs/cgroup";
/** Enters each group, then becomes the program. */
const ENTER = 'for group in $NET; do echo $$ > "$group/cgroup.procs"; done; exec "$@"';

export interface SafetyNet {
  /** What the server's command is put behind. */
  readonly prefix: readonly string[];
  /** Processes and threads in it now. */
  readonly count: () => number;
  readonly remove: () => Promise<void>;
}

/** Makes the groups, as root; for others a limit of the user's processes, which does not bind root, has to do. */
export function makeSafetyNet(): SafetyNet {
  if (process.getuid?.() !== 0) {
    const prefix = ["prlimit", `--nproc=${MAX_PROCESSES * 4}`, "--"];
    return { prefix, count: () => 0, remove: async () => {} };
  }
  const name = `py-executor-test-${process.pid}-${performance.now().toFixed(0)}`;
  const isOld = existsSync(join(ROOT, "pids"));
  const groups = isOld
    ? [join(ROOT, "pids", name), join(ROOT, "memory", name)]
    : [join(ROOT, name)];
  if (!isOld) writeFileSync(join(ROOT, "cgroup.subtree_control"), "+pids +memory");
  for (const group of groups) mkdirSync(group);
  const [pids = "", memory = pids] = groups;
  writeFileSync(join(pids, "pids.max"), String(MAX_PROCESSES));
  const limit = isOld ? "memory.limit_in_bytes" : "memory.max";
  writeFileSync(join(memory, limit), String(MAX_MEMORY_BYTES));
  return {
    prefix: ["env", `NET=${groups.join(" ")}`, "sh", "-c", ENTER, "sh"],
    count: () => Number(readFileSync(join(pids, "pids.current"), "utf8")),
    remove: async () => {
      const isEmpty = (): boolean => readFileSync(join(pids, "cgroup.procs"), "utf8") === "";
      if (!(await eventually(isEmpty, 2000))) {
        writeFileSync(join(pids, "pids.max"), "0"); // nobody forks any more
        await eventually(() => {
          for (const pid of readFileSync(join(pids, "cgroup.procs"), "utf8").split("\n")) kill(pid);
          return isEmpty();
        });
      }
      for (const group of groups) rmdirSync(group);
    },
  };
}

function kill(pid: string): void {
  if (pid === "") return;
  try {
    process.kill(Number(pid), "SIGKILL");
  } catch {
    // gone
  }
}
