import { constants } from "node:os";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../../src/config.ts";
import type { RunResult } from "../../../src/execution.ts";
import { Capture } from "../../../src/output/capture.ts";
import { describeRun } from "../../../src/output/result.ts";
import { policyOf } from "../../../src/sandbox/policy.ts";
import type { RunEnd } from "../../../src/workers/worker.ts";

const executable = "/usr/bin/python3";
const SHOWN_BYTES = 10;

interface Around {
  stdout?: string;
  stderr?: string;
  timeout?: number;
  notes?: readonly (string | undefined)[];
}

function resultOf(end: RunEnd, around: Around = {}): RunResult {
  const { stdout = "", stderr = "", timeout = 30, notes = [] } = around;
  const captures = { stdout: capture("stdout", stdout), stderr: capture("stderr", stderr) };
  return describeRun(end, captures, { timeout, notes, policy: policyOf(readSettings({})) });
}

function capture(stream: "stdout" | "stderr", text: string): Capture {
  const file = { uri: `run://test/${stream}`, write: () => {}, skip: () => {} };
  const filled = new Capture(stream, SHOWN_BYTES, () => file);
  filled.add(Buffer.from(text));
  return filled;
}

/** How a run ends that its code ends. */
function exit(exitCode: number, value?: { text: string; isCut: boolean }): RunEnd {
  return { how: "exit", exitCode, executable, durationMs: 12, value, imports: [] };
}

describe("a run that ended by itself", () => {
  test("with 0 is a success and holds nothing that there is not", () => {
    expect(resultOf(exit(0), { stdout: "out", stderr: "err" })).toEqual({
      status: "ok",
      exitCode: 0,
      success: true,
      stdout: "out",
      stderr: "err",
      executable,
      durationMs: 12,
    });
  });

  test.each([1, 2, 120, 255])("with %i is an error and stays as the code left it", (exitCode) => {
    const result = resultOf(exit(exitCode), { stderr: "no" });
    expect(result).toMatchObject({ status: "error", exitCode, success: false, stderr: "no" });
    expect(result).not.toHaveProperty("signal");
  });

  test("brings the value of its last expression, a failed one too", () => {
    expect(resultOf(exit(0, { text: "42", isCut: false })).result).toBe("42");
    expect(resultOf(exit(3, { text: "''", isCut: false })).result).toBe("''");
    expect(resultOf(exit(0))).not.toHaveProperty("result");
  });

  test("says if that value was cut", () => {
    const whole = resultOf(exit(0, { text: "[1]", isCut: false }));
    const cut = resultOf(exit(0, { text: "[1, 1", isCut: true }));
    expect(whole).not.toHaveProperty("truncated");
    expect(cut.truncated).toEqual({ result: true });
  });
});

describe("a run that a signal ended", () => {
  test.each(["SIGKILL", "SIGTERM", "SIGSEGV", "SIGINT", "SIGXCPU"] as const)(
    "names %s",
    (signal) => {
      const exitCode = -constants.signals[signal];
      expect(resultOf(exit(exitCode))).toMatchObject({
        status: "signal",
        exitCode,
        success: false,
        signal,
        stderr: "",
      });
    },
  );

  test("uses the usual one of two names", () => {
    expect(resultOf(exit(-constants.signals.SIGABRT)).signal).toBe("SIGABRT");
  });

  test("numbers one that has no name", () => {
    expect(resultOf(exit(-63)).signal).toBe("signal 63");
  });
});

describe("a run that was ended", () => {
  test("at its deadline has the older server's code and words", () => {
    const end = { how: "timeout", executable, durationMs: 2001 } as const;
    expect(resultOf(end, { timeout: 2, stdout: "so far" })).toEqual({
      status: "timeout",
      exitCode: -1,
      success: false,
      stdout: "so far",
      stderr: "Error: Process timed out after 2s\n",
      executable,
      durationMs: 2001,
    });
  });

  test("names a fraction of a second as it is", () => {
    const end = { how: "timeout", executable, durationMs: 1500 } as const;
    expect(resultOf(end, { timeout: 1.5 }).stderr).toBe("Error: Process timed out after 1.5s\n");
  });

  test("by its caller says so", () => {
    expect(resultOf({ how: "cancelled", executable })).toMatchObject({
      status: "cancelled",
      exitCode: -1,
      success: false,
      stderr: "Error: The run was cancelled\n",
    });
  });

  test("before it began has the reason", () => {
    const end = { how: "failed", executable, reason: "cwd: Permission denied: /root" } as const;
    expect(resultOf(end)).toMatchObject({
      status: "refused",
      exitCode: -2,
      success: false,
      stderr: "Error: The code could not be run: cwd: Permission denied: /root\n",
    });
  });

  test.each([
    ["follows it when that ends a line", "warning\n", "warning\nError: The run was cancelled\n"],
    ["begins a line of its own otherwise", "warning", "warning\nError: The run was cancelled\n"],
  ])("with something on stderr: what is said %s", (_, stderr, wanted) => {
    expect(resultOf({ how: "cancelled", executable }, { stderr }).stderr).toBe(wanted);
  });
});

describe("what is said besides", () => {
  test("each stream that was cut, with its counts and its address", () => {
    const result = resultOf(exit(0), { stdout: "0123456789abc", stderr: "fits" });
    expect(result.truncated).toEqual({
      stdout: { totalBytes: 13, shownBytes: 10, uri: "run://test/stdout" },
    });
  });

  test("both streams and the value, each for itself", () => {
    const long = "x".repeat(100);
    const end = exit(0, { text: "[", isCut: true });
    const { truncated = {} } = resultOf(end, { stdout: long, stderr: long });
    expect(Object.keys(truncated).toSorted()).toEqual(["result", "stderr", "stdout"]);
  });

  test("the count of stderr is of what the run wrote, without our words", () => {
    const result = resultOf({ how: "cancelled", executable }, { stderr: "x".repeat(100) });
    expect(result.truncated?.stderr).toMatchObject({ totalBytes: 100, shownBytes: 10 });
  });

  test("notes, as far as there are any, in their order", () => {
    expect(resultOf(exit(0), { notes: [undefined, "b", undefined, "a"] }).notes).toEqual([
      "b",
      "a",
    ]);
    expect(resultOf(exit(0), { notes: [undefined] })).not.toHaveProperty("notes");
  });
});
