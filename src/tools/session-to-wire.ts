import type { SessionInfo, SessionUse } from "../execution.ts";

/** Variables that a listing of several sessions shows of each. */
const SHOWN_VARIABLES = 40;

/** What became of a session, in the words of the protocol. */
export function sessionToWire(use: SessionUse): Record<string, unknown> {
  if (use.state === "lost") {
    const { id, state, reason, lostNames } = use;
    return { id, state, reason, lost_names: lostNames };
  }
  return {
    id: use.id,
    [use.state]: true,
    run_count: use.runCount,
    ...(use.isInterrupted === true
      ? { interrupted: true, message: "The code was interrupted; the session lives on." }
      : {}),
  };
}

/** @param isWhole whether all variables are listed that are known */
export function sessionInfoToWire(info: SessionInfo, isWhole: boolean): Record<string, unknown> {
  const { id, state, ageSeconds, idleSeconds, runCount, memory, names, variables } = info;
  const shown = isWhole ? variables : variables?.slice(0, SHOWN_VARIABLES);
  return {
    id,
    state,
    age_seconds: ageSeconds,
    idle_seconds: idleSeconds,
    run_count: runCount,
    ...(memory === undefined ? {} : { memory_bytes: memory }),
    ...(shown === undefined
      ? { names: isWhole ? names : names.slice(0, SHOWN_VARIABLES) }
      : { variables: shown.map(withoutNulls) }),
    ...(names.length > (shown?.length ?? Infinity) ? { names_in_all: names.length } : {}),
  };
}

function withoutNulls(entry: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}
