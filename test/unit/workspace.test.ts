import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFolders, type Folders } from "../../src/workspace.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";

let folder: TestFolder;
const made: Folders[] = [];

beforeEach(() => {
  folder = makeTestFolder();
  vi.stubEnv("TMPDIR", folder.temp);
});
afterEach(() => {
  for (const folders of made.splice(0)) folders.remove();
  vi.unstubAllEnvs();
  folder.remove();
});

function foldersFor(named: string | undefined, current: string): Folders {
  const folders = createFolders(named, current);
  made.push(folders);
  return folders;
}

describe("the server's own folder", () => {
  test("can be entered by this user only", () => {
    const { root } = foldersFor(folder.workspace, folder.path);
    expect(dirname(root)).toBe(folder.temp);
    expect(statSync(root).mode & 0o777).toBe(0o700);
  });

  test("is another one for each server", () => {
    const roots = [1, 2].map(() => foldersFor(folder.workspace, folder.path).root);
    expect(new Set(roots).size).toBe(2);
  });

  test("leaves room for sockets below it, whose paths end at 104 bytes", () => {
    const { root } = foldersFor(folder.workspace, folder.path);
    expect(root.length - folder.temp.length).toBeLessThanOrEqual(11);
  });

  test("is removed with all that is in it, once or twice", () => {
    const { root, remove } = foldersFor(folder.workspace, folder.path);
    mkdirSync(join(root, "a/b"), { recursive: true });
    writeFileSync(join(root, "a/b/c"), "");
    remove();
    remove();
    expect(readdirSync(folder.temp)).toEqual([]);
  });

  test("is removed when the process ends, unless it was before", () => {
    const before = process.listenerCount("exit");
    const { remove } = foldersFor(folder.workspace, folder.path);
    expect(process.listenerCount("exit")).toBe(before + 1);
    remove();
    expect(process.listenerCount("exit")).toBe(before);
  });
});

describe("the workspace", () => {
  test("that was named is taken, and nothing is said", () => {
    const { workspace, notice } = foldersFor("w", folder.path);
    expect({ workspace, notice }).toEqual({ workspace: folder.workspace, notice: undefined });
  });

  test("is the current folder if none was named", () => {
    expect(foldersFor(undefined, folder.workspace).workspace).toBe(folder.workspace);
  });

  test("is never removed", () => {
    foldersFor(folder.workspace, folder.path).remove();
    expect(existsSync(folder.workspace)).toBe(true);
  });

  test.each(["/", homedir()])(
    "is a scratch folder if the current one is %s; that is said",
    (current) => {
      const { workspace, root, notice, remove } = foldersFor(undefined, current);
      expect(dirname(workspace)).toBe(root);
      expect(readdirSync(workspace)).toEqual([]);
      expect(notice).toContain(workspace);
      expect(notice).toContain(`started in ${current},`);
      expect(notice).toContain("`--workspace DIR`");
      remove();
      expect(existsSync(workspace)).toBe(false);
    },
  );
});
