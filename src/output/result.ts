import { constants } from "node:os";
import type { OutputStream, RunResult, RunStatus, Truncation } from "../execution.ts";
import { hintForMissingImport } from "../interpreter/package-names.ts";
import { formatBytes } from "../sandbox/amounts.ts";
import { hintsFor } from "../sandbox/hints.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { RunEnd } from "../workers/worker.ts";
import type { Capture, ShownOutput } from "./capture.ts";
import type { Displays } from "./displays.ts";

const EXIT_CODE_AT_DEADLINE = -1;
const EXIT_CODE_NOT_RUN = -2;
const { SIGKILL, SIGXCPU } = constants.signals;

/** By number. Of two names for one signal the first is the usual one, as SIGABRT is of SIGABRT and SIGIOT. */
const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals)
    .toReversed()
    .map(([name, number]) => [number, name]),
);

/** What belongs to a result besides the run itself. */
export interface ResultContext {
  /** Seconds. */
  timeout: number;
  notes: readonly (string | undefined)[];
  policy: Policy;
  displays?: Pick<Displays, "displays" | "notes">;
  /** Whether callers may ask for packages: what a missing import is told; undefined: nothing. */
  mayAskForPackages?: boolean;
}

/** What a run comes back as. */
export function describeRun(
  end: RunEnd,
  captures: Record<OutputStream, Capture>,
  { timeout, notes, policy, displays, mayAskForPackages }: ResultContext,
): RunResult {
  const shown = { stdout: captures.stdout.show(), stderr: captures.stderr.show() };
  const isValueCut = end.how === "exit" && end.value?.isCut === true;
  const truncated = {
    ...truncation(shown.stdout, captures.stdout, "stdout"),
    ...truncation(shown.stderr, captures.stderr, "stderr"),
    ...(isValueCut ? { result: true as const } : {}),
  };
  const hints =
    end.how === "exit" && end.exitCode !== 0
      ? hintsFor({ ...end.trouble, isOutOfTime: end.exitCode === -SIGXCPU }, policy, end.sandbox)
      : [];
  const missing =
    end.how === "exit" && end.exitCode === 1 && mayAskForPackages !== undefined
      ? hintForMissingImport(shown.stderr.text, mayAskForPackages)
      : undefined;
  const told = [...notes, ...(displays?.notes ?? []), ...hints, missing].filter(
    (note) => note !== undefined,
  );
  const shownValues = displays?.displays;
  return {
    ...verdict(end),
    stdout: shown.stdout.text,
    stderr: withWords(shown.stderr.text, end, timeout, policy),
    executable: end.executable,
    ...(end.sandbox === undefined ? {} : { sandbox: end.sandbox }),
    ...(shownValues === undefined ? {} : { displays: shownValues }),
    ...(Object.keys(truncated).length > 0 ? { truncated } : {}),
    ...(told.length > 0 ? { notes: told } : {}),
  };
}

type Verdict = Pick<
  RunResult,
  "status" | "exitCode" | "success" | "signal" | "result" | "durationMs"
>;

function verdict(end: RunEnd): Verdict {
  switch (end.how) {
    case "exit": {
      const signal =
        end.exitCode < 0
          ? (SIGNAL_NAMES.get(-end.exitCode) ?? `signal ${-end.exitCode}`)
          : undefined;
      return {
        ...failed(signal === undefined ? "error" : "signal", end.exitCode, end.durationMs),
        ...(end.exitCode === 0 ? { status: "ok", success: true } : {}),
        ...(signal === undefined ? {} : { signal }),
        ...(end.value === undefined ? {} : { result: end.value.text }),
      };
    }
    case "limit":
      return {
        ...failed(end.outgrown === "memory" ? "memory" : "limit", -SIGKILL, end.durationMs),
        signal: "SIGKILL",
      };
    case "timeout":
      return failed("timeout", EXIT_CODE_AT_DEADLINE, end.durationMs);
    case "cancelled":
      return failed("cancelled", EXIT_CODE_AT_DEADLINE, 0);
    case "failed":
      return failed("refused", EXIT_CODE_NOT_RUN, 0);
  }
}

function failed(status: RunStatus, exitCode: number, durationMs: number): Verdict {
  return { status, exitCode, success: false, durationMs };
}

/** An ending that the code itself says nothing about is put into words: an empty answer makes models believe that nothing happened. */
function withWords(stderr: string, end: RunEnd, timeout: number, { limits }: Policy): string {
  const outgrown = {
    memory: `memory outgrew the limit of ${formatBytes(limits.memoryBytes)} (--max-memory)`,
    processes: `processes were more than the limit of ${limits.processes} (--max-processes)`,
  };
  const words = {
    exit: undefined,
    limit:
      end.how === "limit" ? `Error: The run was ended: its ${outgrown[end.outgrown]}` : undefined,
    timeout: `Error: Process timed out after ${timeout}s`,
    cancelled: "Error: The run was cancelled",
    failed: end.how === "failed" ? `Error: The code could not be run: ${end.reason}` : undefined,
  }[end.how];
  if (words === undefined) return stderr;
  return stderr === "" || stderr.endsWith("\n") ? `${stderr}${words}\n` : `${stderr}\n${words}\n`;
}

function truncation(
  shown: ShownOutput,
  capture: Capture,
  stream: OutputStream,
): Partial<Record<OutputStream, Truncation>> {
  if (!shown.isCut) return {};
  const { totalBytes, shownBytes } = shown;
  return { [stream]: { totalBytes, shownBytes, uri: capture.file?.uri } };
}
