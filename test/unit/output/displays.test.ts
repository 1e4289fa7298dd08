import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Displays } from "../../../src/output/displays.ts";
import { OutputStore } from "../../../src/output/output-store.ts";
import type { Shown } from "../../../src/workers/shown.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

const CHART = "application/vnd.py-executor.chart+json";
const MIB = 1024 * 1024;

let folder: TestFolder;
let store: OutputStore;
let displays: Displays;

beforeEach(() => {
  folder = makeTestFolder();
  store = new OutputStore({ root: folder.temp, maxBytesEach: MIB, maxBytesInAll: 100 * MIB });
  displays = new Displays(store, "run", 40_000);
});
afterEach(() => {
  store.close();
  folder.remove();
});

function shown(data: Record<string, string | Buffer>, more: Partial<Shown> = {}): Shown {
  const entries = Object.entries(data).map(
    ([type, content]) => [type, Buffer.from(content)] as const,
  );
  return {
    kind: "display",
    source: "display",
    id: undefined,
    text: undefined,
    data: new Map(entries),
    originals: new Map(),
    metadata: {},
    notes: [],
    ...more,
  };
}

const texts = (): (string | undefined)[] => (displays.displays ?? []).map(({ text }) => text);
const kept = (): string[] => store.list().map(({ uri }) => uri);

describe("what a run has shown", () => {
  test("is nothing where nothing was shown", () => {
    displays.take(shown({}, { kind: "note", text: "left out" }));
    expect(displays.displays).toBeUndefined();
    expect(displays.notes).toEqual(["left out"]);
  });

  test("is told in its order, and is kept but for what is told whole", () => {
    displays.take(shown({ "text/plain": "a", "text/csv": "x,y" }));
    displays.take(shown({ "text/plain": "b" }));
    expect(displays.displays).toEqual([
      {
        source: "display",
        mimeTypes: ["text/plain", "text/csv"],
        text: "a",
        artifact: "artifact://run/displays/1.csv",
        artifacts: { "text/csv": "artifact://run/displays/1.csv" },
      },
      { source: "display", mimeTypes: ["text/plain"], text: "b", artifacts: {} },
    ]);
    expect(kept()).toEqual(["artifact://run/displays/1.csv"]);
  });

  test("is forgotten when it is cleared", () => {
    displays.take(shown({ "text/html": "a" }));
    displays.take(shown({}, { kind: "clear" }));
    expect(displays.displays).toBeUndefined();
    expect(kept()).toEqual([]);
    displays.take(shown({ "text/html": "b" }));
    expect(kept()).toEqual(["artifact://run/displays/2.html"]);
  });

  test("is replaced by an update of its name, in its place", () => {
    displays.take(shown({ "text/html": "a" }, { id: "x" }));
    displays.take(shown({ "text/plain": "b" }));
    displays.take(shown({ "text/html": "c" }, { kind: "update", id: "x" }));
    expect(texts()).toEqual(["c", "b"]);
    expect(kept()).toEqual(["artifact://run/displays/3.html"]);
  });

  test("is not replaced by an update without a name, nor by one of another", () => {
    displays.take(shown({ "text/plain": "a" }));
    displays.take(shown({ "text/plain": "b" }, { kind: "update" }));
    displays.take(shown({ "text/plain": "c" }, { kind: "update", id: "x" }));
    expect(texts()).toEqual(["a", "b", "c"]);
  });

  test("is bounded", () => {
    for (let number = 0; number < 60; number += 1)
      displays.take(shown({ "text/plain": `${number}` }));
    expect(texts()).toHaveLength(50);
    for (let number = 0; number < 60; number += 1)
      displays.take(shown({}, { kind: "note", text: "n" }));
    expect(displays.notes).toHaveLength(20);
  });

  test("is bounded also where each is replaced by the next", () => {
    for (let number = 0; number < 3000; number += 1)
      displays.take(shown({ "text/plain": `${number}` }, { kind: "update", id: "x" }));
    expect(texts()).toEqual(["1999"]);
    expect(displays.notes).toEqual([expect.stringContaining("2000")]);
  });

  test("is kept under a name for each type, also where several have the same ending", () => {
    displays.take(shown({ "application/x-a": "A", "application/x-b": "BB", "text/x-c": "C" }));
    const artifacts = displays.displays?.[0]?.artifacts;
    const read = Object.entries(artifacts ?? {}).map(([type, uri]) => [
      type,
      store.read(uri)?.info.mimeType,
      store.read(uri)?.bytes.toString(),
    ]);
    expect(read).toEqual([
      ["application/x-a", "application/x-a", "A"],
      ["application/x-b", "application/x-b", "BB"],
      ["text/x-c", "text/x-c", "C"],
    ]);
  });

  test("leaves no file open when it is dropped", () => {
    const open = (): number => readdirSync("/proc/self/fd").length;
    const before = open();
    for (let number = 0; number < 20; number += 1) {
      displays.take(shown({ "application/x-a": "A", "application/x-b": "B" }));
      displays.take(shown({}, { kind: "clear" }));
    }
    expect(open()).toBe(before);
  });
});

describe("text", () => {
  test.each([
    ["markdown before the repr", { "text/plain": "r", "text/markdown": "# m" }, "# m"],
    ["the repr before HTML", { "text/plain": "r", "text/html": "<b>" }, "r"],
    [
      "HTML before a repr that says nothing",
      { "text/plain": "<a.B object at 0x7f>", "text/html": "<b>" },
      "<b>",
    ],
    [
      "such a repr before long HTML",
      { "text/plain": "<a.B object>", "text/html": "x".repeat(2001) },
      "<a.B object>",
    ],
    ["JSON where there is nothing else", { "application/json": "[1]" }, "[1]"],
    ["no text of a picture", { "image/png": "x" }, undefined],
  ])("is %s", (_, data: Record<string, string>, text) => {
    displays.take(shown(data));
    expect(texts()).toEqual([text]);
  });

  test("is cut where it is long, and then kept whole", () => {
    displays.take(shown({ "text/plain": "é".repeat(5000) }));
    const [display] = displays.displays ?? [];
    expect(display?.text).toBe(`${"é".repeat(4000)}\n[… 1000 characters not shown …]`);
    expect(store.read(display?.artifact ?? "")?.bytes.toString()).toBe("é".repeat(5000));
  });

  test("is cut between characters", () => {
    displays.take(shown({ "text/plain": `x${"😀".repeat(3000)}` }));
    expect(texts()[0]?.isWellFormed()).toBe(true);
  });

  test("has little room left where much was told, and gets back what was forgotten", () => {
    const long = shown({ "text/plain": "x".repeat(4000) });
    for (let number = 0; number < 12; number += 1) displays.take(long);
    expect(texts().at(-1)).toBe(`${"x".repeat(200)}\n[… 3800 characters not shown …]`);
    displays.take(shown({}, { kind: "clear" }));
    displays.take(long);
    expect(texts()).toEqual(["x".repeat(4000)]);
  });
});

describe("a chart", () => {
  test.each([
    ["is told if it is short", '{"axes":[]}', { axes: [] }],
    ["isn't if it is long", `["${"x".repeat(4000)}"]`, undefined],
    ["isn't if it is no JSON", "{", undefined],
    [
      "isn't if it is nested deeper than clients' parsers go",
      "[".repeat(1000) + "]".repeat(1000),
      undefined,
    ],
  ])("%s", (_, json, chart) => {
    displays.take(shown({ [CHART]: json }));
    expect(displays.displays?.[0]?.chart).toEqual(chart);
    expect(kept()).toHaveLength(chart === undefined ? 1 : 0);
  });
});

describe("a picture", () => {
  test.each([
    ["the PNG", { "image/jpeg": 10, "image/png": 10 }, "image/png"],
    [
      "the JPEG of a PNG that is too large",
      { "image/png": 2 * MIB, "image/jpeg": 10 },
      "image/jpeg",
    ],
    ["none that is too large", { "image/png": 2 * MIB }, undefined],
    ["no SVG", { "image/svg+xml": 10 }, undefined],
  ])("that is handed over is %s", (_, sizes: Record<string, number>, mimeType) => {
    const data = Object.entries(sizes).map(([type, size]) => [type, Buffer.alloc(size)]);
    displays.take(shown(Object.fromEntries(data) as Record<string, Buffer>));
    expect(displays.displays?.[0]?.picture?.mimeType).toBe(mimeType);
  });

  test("has its size only if that is two numbers", () => {
    const metadata = { "image/png": { width: 3, height: 4 } };
    displays.take(shown({ "image/png": "x" }, { metadata }));
    displays.take(
      shown({ "image/png": "x" }, { metadata: { "image/png": { width: "3", height: 4 } } }),
    );
    const [first, second] = displays.displays ?? [];
    expect(first?.picture).toMatchObject({ width: 3, height: 4 });
    expect(second?.picture).not.toHaveProperty("width");
  });

  test("is among the first four, also if it replaces one of them", () => {
    for (const id of ["a", "b", "c", "d", "e"]) displays.take(shown({ "image/png": id }, { id }));
    displays.take(shown({ "image/png": "new" }, { kind: "update", id: "d" }));
    expect(displays.displays?.map(({ picture }) => picture?.bytes.toString())).toEqual([
      ...["a", "b", "c", "new", undefined],
    ]);
  });

  test("does not hold the rest of what it came with", () => {
    const frame = Buffer.alloc(10 * MIB);
    displays.take(shown({}, { data: new Map([["image/png", frame.subarray(0, 100)]]) }));
    expect(displays.displays?.[0]?.picture?.bytes.buffer.byteLength).toBeLessThan(MIB);
  });
});

describe("the address of what has most of a display", () => {
  test.each([
    [["text/plain", "text/html", "text/csv"], "html"],
    [["text/csv", "application/vnd.apache.parquet"], "parquet"],
    [["text/html", "image/png"], "png"],
    [["application/x-own"], "bin"],
  ])("of %j ends in %s", (types, ending) => {
    displays.take(shown(Object.fromEntries(types.map((type) => [type, "x"]))));
    expect(displays.displays?.[0]?.artifact).toBe(`artifact://run/displays/1.${ending}`);
  });

  test("is that of the original where it was made smaller", () => {
    const originals = new Map([["image/png", Buffer.from("larger")]]);
    displays.take(shown({ "image/png": "small", "text/html": "x" }, { originals }));
    const [display] = displays.displays ?? [];
    expect(display?.artifact).toBe("artifact://run/displays/1.original.png");
    expect(store.read(display?.artifact ?? "")?.bytes.toString()).toBe("larger");
    expect(display?.picture?.bytes.toString()).toBe("small");
  });

  test("is missing where nothing can be kept", () => {
    store.close();
    folder.remove();
    displays.take(shown({ "text/html": "x", "text/plain": "p" }));
    expect(displays.displays).toEqual([
      { source: "display", mimeTypes: ["text/html", "text/plain"], text: "p", artifacts: {} },
    ]);
  });
});
