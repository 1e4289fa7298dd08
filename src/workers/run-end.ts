import type { OutputStream } from "../execution.ts";
import type { Trouble } from "../sandbox/hints.ts";
import { levelOf, type SandboxLevel } from "../sandbox/level.ts";
import { readShown } from "./shown.ts";
import { BrokenFrameError, decodeFields, FrameKind, packFields, type Frame } from "./wire.ts";
import type { RunEnd, RunEvents, Task, WorkerLimits } from "./worker.ts";

/** What a process says of itself when it is ready: fields of a READY frame. */
export type Ready = ReadonlyMap<string, string>;

/** What a supervisor says of itself that belongs into each answer. */
export interface Supervisor {
  executable: string;
  sandbox?: SandboxLevel;
}

/** The fields of a READY frame as text. */
export function readReady(payload: Buffer): Ready {
  return new Map([...decodeFields(payload)].map(([name, value]) => [name, value.toString()]));
}

/** @param python what was started, for a process that says nothing of its executable */
export function supervisorOf(ready: Ready, python: string): Supervisor {
  const executable = ready.get("executable") ?? python;
  const layers = ready.get("layers");
  return layers === undefined ? { executable } : { executable, sandbox: levelOf(layers) };
}

/** What is asked for: fields of a RUN or a TASK frame. */
export function requestFields(
  task: Omit<Task, "environment">,
  limits: WorkerLimits,
): Record<string, string | number | Buffer> {
  return {
    code: task.code,
    cwd: task.cwd,
    timeout: task.timeout,
    forward_bytes: limits.forwardBytes,
    tail_bytes: limits.tailBytes,
    result_chars: limits.resultChars,
    ...(task.bindings === undefined ? {} : { bindings: task.bindings }),
    ...(task.listBytes === undefined ? {} : { json_bytes: task.listBytes }),
    ...(task.stdin === undefined ? {} : { stdin: task.stdin }),
    ...(task.files === undefined ? {} : { files: packFields(Object.fromEntries(task.files)) }),
  };
}

/** Hands a frame of output, or of what the run shows, on; returns false if it is none. Throws {@link BrokenFrameError}. */
export function takeOutput({ kind, payload }: Frame, events: Omit<RunEvents, "signal">): boolean {
  switch (kind) {
    case FrameKind.stdout:
      events.onOutput("stdout", payload);
      return true;
    case FrameKind.stderr:
      events.onOutput("stderr", payload);
      return true;
    case FrameKind.stdoutTail:
      takeTail("stdout", payload, events);
      return true;
    case FrameKind.stderrTail:
      takeTail("stderr", payload, events);
      return true;
    case FrameKind.display: {
      const shown = readShown(payload);
      if (shown !== undefined) events.onShown(shown);
      return true;
    }
    default:
      return false;
  }
}

function takeTail(stream: OutputStream, payload: Buffer, events: Omit<RunEvents, "signal">): void {
  if (payload.length < 8) throw new BrokenFrameError("a tail that does not say what is missing");
  events.onSkipped(stream, Number(payload.readBigUInt64BE(0)), payload.subarray(8));
}

const TROUBLES = ["denial", "denied_hosts", "full"];

function readTrouble(fields: Map<string, Buffer>, text: (name: string) => string): Trouble {
  return {
    denial: text("denial") || undefined,
    deniedHosts: text("denied_hosts").split("\n").filter(Boolean),
    isTempFull: fields.has("full"),
  };
}

/** How a run ended, by the fields of an ENDED frame. Throws {@link BrokenFrameError}. */
export function readEnd(fields: Map<string, Buffer>, supervisor: Supervisor): RunEnd {
  const text = (name: string): string => fields.get(name)?.toString() ?? "";
  const durationMs = Number(text("duration_ms"));
  const reason = text("error");
  if (reason !== "") return { how: "failed", ...supervisor, reason };
  const known = { ...supervisor, durationMs };
  if (text("end") === "timeout") return { how: "timeout", ...known };
  if (text("end") === "cancel") return { how: "cancelled", ...supervisor };
  if (text("end") === "limit") {
    const outgrown = text("limit") === "memory" ? "memory" : "processes";
    return { how: "limit", outgrown, ...known };
  }
  const value = fields.has("result")
    ? { text: text("result"), isCut: text("result_truncated") === "1" }
    : undefined;
  const imports = text("imports").split(",").filter(Boolean);
  const exitCode = text("exit_code");
  // what is missing must not pass for 0
  if (!/^-?\d+$/.test(exitCode)) throw new BrokenFrameError("an end without an exit code");
  return {
    how: "exit",
    exitCode: Number(exitCode),
    ...known,
    value,
    ...(TROUBLES.some((name) => fields.has(name)) ? { trouble: readTrouble(fields, text) } : {}),
    list: fields.has("json")
      ? { json: text("json") }
      : fields.has("json_problem")
        ? { problem: text("json_problem") }
        : undefined,
    ...(text("unwritten") === "1" ? { hasWrittenNothing: true } : {}),
    imports,
  };
}
