import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Artifact } from "../../../src/execution.ts";
import { Artifacts } from "../../../src/output/artifacts.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";
import { ODD_NAMES } from "../../support/odd-names.ts";

const SECRET = "secret";

let folder: TestFolder;
let artifacts: Artifacts;
let outside: string;

beforeEach(() => {
  folder = makeTestFolder();
  artifacts = new Artifacts(() => true);
  outside = join(folder.path, "outside");
  mkdirSync(outside);
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(outside, name), SECRET);
});
afterEach(() => folder.remove());

const at = (path: string): string => join(folder.workspace, path);

/** The files that are told of what happens in the workspace. */
async function toldOf(
  change: () => unknown,
  input?: ReadonlyMap<string, Buffer>,
): Promise<Artifact[]> {
  const find = artifacts.watch(folder.workspace, input);
  change();
  return (await find("run", false)).artifacts;
}

async function only(path: string, text: string | Buffer = "content"): Promise<Artifact> {
  const told = await toldOf(() => {
    mkdirSync(join(at(path), ".."), { recursive: true });
    writeFileSync(at(path), text);
  });
  const [artifact] = told;
  if (artifact === undefined || told.length > 1) throw new Error(`told: ${JSON.stringify(told)}`);
  return artifact;
}

const read = (uri: string, offset = 0, length = 1000): string | undefined =>
  artifacts.read(uri, offset, length)?.bytes.toString();

describe("a file that a run has made", () => {
  test("is told with its size, type and address", async () => {
    expect(await only("out/table.csv", "x,y\n")).toEqual({
      path: "out/table.csv",
      size: 4,
      mimeType: "text/csv",
      change: "added",
      uri: "artifact://run/files/out/table.csv",
    });
  });

  test.each([
    ...ODD_NAMES,
    "a..%2f..%2fetc",
    "日本 é.txt",
    "a\\b.txt",
    "~x.txt",
    "[b].txt",
    "x;y=1&z.txt",
    "^|`{}.txt",
    "a...",
    "%2e%2e",
    "c:/d",
  ])("called %j is read at its address, also when that has been through a URL", async (name) => {
    const { uri } = await only(name, `of ${name}`);
    expect(read(uri)).toBe(`of ${name}`);
    const { host, pathname, search, hash } = new URL(uri);
    expect({ search, hash }).toEqual({ search: "", hash: "" });
    expect(read(`artifact://${host}${pathname}`)).toBe(`of ${name}`);
  });

  test("is read in parts, and as it is then", async () => {
    const { uri } = await only("a.txt", "0123456789");
    expect(read(uri, 3, 4)).toBe("3456");
    expect(read(uri, 8, 4)).toBe("89");
    expect(read(uri, 10, 4)).toBe("");
    expect(read(uri, 1e12, 4)).toBe("");
    appendFileSync(at("a.txt"), "ab");
    expect(artifacts.read(uri, 8, 100)).toMatchObject({ size: 12, bytes: Buffer.from("89ab") });
    truncateSync(at("a.txt"), 1);
    expect(read(uri)).toBe("0");
  });

  test("is not read when it is gone", async () => {
    const { uri } = await only("a.txt");
    rmSync(at("a.txt"));
    expect(read(uri)).toBeUndefined();
  });

  test.each([
    "artifact://run/files/../secret",
    "artifact://other/files/a.txt",
    "artifact://run/files/b.txt",
    "run://run/files/a.txt",
    "",
  ])("is not read at %j", async (uri) => {
    await only("a.txt");
    writeFileSync(at("b.txt"), "never told");
    expect(read(uri)).toBeUndefined();
  });
});

describe("a link", () => {
  test("in the place of a file leads nowhere", async () => {
    const { uri } = await only("a.txt");
    rmSync(at("a.txt"));
    symlinkSync(join(outside, "a.txt"), at("a.txt"));
    expect(read(uri)).toBeUndefined();
  });

  test.each(["d", "d/e"])("in the place of the folder %s leads nowhere", async (path) => {
    const { uri } = await only("d/e/a.txt");
    expect(read(uri)).toBe("content");
    mkdirSync(join(outside, "e"));
    writeFileSync(join(outside, "e/a.txt"), SECRET);
    renameSync(at(path), at("was"));
    symlinkSync(outside, at(path));
    expect(read(uri)).toBeUndefined();
  });

  test("in the place of the folder itself leads nowhere", async () => {
    const { uri } = await only("a.txt");
    renameSync(folder.workspace, `${folder.workspace}-was`);
    symlinkSync(outside, folder.workspace);
    expect(read(uri)).toBeUndefined();
  });

  test("in the place of the folder where code may not write shows nothing of it", async () => {
    artifacts = new Artifacts((real) => real === folder.workspace);
    const told = await toldOf(() => {
      renameSync(folder.workspace, `${folder.workspace}-was`);
      symlinkSync(outside, folder.workspace);
      writeFileSync(join(outside, "new.txt"), SECRET);
    });
    expect(told).toEqual([]);
  });

  test("that is put there while files are looked for changes nothing of where they are read", async () => {
    for (let number = 0; number < 400; number += 1) writeFileSync(at(`${number}.txt`), "x");
    const find = artifacts.watch(folder.workspace);
    writeFileSync(at("a.txt"), "content");
    const looking = find("run", false);
    renameSync(folder.workspace, `${folder.workspace}-was`);
    symlinkSync(outside, folder.workspace);
    expect((await looking).artifacts.map(({ uri }) => read(uri))).toEqual([]);
    expect(read("artifact://run/files/a.txt")).toBeUndefined();
  });

  test("is no file itself", async () => {
    expect(await toldOf(() => symlinkSync(join(outside, "a.txt"), at("a.txt")))).toEqual([]);
  });
});

test("a pipe in the place of a file is not waited for", async () => {
  const { uri } = await only("a.txt");
  rmSync(at("a.txt"));
  execFileSync("mkfifo", [at("a.txt")]);
  expect(read(uri)).toBeUndefined();
});

test("of a sparse file no more is read than is asked for", async () => {
  const { uri, size } = await only("sparse.bin", "");
  expect(size).toBe(0);
  truncateSync(at("sparse.bin"), 2 ** 40);
  expect(artifacts.read(uri, 2 ** 39, 10)).toMatchObject({
    size: 2 ** 40,
    bytes: Buffer.alloc(10),
  });
});

test("many files are told up to a bound, the newest, with a note", async () => {
  const find = artifacts.watch(folder.workspace);
  for (let number = 0; number < 60; number += 1) writeFileSync(at(`${number}.txt`), "x");
  await sleep(30);
  writeFileSync(at("last.txt"), "x");
  const { artifacts: told, notes } = await find("run", false);
  expect(told).toHaveLength(50);
  expect(told.at(-1)?.path).toBe("last.txt");
  expect(notes).toEqual(["11 more files were made or changed than are listed."]);
});

test("addresses are bounded in all", async () => {
  const name = "日".repeat(80);
  const find = artifacts.watch(folder.workspace);
  mkdirSync(join(folder.workspace, ...Array<string>(10).fill(name)), { recursive: true });
  for (let number = 0; number < 50; number += 1)
    writeFileSync(join(folder.workspace, ...Array<string>(10).fill(name), `${number}`), "x");
  const { artifacts: told, notes } = await find("run", false);
  expect(told.length).toBeGreaterThan(3);
  expect(JSON.stringify(told).length).toBeLessThan(150_000);
  expect(notes).toEqual([`${50 - told.length} more files were made or changed than are listed.`]);
});

test("files of many runs are kept, the newest", async () => {
  for (let run = 0; run < 210; run += 1) {
    const find = artifacts.watch(folder.workspace);
    writeFileSync(at(`${run}.txt`), "x");
    await find(`run${run}`, false);
  }
  expect(artifacts.list().map(({ path }) => path)).toEqual(
    Array.from({ length: 200 }, (_, index) => `${index + 10}.txt`),
  );
  expect(read("artifact://run9/files/9.txt")).toBeUndefined();
});

describe("what was sent along", () => {
  const input = new Map([["in.txt", Buffer.from("abc")]]);
  test.each([
    ["is told if the code has changed it", "abcd", ["in.txt"]],
    ["is told if the code has changed it to something as long", "cab", ["in.txt"]],
    ["is not told as it was sent", "abc", []],
  ])("%s", async (_, text, paths) => {
    const told = await toldOf(() => writeFileSync(at("in.txt"), text), input);
    expect(told.map(({ path }) => path)).toEqual(paths);
  });
});

test("nothing is looked for where code can't write", async () => {
  artifacts = new Artifacts(() => false);
  expect(await toldOf(() => writeFileSync(at("a.txt"), "x"))).toEqual([]);
});
