import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cacheFolder, ImportMemory } from "../../../src/workers/import-memory.ts";
import { eventually } from "../../support/eventually.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

let folder: TestFolder;
/** Memories that may still have something to write. */
const made: ImportMemory[] = [];

beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => {
  for (const memory of made.splice(0)) memory.save();
  folder.remove();
});

function memoryOf(key = "python3\n/work"): ImportMemory {
  const memory = new ImportMemory(key, folder.temp);
  made.push(memory);
  return memory;
}

const files = (): string[] => {
  const place = join(folder.temp, "imports");
  return existsSync(place) ? readdirSync(place).map((name) => join(place, name)) : [];
};

function onlyFile(): string {
  expect(files()).toHaveLength(1);
  return files()[0] ?? "";
}

describe("what was learned", () => {
  test("is there at the next start, in the order in which it was learned", () => {
    const memory = memoryOf();
    memory.add(["pandas", "numpy"]);
    memory.add(["csv"]);
    expect(memory.packages).toEqual(["pandas", "numpy", "csv"]);
    memory.save();
    expect(memoryOf().packages).toEqual(["pandas", "numpy", "csv"]);
  });

  test("is new once", () => {
    const memory = memoryOf();
    expect(memory.add(["numpy"])).toBe(true);
    expect(memory.add(["numpy"])).toBe(false);
    expect(memory.add(["numpy", "pandas"])).toBe(true);
    expect(memory.add([])).toBe(false);
    memory.save();
    expect(memoryOf().add(["pandas"])).toBe(false);
  });

  test("is of one interpreter and workspace", () => {
    memoryOf("python3\n/one").add(["numpy"]);
    made[0]?.save();
    expect(memoryOf("python3\n/other").packages).toEqual([]);
    expect(memoryOf("python3\n/one").packages).toEqual(["numpy"]);
  });

  test("has a bound, beyond which nothing is new", () => {
    const memory = memoryOf();
    expect(memory.add(Array.from({ length: 70 }, (_, i) => `p${i}`))).toBe(true);
    expect(memory.packages).toHaveLength(64);
    expect(memory.add(["one more"])).toBe(false);
    expect(memory.packages).toHaveLength(64);
    memory.save();
    expect(memoryOf().packages).toHaveLength(64);
  });

  test("comes with what it cost, in milliseconds", () => {
    const memory = memoryOf();
    memory.add(["numpy", "pandas"]);
    memory.noteCosts("numpy=81.5,unknown=3.0,odd,");
    memory.save();
    expect(JSON.parse(readFileSync(onlyFile(), "utf8"))).toEqual({
      packages: { numpy: 81.5, pandas: null },
    });
  });
});

describe("the file", () => {
  test("is written once for new packages and what they cost, a little later", async () => {
    const memory = memoryOf();
    memory.add(["numpy"]);
    memory.noteCosts("numpy=81.5");
    memory.add(["pandas"]);
    memory.noteCosts("pandas=210.0");
    expect(files()).toEqual([]);
    expect(await eventually(() => files().length === 1)).toBe(true);
    expect(memoryOf().packages).toEqual(["numpy", "pandas"]);
    const { mtimeNs, ino } = statSync(onlyFile(), { bigint: true });
    await sleep(20);
    memory.save();
    const after = statSync(onlyFile(), { bigint: true });
    expect([after.mtimeNs, after.ino]).toEqual([mtimeNs, ino]);
  });

  test("is not written when nothing is new", () => {
    const memory = memoryOf();
    memory.add([]);
    memory.noteCosts("");
    memory.noteCosts("numpy=81.5");
    memory.save();
    expect(files()).toEqual([]);
  });

  test("is replaced as a whole, so that no reader sees half of it", () => {
    const memory = memoryOf();
    memory.add(["numpy"]);
    memory.save();
    const before = statSync(onlyFile(), { bigint: true }).ino;
    memory.add(["pandas"]);
    memory.save();
    expect(statSync(onlyFile(), { bigint: true }).ino).not.toBe(before); // and no draft is left
  });

  test("is the user's alone", () => {
    const memory = memoryOf();
    memory.add(["numpy"]);
    memory.save();
    expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder.temp, "imports")).mode & 0o777).toBe(0o700);
  });

  test.each([
    ["empty", ""],
    ["cut off", '{"packages": {"numpy'],
    ["no JSON", "\0\xff"],
    ["of another shape", '{"packages": ["numpy"]}'],
    ["of other values", '{"packages": {"numpy": "81.5"}}'],
  ])("that is %s counts as none, and is replaced", (_what, text) => {
    const memory = memoryOf();
    memory.add(["numpy"]);
    memory.save();
    writeFileSync(onlyFile(), text);
    const next = memoryOf();
    expect(next.packages).toEqual([]);
    next.add(["pandas"]);
    next.save();
    expect(memoryOf().packages).toEqual(["pandas"]);
  });

  test("that can't be written is done without", () => {
    writeFileSync(join(folder.temp, "imports"), "a file where the folder should be");
    const memory = memoryOf();
    expect(memory.add(["numpy"])).toBe(true);
    memory.save();
    expect(memory.packages).toEqual(["numpy"]);
  });
});

describe("the cache folder", () => {
  test("is where the user wants it (XDG Base Directory Specification)", () => {
    expect(cacheFolder({ XDG_CACHE_HOME: "/data/cache" })).toBe("/data/cache/py-executor");
  });

  test.each([[{}], [{ XDG_CACHE_HOME: "" }], [{ XDG_CACHE_HOME: "relative" }]])(
    "is in the home folder with %j: only absolute paths count",
    (variables) => {
      expect(cacheFolder(variables)).toBe(join(homedir(), ".cache", "py-executor"));
    },
  );
});
