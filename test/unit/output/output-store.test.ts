import { readdirSync, readlinkSync, rmSync } from "node:fs";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OutputStore, type OutputFile } from "../../../src/output/output-store.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

let folder: TestFolder;
const stores: OutputStore[] = [];

beforeEach(() => {
  folder = makeTestFolder();
});

afterEach(() => {
  for (const store of stores.splice(0)) store.close();
  folder.remove();
});

function openStore(maxBytesEach = 1000, maxBytesInAll = 10_000): OutputStore {
  const store = new OutputStore({ root: folder.temp, maxBytesEach, maxBytesInAll });
  stores.push(store);
  return store;
}

/** Opens a text and writes to it. */
function keep(store: OutputStore, ...texts: readonly string[]): OutputFile {
  const file = store.open(store.newRunId(), "stdout");
  if (file === undefined) throw new Error("no file could be opened");
  for (const text of texts) file.write(Buffer.from(text));
  return file;
}

function textOf(store: OutputStore, { uri }: OutputFile, offset?: number, length?: number) {
  return store.read(uri, offset, length)?.bytes.toString();
}

describe("reading", () => {
  test("gives what was written, in its order", () => {
    const store = openStore();
    expect(textOf(store, keep(store, "ab", "", "cd", "é€😀"))).toBe("abcdé€😀");
  });

  test.each([
    { what: "a beginning", offset: 0, length: 3, text: "012" },
    { what: "a part", offset: 3, length: 4, text: "3456" },
    { what: "the rest, without a length", offset: 7, length: undefined, text: "789" },
    { what: "the rest, of less than the length", offset: 7, length: 100, text: "789" },
    { what: "nothing at the end", offset: 10, length: 1, text: "" },
    { what: "nothing beyond the end", offset: 1000, length: 1, text: "" },
    { what: "nothing of no length", offset: 0, length: 0, text: "" },
  ])("gives $what", ({ offset, length, text }) => {
    const store = openStore();
    expect(textOf(store, keep(store, "0123456789"), offset, length)).toBe(text);
  });

  test("goes on while the text still grows", () => {
    const store = openStore();
    const file = keep(store, "ab");
    expect(textOf(store, file)).toBe("ab");
    file.write(Buffer.from("cd"));
    expect(textOf(store, file)).toBe("abcd");
  });

  test("does not mix up the streams of a run, or runs", () => {
    const store = openStore();
    const runs = [store.newRunId(), store.newRunId()];
    const streams = ["stdout", "stderr"] as const;
    const files = runs.flatMap((run) => streams.map((stream) => store.open(run, stream)));
    for (const [index, file] of files.entries()) file?.write(Buffer.from(`text ${index}`));
    const texts = files.map((file) => store.read(file?.uri ?? "")?.bytes.toString());
    expect(texts).toEqual(["text 0", "text 1", "text 2", "text 3"]);
  });

  test("of an address that was never given is undefined", () => {
    expect(openStore().read("run://nobody/stdout")).toBeUndefined();
  });
});

describe("the list", () => {
  test("says what there is, the oldest first", () => {
    const store = openStore(4);
    const [first, second] = [keep(store, "abcdef"), keep(store, "ab")];
    second.skip(7);
    expect(store.list()).toMatchObject([
      { uri: first.uri, name: "stdout", size: 4, totalBytes: 6 },
      { uri: second.uri, name: "stdout", size: 2, totalBytes: 9 },
    ]);
  });

  test("names the run that an address belongs to", () => {
    const store = openStore();
    const runId = store.newRunId();
    store.open(runId, "stderr");
    expect(store.list()).toMatchObject([{ runId, name: "stderr", uri: `run://${runId}/stderr` }]);
  });
});

test("run ids are fit for an address, long, and never the same", () => {
  const store = openStore();
  const ids = Array.from({ length: 1000 }, () => store.newRunId());
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[\w-]{12}$/);
});

describe("bounds", () => {
  test("of one text more is counted than is kept", () => {
    const store = openStore(10);
    const file = keep(store, "0123456", "789abc", "def");
    expect(textOf(store, file)).toBe("0123456789");
    expect(store.list()).toMatchObject([{ size: 10, totalBytes: 16 }]);
  });

  test("the oldest texts go when there are too many", () => {
    const store = openStore(10, 25);
    const files = ["a", "b", "c", "d"].map((letter) => keep(store, letter.repeat(10)));
    expect(files.map((file) => textOf(store, file))).toEqual([
      undefined,
      undefined,
      "c".repeat(10),
      "d".repeat(10),
    ]);
    expect(store.list()).toHaveLength(2);
  });

  test("a text that is gone may still be written to, and stays gone", () => {
    const store = openStore(10, 10);
    const old = keep(store, "0123456789");
    keep(store, "x");
    old.write(Buffer.from("more"));
    old.skip(3);
    expect(textOf(store, old)).toBeUndefined();
    expect(store.list()).toHaveLength(1);
  });

  test("a text that still grows is not what makes room for itself: the next oldest is", () => {
    const store = openStore(10, 20);
    const [growing, other, newest] = [keep(store, "a"), keep(store, "b"), keep(store, "c")];
    other.write(Buffer.from("b".repeat(9)));
    newest.write(Buffer.from("c".repeat(8)));
    growing.write(Buffer.from("a".repeat(9)));
    expect([growing, other, newest].map((file) => textOf(store, file))).toEqual([
      "a".repeat(10),
      undefined,
      "c".repeat(9),
    ]);
  });

  /** To write some bytes to one of the texts, or, by leaving out which one, to a new one. */
  const action = fc.record({ which: fc.option(fc.nat(4), { freq: 3 }), size: fc.nat(12) });

  test("hold whatever is opened and written in whatever order", () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 5, maxLength: 40 }), (actions) => {
        const store = openStore(10, 25);
        const files: OutputFile[] = [];
        for (const { which, size } of actions) {
          const known = which === null ? undefined : files[which];
          const file = known ?? keep(store);
          if (known === undefined) files.push(file);
          file.write(Buffer.alloc(size, "x"));
          const sizes = store.list().map((info) => info.size);
          expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(10);
          expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(25);
          for (const info of store.list()) {
            expect(store.read(info.uri)?.bytes).toHaveLength(info.size);
          }
        }
        store.close();
      }),
      { numRuns: 40 },
    );
  });
});

describe("what is left", () => {
  test.skipIf(process.platform === "win32")("files have no name, even while they are open", () => {
    const store = openStore();
    keep(store, "secret");
    expect(readdirSync(folder.temp)).toEqual([]);
  });

  test("after closing there is neither a file nor a text", () => {
    const store = openStore();
    const file = keep(store, "abc");
    store.close();
    expect(readdirSync(folder.temp)).toEqual([]);
    expect(store.list()).toEqual([]);
    expect(textOf(store, file)).toBeUndefined();
    file.write(Buffer.from("a late piece"));
    expect(() => store.close()).not.toThrow();
  });

  test.skipIf(process.platform !== "linux")("texts that are gone hold no descriptor", () => {
    const store = openStore(10, 20);
    for (let i = 0; i < 50; i += 1) keep(store, "0123456789");
    expect(descriptorsBelow(folder.temp)).toBe(2);
    store.close();
    expect(descriptorsBelow(folder.temp)).toBe(0);
  });

  test("a folder that can't be written in costs the copy, and nothing else", () => {
    const store = openStore();
    rmSync(folder.temp, { recursive: true });
    expect(store.open(store.newRunId(), "stdout")).toBeUndefined();
    expect(store.list()).toEqual([]);
  });
});

/** How many files below a folder this process has open, those without a name included (proc(5)). */
function descriptorsBelow(path: string): number {
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(path);
    } catch {
      return false; // the descriptor of the listing itself
    }
  }).length;
}
