import { formatBytes } from "./amounts.ts";
import type { SandboxLevel } from "./level.ts";
import type { Policy } from "./policy.ts";

/** What may have ended a run or stood in its way, as the supervisor and the kernel tell it. */
export interface Trouble {
  /** One word that the run's own process said: what kind of a limit its last exception looks like. */
  denial?: string | undefined;
  /** Hosts that the proxy has refused, as host:port; the run has chosen the names. */
  deniedHosts?: readonly string[] | undefined;
  /** Whether a temporary folder has no room left. */
  isTempFull?: boolean | undefined;
  /** Whether SIGXCPU ended it. */
  isOutOfTime?: boolean | undefined;
}

const SAFE_HOST = /^[\w.:[\]-]{1,255}$/;
const MOST_HOSTS = 5;
const MISSING_INPUT =
  "The code asked for more input than it was given: nobody is there to answer. Pass all of it as `stdin`.";

/**
 * What an agent should know of limits that its code may have met, and which option of the operator's lifts them. All of
 * it is our own text: a run can choose which of the sentences appear, but no word of them.
 */
export function hintsFor(trouble: Trouble, policy: Policy, level?: SandboxLevel): string[] {
  if (trouble.denial === "stdin") return [MISSING_INPUT];
  if (level === "none") return [];
  const hosts = (trouble.deniedHosts ?? []).filter((host) => SAFE_HOST.test(host));
  if (hosts.length > 0) return [deniedHosts(hosts)];
  if (trouble.isOutOfTime === true && policy.limits.cpuSeconds !== null)
    return [
      `A process may use ${policy.limits.cpuSeconds} seconds of processor time (--max-cpu-seconds).`,
    ];
  const hint = sentences(policy).get(trouble.isTempFull === true ? "space" : trouble.denial);
  return hint === undefined ? [] : [hint];
}

function deniedHosts(hosts: readonly string[]): string {
  const [first = ""] = hosts;
  const named = hosts.slice(0, MOST_HOSTS).join(", ");
  const more = hosts.length > MOST_HOSTS ? `, and ${hosts.length - MOST_HOSTS} more` : "";
  return `Containment denied connections to ${named}${more}. The operator of the server can allow them: --allow-net=${first}.`;
}

function sentences(policy: Policy): Map<string | undefined, string | undefined> {
  const { limits, net } = policy;
  const words = {
    files:
      "Containment lets code write only to the workspace and its temporary folder, and hides credentials. If that is what " +
      "failed, the operator of the server can allow more: --allow-write=DIR, --allow-read=PATH.",
    network:
      net === "all"
        ? undefined
        : "Containment lets code reach " +
          (net === "none" ? "no network at all. " : "a few hosts only. ") +
          "The operator of the server can allow hosts: --allow-net=HOST[:PORT].",
    space: `The run's temporary folder holds at most ${formatBytes(limits.tempBytes)} (--max-temp-space). Write to the workspace instead.`,
    file_size: `A file may be at most ${formatBytes(limits.fileBytes)} long (--max-file-size).`,
    open_files: `A process may have ${limits.openFiles} files open (--max-open-files).`,
    processes: `A run may have ${limits.processes} processes and threads (--max-processes).`,
    memory: `A run may use ${formatBytes(limits.memoryBytes)} of memory with all its processes (--max-memory).`,
  };
  return new Map(Object.entries(words));
}
