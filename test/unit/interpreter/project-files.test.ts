import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { projectFilesIn } from "../../../src/interpreter/project-files.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

let folder: TestFolder;

beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => folder.remove());

test("the files of a project are named, the most exact one first", () => {
  expect(projectFilesIn(folder.workspace)).toEqual([]);
  for (const name of ["requirements.txt", "pyproject.toml", "uv.lock", "notes.txt"]) {
    writeFileSync(join(folder.workspace, name), "");
  }
  mkdirSync(join(folder.workspace, "poetry.lock")); // no file
  expect(projectFilesIn(folder.workspace)).toEqual([
    "uv.lock",
    "pyproject.toml",
    "requirements.txt",
  ]);
});

test("a folder that isn't there has none", () => {
  expect(projectFilesIn(join(folder.path, "nothing"))).toEqual([]);
});
