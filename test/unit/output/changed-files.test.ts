import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ChangedFiles } from "../../../src/output/changed-files.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

/** Longer than the clock of the file system may be behind (ms). */
const TICK_MS = 30;

let folder: TestFolder;
let changed: ChangedFiles;
let since: number;

beforeEach(async () => {
  folder = makeTestFolder();
  changed = new ChangedFiles();
  for (const name of ["old.txt", "sub/old.txt", "sub/deep/old.txt"]) write(name, "old");
  await begin();
});
afterEach(() => folder.remove());

const at = (path: string): string => join(folder.workspace, path);

function write(path: string, text = "x"): void {
  mkdirSync(join(at(path), ".."), { recursive: true });
  writeFileSync(at(path), text);
}

/** From here on, changes are looked for. */
async function begin(): Promise<void> {
  await sleep(TICK_MS);
  since = Date.now();
}

async function found(isLikelyNone = false): Promise<string[]> {
  const { files } = await changed.since(folder.workspace, since, isLikelyNone);
  return files.map(({ path, size, change }) => `${change} ${path} ${size}`).toSorted();
}

describe("a look for changed files", () => {
  test("finds nothing where nothing has changed", async () => {
    expect(await found()).toEqual([]);
  });

  test("finds what was made and what was changed, in sub-folders too", async () => {
    write("new.txt");
    write("made/here/new.txt", "");
    appendFileSync(at("sub/deep/old.txt"), "er");
    truncateSync(at("old.txt"));
    expect(await found()).toEqual([
      "added made/here/new.txt 0",
      "added new.txt 1",
      "changed old.txt 0",
      "changed sub/deep/old.txt 5",
    ]);
  });

  test("finds a file that was renamed, by its new name", async () => {
    renameSync(at("sub/old.txt"), at("sub/new.txt"));
    expect(await found()).toEqual(["changed sub/new.txt 3"]);
  });

  test("finds what pretends to be old", async () => {
    write("new.txt");
    utimesSync(at("new.txt"), 1, 1);
    expect(await found()).toEqual(["added new.txt 1"]);
  });

  test("tells each change once", async () => {
    write("new.txt");
    expect(await found()).toEqual(["added new.txt 1"]);
    expect(await found()).toEqual([]);
    await sleep(TICK_MS);
    appendFileSync(at("new.txt"), "y");
    expect(await found()).toEqual(["added new.txt 2"]);
    await begin();
    appendFileSync(at("new.txt"), "z");
    expect(await found()).toEqual(["changed new.txt 3"]);
  });

  test.each([
    ".hidden",
    ".git/config",
    "node_modules/a.js",
    "a/__pycache__/b.pyc",
    "venv/x",
    "a/.x/b",
  ])("passes over %s", async (path) => {
    write(path);
    expect(await found()).toEqual([]);
  });

  test("passes over what is no file, and follows no link", async () => {
    const outside = join(folder.path, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret.txt"), "x");
    symlinkSync(outside, at("folder"));
    symlinkSync(join(outside, "secret.txt"), at("link.txt"));
    symlinkSync("loop", at("loop"));
    execFileSync("mkfifo", [at("pipe.txt")]);
    expect(await found()).toEqual([]);
  });

  test("finds a file by each of its names", async () => {
    linkSync(at("old.txt"), at("sub/again.txt"));
    expect(await found()).toEqual(["changed old.txt 3", "changed sub/again.txt 3"]);
  });

  test("has the newest last", async () => {
    for (const name of ["c.txt", "a.txt", "sub/b.txt"]) {
      write(name);
      await sleep(TICK_MS);
    }
    const { files } = await changed.since(folder.workspace, since);
    expect(files.map(({ path }) => path)).toEqual(["c.txt", "a.txt", "sub/b.txt"]);
  });

  test("finds nothing in a folder that is gone or is none", async () => {
    for (const path of ["nowhere", "old.txt"])
      expect(await changed.since(at(path), 0)).toEqual({ files: [], isPartial: false });
  });

  test("survives names that are no UTF-8", async () => {
    execFileSync("sh", [
      "-c",
      `cd '${folder.workspace}' && printf x > "$(printf 'bad\\377.txt')" && printf x > good.txt`,
    ]);
    expect(await found()).toEqual(["added good.txt 1"]);
  });

  test("ends in a folder that is too large, and says so", async () => {
    const make = "import os\nfor n in range(20_100): open(f'many/{n}', 'w').close()";
    mkdirSync(at("many"));
    execFileSync("python3", ["-c", make], { cwd: folder.workspace });
    const look = await changed.since(folder.workspace, since);
    expect(look.isPartial).toBe(true);
  }, 60_000);

  test("ends in a tree that is too deep", async () => {
    mkdirSync(at("d/".repeat(60)), { recursive: true });
    write(`${"d/".repeat(60)}new.txt`);
    write(`${"d/".repeat(15)}new.txt`);
    expect(await found()).toEqual([`added ${"d/".repeat(15)}new.txt 1`]);
  });
});

describe("a look where nothing is expected", () => {
  test("finds all the same in a folder with little in it", async () => {
    write("sub/empty.txt", "");
    appendFileSync(at("sub/old.txt"), "x");
    expect(await found(true)).toEqual(["added sub/empty.txt 0", "changed sub/old.txt 4"]);
  });

  describe("and there is much", () => {
    beforeEach(async () => {
      for (let number = 0; number < 200; number += 1) write(`${number}.txt`);
      await changed.since(folder.workspace, 0); // all are known to change, and forgotten again
      changed = new ChangedFiles();
      write("sub/known.txt");
      await found();
      await begin();
    });

    test("passes over what someone else has changed meanwhile", async () => {
      appendFileSync(at("sub/old.txt"), "x");
      expect(await found(true)).toEqual([]);
    });

    test.each([
      ["the folder itself has a new name in it", () => write("new.txt"), "added new.txt 1"],
      [
        "a file that has changed before has changed",
        () => appendFileSync(at("sub/known.txt"), "x"),
        "changed sub/known.txt 2",
      ],
      [
        "such a file was emptied",
        () => truncateSync(at("sub/known.txt")),
        "changed sub/known.txt 0",
      ],
      [
        "such a file was renamed",
        () => renameSync(at("sub/known.txt"), at("sub/n.txt")),
        "changed sub/n.txt 1",
      ],
      ["there is a new name beside it", () => write("sub/new.txt", ""), "added sub/new.txt 0"],
    ])("looks through all where %s", async (_, change, file) => {
      change();
      expect(await found(true)).toEqual([file]);
    });
  });
});
