import { constants } from "node:os";
import { PyExecutorError } from "../errors.ts";
import type { RunEnd } from "../workers/worker.ts";

/** How many of a session's names are told when they are gone. */
const MAX_TOLD_NAMES = 100;

/** What became of a session that is no more. */
export interface Ending {
  /** A sentence without its subject and full stop: "its process was ended by SIGKILL". */
  reason: string;
  /** The names that it had bound. */
  lostNames: readonly string[];
}

/** Why a session's process is gone, after code that ended like this or while it had nothing to do. */
export function reasonOf(end: RunEnd, timeout?: number): string {
  switch (end.how) {
    case "exit":
      return end.exitCode < 0
        ? `its process was ended by ${nameOf(-end.exitCode)}`
        : `its process ended itself with exit code ${end.exitCode}`;
    case "limit":
      return end.outgrown === "memory"
        ? "its memory outgrew the limit (--max-memory)"
        : "it had more processes than the limit (--max-processes)";
    case "timeout":
      return `its code did not stop within 2 s of an interrupt at its deadline${timeout === undefined ? "" : ` of ${timeout} s`}, and was killed`;
    case "cancelled":
      return "its run was cancelled, did not stop within 2 s of an interrupt, and was killed";
    case "failed":
      return end.reason;
  }
}

/** What a call is told that names a session which is no more. */
export function lostError(id: string, { reason, lostNames }: Ending): PyExecutorError {
  const told = lostNames.slice(0, MAX_TOLD_NAMES);
  const names =
    told.length === 0
      ? "It had bound no names."
      : `Lost with it: ${told.join(", ")}${told.length < lostNames.length ? ", …" : ""}.`;
  return new PyExecutorError(
    "session_lost",
    `The session ${JSON.stringify(id)} is lost: ${reason}. ${names} Nothing was run. Its name is free now: the next ` +
      "call with it starts an empty session.",
    { argument: "session", session: { id, state: "lost", reason, lostNames: told } },
  );
}

function nameOf(signal: number): string {
  const known = Object.entries(constants.signals).find(([, number]) => number === signal);
  return known?.[0] ?? `signal ${signal}`;
}
