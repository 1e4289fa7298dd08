import { describe, expect, test } from "vitest";
import type { RunResult, Truncation } from "../../../src/execution.ts";
import { answerBatch, answerRun, toWire } from "../../../src/tools/answer.ts";

const plain: RunResult = {
  status: "ok",
  stdout: "out\n",
  stderr: "",
  exitCode: 0,
  success: true,
  executable: "/usr/bin/python3",
  durationMs: 12,
};
const cut: Truncation = { totalBytes: 5000, shownBytes: 100, uri: "run://abc/stdout" };

/** Clients of the official SDKs lose the connection at a message of 10 MiB. */
const SAFE_CHARS = 10 * 1024 * 1024;

type Answer = ReturnType<typeof answerRun>;

function textOf({ content }: Answer): string {
  const [first] = content;
  if (first?.type !== "text") throw new Error("the first block is no text");
  return first.text;
}

function linksOf({ content }: Answer) {
  return content.slice(1);
}

describe("a result in the words of the protocol", () => {
  test("begins with the keys of the older server, in their order", () => {
    expect(Object.entries(toWire(plain))).toEqual([
      ["stdout", "out\n"],
      ["stderr", ""],
      ["exit_code", 0],
      ["success", true],
      ["executable", "/usr/bin/python3"],
      ["status", "ok"],
      ["duration_ms", 12],
    ]);
  });

  test("has the other keys only where there is something to say", () => {
    const all: RunResult = {
      ...plain,
      signal: "SIGKILL",
      result: "42",
      notes: ["a note"],
      truncated: { stderr: { ...cut, uri: undefined }, stdout: cut, result: true },
    };
    expect(toWire(all)).toMatchObject({
      signal: "SIGKILL",
      result: "42",
      notes: ["a note"],
      truncated: {
        result: true,
        stdout: { total_bytes: 5000, shown_bytes: 100, uri: "run://abc/stdout" },
        stderr: { total_bytes: 5000, shown_bytes: 100 },
      },
    });
  });

  test("keeps an empty value and an empty note apart from none", () => {
    expect(toWire({ ...plain, result: "", notes: [] })).toMatchObject({ result: "", notes: [] });
  });
});

describe("the answer to one snippet", () => {
  test("is its result as JSON text, and nothing else", () => {
    const answer = answerRun(plain);
    expect(JSON.parse(textOf(answer))).toEqual(toWire(plain));
    expect(linksOf(answer)).toEqual([]);
    expect(answer).not.toHaveProperty("isError");
  });

  test("of code that failed is no tool error either: it was run", () => {
    const failed: RunResult = { ...plain, status: "error", exitCode: 1, success: false };
    expect(answerRun(failed)).not.toHaveProperty("isError");
  });

  test("links each stream that was cut and kept", () => {
    const answer = answerRun({
      ...plain,
      truncated: { stdout: cut, stderr: { ...cut, uri: "run://abc/stderr" } },
    });
    expect(linksOf(answer)).toEqual([
      {
        type: "resource_link",
        uri: "run://abc/stdout",
        name: "stdout",
        description: "All 5000 bytes, up to the limit of what is kept",
        mimeType: "text/plain",
        size: 5000,
      },
      expect.objectContaining({ uri: "run://abc/stderr", name: "stderr" }),
    ]);
  });

  test("links nothing that was not kept", () => {
    const truncated = { stdout: { ...cut, uri: undefined }, result: true as const };
    expect(linksOf(answerRun({ ...plain, truncated }))).toEqual([]);
  });
});

describe("the answer to a batch", () => {
  test("of nothing is an empty list", () => {
    expect(answerBatch([])).toEqual({ content: [{ type: "text", text: '{"results":[]}' }] });
  });

  test("is the results in their order", () => {
    const results = ["a", "b", "c"].map((stdout) => ({ ...plain, stdout }));
    expect(JSON.parse(textOf(answerBatch(results)))).toEqual({
      results: results.map((one) => toWire(one)),
    });
  });

  test("says of which snippet a link is", () => {
    const results = [plain, { ...plain, truncated: { stdout: cut } }];
    expect(linksOf(answerBatch(results))).toMatchObject([{ name: "stdout of snippet 1" }]);
  });
});

describe("an answer whose JSON would be too long for clients", () => {
  // six characters of JSON each
  const controls = "\u0001".repeat(50_000);
  const noisy: RunResult = { ...plain, stdout: `<${controls}>`, stderr: `<${controls}>` };
  const quiet: RunResult = { ...plain, stdout: "all of it" };

  const times = (count: number, result: RunResult): RunResult[] =>
    Array.from({ length: count }, () => result);

  interface Wire {
    stdout: string;
    stderr: string;
    truncated?: { stdout?: { total_bytes: number; shown_bytes: number; uri?: string } };
  }
  const runsOf = (answer: Answer): Wire[] => JSON.parse(textOf(answer)).results;
  const MARK = /\n\[… (\d+) characters not shown …\]\n/;

  test("is within their limit, and still JSON", () => {
    const answer = answerBatch(times(20, noisy));
    expect(textOf(answer).length).toBeLessThan(SAFE_CHARS / 2);
    expect(runsOf(answer)).toHaveLength(20);
  });

  test("keeps the beginning and the end of each stream, and counts the rest", () => {
    for (const { stdout, stderr } of runsOf(answerBatch(times(20, noisy)))) {
      expect(stderr).toBe(stdout);
      const [head = "", hidden, tail = ""] = stdout.split(MARK);
      expect(noisy.stdout.startsWith(head)).toBe(true);
      expect(noisy.stdout.endsWith(tail)).toBe(true);
      expect(head.length + Number(hidden) + tail.length).toBe(noisy.stdout.length);
    }
  });

  test("says of each stream that it was cut, and how much of it is shown", () => {
    for (const { stdout, truncated } of runsOf(answerBatch(times(20, noisy)))) {
      const shown = stdout.replace(MARK, "");
      expect(truncated?.stdout).toEqual({
        total_bytes: noisy.stdout.length,
        shown_bytes: shown.length,
      });
    }
  });

  test("leaves a total that was known, and the address of the whole", () => {
    const known = { totalBytes: 900_000, shownBytes: 50_002, uri: "run://abc/stdout" };
    const results = times(20, { ...noisy, truncated: { stdout: known } });
    const [first] = runsOf(answerBatch(results));
    expect(first?.truncated?.stdout).toMatchObject({
      total_bytes: 900_000,
      uri: "run://abc/stdout",
    });
    expect(first?.truncated?.stdout?.shown_bytes).toBeLessThan(50_002);
  });

  test("leaves streams alone that are short", () => {
    const runs = runsOf(answerBatch([quiet, ...times(19, noisy)]));
    expect(runs[0]).toEqual(toWire(quiet));
  });

  test("may be that of one snippet, where the operator shows more", () => {
    const stdout = `<${"\u0000".repeat(3_000_000)}>`;
    const text = textOf(answerRun({ ...plain, stdout }));
    expect(text.length).toBeLessThan(SAFE_CHARS / 2);
    const wire: Wire = JSON.parse(text);
    expect(wire.stdout).toMatch(/^<.*>$/s);
    expect(wire.truncated?.stdout?.total_bytes).toBe(3_000_002);
  });

  test.each([0, 1])("has no character cut in two, %i places on", (places) => {
    const stdout = "x".repeat(places) + "😀".repeat(3_000_000);
    const wire: Wire = JSON.parse(textOf(answerRun({ ...plain, stdout })));
    expect(wire.stdout).toMatch(MARK);
    const [head = "", hidden, tail = ""] = wire.stdout.split(MARK);
    expect(head + tail).toMatch(/^x?(😀)+$/u);
    expect(head.length + Number(hidden) + tail.length).toBe(stdout.length);
  });
});
