/** One snippet over a list of items: how they are split, bound, run and put together, with either worker. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createExecutor, type Executor, type MapRequest } from "../../src/index.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { WORKERS } from "../support/workers.ts";

describe.each(WORKERS)("a map with the $name worker", ({ options }) => {
  let folder: TestFolder;
  let executor: Executor;

  beforeAll(() => {
    folder = makeTestFolder();
    executor = createExecutor({ workspace: folder.workspace, ...options });
  });
  afterAll(async () => {
    await executor.close();
    folder.remove();
  });

  const map = (request: MapRequest): ReturnType<Executor["runMap"]> => executor.runMap(request);

  test("gives each chunk its items, and joins the lists in order", async () => {
    const items = Array.from({ length: 10 }, (_, n) => n);
    const code = "import time\ntime.sleep(0.1 / (items[0] + 1))\n[n * n for n in items]";
    const { results, chunkSizes, result, notes } = await map({ code, items });
    expect(chunkSizes).toEqual([4, 3, 3]);
    expect(results.map((one) => one.result)).toEqual([
      "[0, 1, 4, 9]",
      "[16, 25, 36]",
      "[49, 64, 81]",
    ]);
    expect(result).toEqual(items.map((n) => n * n));
    expect(notes).toBeUndefined();
  });

  test.each([
    ["low", 4],
    ["medium", 3],
    ["high", 2],
  ] as const)("of complexity %s has %i chunks", async (complexity, count) => {
    const { chunkSizes } = await map({ code: "items", items: Array(12).fill(0), complexity });
    expect(chunkSizes).toEqual(Array(count).fill(12 / count));
  });

  test("hands items over as they are: texts, None, nested ones", async () => {
    const items = [
      null,
      true,
      -1,
      1.5,
      "é → 🎉",
      '"\\\n\0\u2028',
      "\ud800",
      [[], {}],
      { käse: { a: [null] }, "": [1] },
      "__proto__",
    ];
    const { result, results } = await map({ code: "items", items, chunks: 1 });
    expect(result).toEqual(items);
    expect(results[0]?.result).toContain("[None, True, -1, 1.5, 'é → 🎉', ");
  });

  test("keeps every digit of whole numbers in the JSON text", async () => {
    const { resultJson } = await map({
      code: "[n + 2**64 for n in items]",
      items: [1, 2],
      chunks: 2,
    });
    expect(resultJson).toBe("[18446744073709551617,18446744073709551618]");
  });

  test.each([[Infinity], [{ a: [-Infinity] }], [Number.NaN]])(
    "refuses %j, of which JSON would make nothing",
    async (item) => {
      await expect(map({ code: "open('ran', 'w')", items: [1, item] })).rejects.toMatchObject({
        code: "invalid_argument",
        message: expect.stringMatching(/`items` have the number .* JSON can't carry/) as string,
      });
    },
  );

  test("says that whole numbers beyond 2^53 lose digits", async () => {
    const exact = await map({ code: "items", items: [2 ** 53 - 1, 1.5, 1e21, 0.1] });
    expect(exact.notes).toBeUndefined();
    const rounded = await map({ code: "items", items: [{ id: 2 ** 60 }], chunks: 1 });
    expect(rounded.notes).toEqual([
      expect.stringMatching(/1152921504606847000.*Give such numbers as texts/),
    ]);
  });

  test("of nothing is nothing, and runs nothing", async () => {
    const code = "open('ran', 'w')";
    expect(await map({ code, items: [] })).toEqual({
      results: [],
      chunkSizes: [],
      result: [],
      resultJson: "[]",
    });
  });

  test("has line numbers of the code in tracebacks, and no joined result where a chunk fails", async () => {
    const code = "half = len(items)\n\n[10 // n for n in items]";
    const { results, result, notes } = await map({ code, items: [1, 2, 0, 5], chunks: 2 });
    expect(results.map(({ status }) => status)).toEqual(["ok", "error"]);
    expect(results[1]?.stderr).toMatch(/snippet\.py", line 3, in /);
    expect(results[1]?.stderr).toContain("ZeroDivisionError");
    expect(results[0]?.result).toBe("[10, 5]");
    expect(result).toBeUndefined();
    expect(notes?.join()).toMatch(/no joined `result` \(chunk 1: its status is error\)/);
  });

  test.each([
    ["has no value", "x = items", /chunk 0: it ended in no value, not in a list/],
    ["is no list", "len(items)", /a value of type int, not in a list/],
    ["holds what JSON doesn't know", "[{1, 2}]", /Object of type set is not JSON serializable/],
    ["holds no number that JSON knows", "[float('nan')]", /Out of range float/],
    ["holds itself", "items.append(items)\nitems", /Circular reference/],
    ["is too long", "['x' * 5_000_000]", /longer than 4194304 bytes of JSON/],
  ])("says why nothing is joined where the last value %s", async (_, code, reason) => {
    const { results, result, notes } = await map({ code, items: [1], chunks: 1 });
    expect(results[0]?.status).toBe("ok");
    expect(result).toBeUndefined();
    expect(notes?.join()).toMatch(reason);
  });

  test("takes a list of 4 MB from each chunk, but not 8 MiB in all", async () => {
    const code = "['x' * 4_000_000]";
    const two = await map({ code, items: [1, 2], chunks: 2 });
    expect(two.result?.map((text) => String(text).length)).toEqual([4_000_000, 4_000_000]);
    const three = await map({ code, items: [1, 2, 3], chunks: 3 });
    expect(three.result).toBeUndefined();
    expect(three.notes?.join()).toContain("longer than 8388608 bytes");
  });

  test("takes no report of the code's own making for a list", async () => {
    const forging = `import os
fields = (b"json", b'[1], "success": true, "x": [2]')
payload = b"".join(len(part).to_bytes(4, "big") + part for part in fields)
for fd in map(int, os.listdir("/proc/self/fd")):
    try:
        if fd > 2 and os.readlink(f"/proc/self/fd/{fd}").startswith("pipe:"):
            os.write(fd, len(payload).to_bytes(4, "big") + payload)
    except OSError:
        pass
None`;
    const { result, notes } = await map({ code: forging, items: [1], chunks: 1 });
    expect(result).toBeUndefined();
    expect(notes?.join()).toMatch(/no joined/);
  });

  test("is not led astray by a json.py of the user's", async () => {
    writeFileSync(join(folder.workspace, "json.py"), "raise SystemExit('mine')");
    const plain = await map({ code: "[n + 1 for n in items]", items: [1, 2] });
    expect(plain.result).toEqual([2, 3]);
    const own = await map({ code: "import json", items: [1], chunks: 1 });
    expect(own.results[0]?.stderr).toBe("mine\n");
    writeFileSync(join(folder.workspace, "json.py"), "");
  });

  test("counts items as its progress, and tags output with the chunk", async () => {
    const told: [number, number][] = [];
    const written: [number, string][] = [];
    await executor.runMap(
      { code: "print(items)", items: [1, 2, 3, 4, 5], chunks: 2 },
      {
        onProgress: (...counts) => told.push(counts),
        onOutput: (_, text, index) => {
          written[index] = [index, (written[index]?.[1] ?? "") + text];
        },
      },
    );
    expect(told).toContainEqual([5, 5]);
    expect(told).toHaveLength(2);
    expect(written).toEqual([
      [0, "[1, 2, 3]\n"],
      [1, "[4, 5]\n"],
    ]);
  });

  test("brings chunks and workers into range, and says so", async () => {
    const many = await map({ code: "items", items: Array(50).fill(1), chunks: 50, maxWorkers: 9 });
    expect(many.chunkSizes).toHaveLength(20);
    expect(many.notes?.join()).toMatch(/chunks 50 was brought to 20.*max_workers 9 was/s);
    expect((await map({ code: "items", items: [1, 2], chunks: 0 })).chunkSizes).toEqual([2]);
  });

  test.each([
    ["10,001 items", { items: Array(10_001).fill(0) }, /`items` are 10001, the limit is 10000/],
    ["too many bytes", { items: ["x".repeat(9_000_000)] }, /9000004 bytes of JSON, the limit/],
    ["items too deep", { items: [deep(250)] }, /more than 200 levels deep/],
    ["items far too deep", { items: [deep(100_000)] }, /more than 200 levels deep/],
    ["items that are no JSON", { items: [10n] }, /can't be written as JSON/],
    ["two ways to split", { items: [1], chunks: 1, complexity: "low" as const }, /Give one of/],
    ["a NUL in the code", { items: [1], code: "\0" }, /`code` holds a NUL/],
  ])("refuses %s, and runs nothing", async (_, request, problem) => {
    await expect(map({ code: "open('ran', 'w')", ...request })).rejects.toThrow(problem);
  });

  test("takes the most items, nested as deep as may be", async () => {
    const items: unknown[] = Array(10_000).fill(0);
    items[9_999] = deep(199);
    const { result } = await map({ code: "items", items, complexity: "high" });
    expect(result).toEqual(items);
  });

  test("ends every chunk when it is cancelled", async () => {
    const cancel = new AbortController();
    const { results } = await executor.runMap(
      { code: "print(1)\nimport time\ntime.sleep(60)", items: [1, 2, 3, 4], chunks: 4 },
      { signal: cancel.signal, onOutput: () => cancel.abort() },
    );
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill("cancelled"));
  });
});

function deep(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
