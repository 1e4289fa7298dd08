import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { runStep, type StepEnd } from "../../../src/interpreter/installer-process.ts";
import { eventually } from "../../support/eventually.ts";
import { isAlive } from "../../support/processes.ts";

/** Runs lines of shell in the place of an installer. */
function runShell(
  script: string,
  onLine: (line: string) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<StepEnd> {
  const options = { cwd: tmpdir(), variables: process.env, signal, onLine };
  return runStep(["sh", "-c", script], options);
}

test("what an installer says is told line by line, and its end is kept", async () => {
  const told: string[] = [];
  const { isOk, lines } = await runShell("seq 100; echo; exit 3", (line) => told.push(line));
  expect(isOk).toBe(false);
  expect(told).toHaveLength(100);
  expect(lines).toEqual(told.slice(-40));
});

test("one that ends well is told from one that doesn't, and from one that can't be started", async () => {
  expect(await runShell("true")).toEqual({ isOk: true, lines: [] });
  const options = { cwd: tmpdir(), variables: {}, signal: new AbortController().signal };
  const end = await runStep(["/nowhere/uv"], { ...options, onLine: () => {} });
  expect(end).toEqual({ isOk: false, lines: [expect.stringMatching(/ENOENT/)] });
});

test("users and passwords in addresses are not repeated", async () => {
  const told: string[] = [];
  const script = "echo 'Looking at https://me:hunter2@example.com/simple and //t0ken@b/' >&2";
  const { lines } = await runShell(script, (line) => told.push(line));
  expect(lines).toEqual(["Looking at https://example.com/simple and //b/"]);
  expect(told).toEqual(lines);
});

test("aborting ends it with all that it has started", async () => {
  const aborting = new AbortController();
  let pid = 0;
  const ended = runShell(
    "sleep 300 & echo $!; wait",
    (line) => {
      pid = Number(line);
      aborting.abort();
    },
    aborting.signal,
  );
  expect((await ended).isOk).toBe(false);
  await eventually(() => !isAlive(pid));
  expect(pid).toBeGreaterThan(0);
  expect(isAlive(pid)).toBe(false);
});
