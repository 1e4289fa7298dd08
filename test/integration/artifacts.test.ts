/** Files that runs make or change where they work, with either worker, in sessions and batches. */
import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createExecutor, type Executor, type RunRequest } from "../../src/index.ts";
import { python } from "../support/python-source.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { WORKERS } from "../support/workers.ts";

describe.each(WORKERS)("with the $name worker", ({ options }) => {
  let folder: TestFolder;
  let executor: Executor;
  const at = (path: string): string => join(folder.workspace, path);

  beforeEach(async () => {
    folder = makeTestFolder();
    executor = createExecutor({ workspace: folder.workspace, ...options });
    mkdirSync(at("sub"));
    for (const name of ["old.txt", "sub/old.txt", "sub/other.txt"]) writeFileSync(at(name), "old");
    await executor.run({ code: "pass" });
    await sleep(30); // what was written so far was before
  });
  afterEach(async () => {
    await executor.close();
    expect(await folder.lastingLeftovers()).toEqual([]);
    folder.remove();
  });

  /** The files that are told of a run, as `added a.txt 3`. */
  async function told(code: string, request: Omit<RunRequest, "code"> = {}): Promise<string[]> {
    const { artifacts = [], stderr } = await executor.run({ code, ...request });
    expect(stderr).toBe("");
    return artifacts.map(({ change, path, size }) => `${change} ${path} ${size}`).toSorted();
  }

  test.each([
    ["an empty file", "open('sub/new', 'w').close()", ["added sub/new 0"]],
    [
      "a few bytes in place",
      "f = open('sub/old.txt', 'r+'); f.write('x'); f.close()",
      ["changed sub/old.txt 3"],
    ],
    ["a file that is emptied", "open('sub/old.txt', 'w').close()", ["changed sub/old.txt 0"]],
    ["a file that is cut", "import os; os.truncate('sub/old.txt', 1)", ["changed sub/old.txt 1"]],
    ["a new name", "import os; os.rename('sub/old.txt', 'sub/new.txt')", ["changed sub/new.txt 3"]],
    [
      "a file in the place of another",
      "open('t', 'w').write('x')\nimport os; os.replace('t', 'old.txt')",
      ["added old.txt 1"],
    ],
    [
      "memory that is mapped",
      "import mmap; f = open('sub/old.txt', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:1] = b'x'; m.close(); f.close()",
      ["changed sub/old.txt 3"],
    ],
    [
      "a database",
      "import sqlite3; d = sqlite3.connect('sub/a.db'); d.execute('create table t (x)'); d.commit(); d.close()",
      ["added sub/a.db 8192"],
    ],
    [
      "a program that the code runs",
      "import subprocess; subprocess.run('echo >> sub/old.txt', shell=True)",
      ["changed sub/old.txt 4"],
    ],
    [
      "a program that outlives its parent",
      "import subprocess, time; subprocess.run('setsid sh -c \"echo >> sub/old.txt\" &', shell=True); time.sleep(0.3)",
      ["changed sub/old.txt 4"],
    ],
    [
      "a child that nobody waits for",
      "import os, signal, time; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nif os.fork() == 0: open('sub/new', 'w').close(); os._exit(0)\ntime.sleep(0.3)",
      ["added sub/new 0"],
    ],
    [
      "folders",
      "import os; os.makedirs('a/b'); open('a/b/c.txt', 'w').write('x')",
      ["added a/b/c.txt 1"],
    ],
  ])("%s is listed", async (_, code, files) => {
    expect(await told(`${code}\nNone`)).toEqual(files);
  });

  test("the same file is listed each time that it is changed, and once for each", async () => {
    const append = "_ = open('sub/old.txt', 'a').write('x')";
    expect(await told(append)).toEqual(["changed sub/old.txt 4"]);
    expect(await told(append)).toEqual(["changed sub/old.txt 5"]);
    expect(await told("print(open('sub/old.txt').read())")).toEqual([]);
    expect(await told(append, { session: "s" })).toEqual(["changed sub/old.txt 6"]);
    expect(await told(append, { session: "s" })).toEqual(["changed sub/old.txt 7"]);
    expect(await told("1", { session: "s" })).toEqual([]);
  });

  test("what was there, temporary files, hidden ones and deleted ones are not listed", async () => {
    const code = python`
      import os, tempfile
      open(".hidden", "w").write("x")
      tempfile.NamedTemporaryFile().write(b"x")
      open("gone", "w").write("x")
      os.remove("gone")
      os.symlink("/etc/hostname", "link.txt")
      print(open("old.txt").read())
    `;
    expect(await told(code)).toEqual([]);
  });

  test("files of a run that fails or is out of time are listed", async () => {
    const failed = await executor.run({ code: "open('a', 'w').write('x')\n1/0" });
    expect(failed.artifacts?.map(({ path }) => path)).toEqual(["a"]);
    const late = await executor.run({
      code: "open('b', 'w').write('x')\nwhile True: pass",
      timeout: 1,
    });
    expect(late.artifacts?.map(({ path }) => path)).toEqual(["b"]);
  });

  test("the folder that is looked through is the one where the code works", async () => {
    expect(await told("open('a', 'w').close()\nopen('../b', 'w').close()", { cwd: "sub" })).toEqual(
      ["added a 0"],
    );
  });

  test("a batch and a map list the files of all, once", async () => {
    let files: string[] = [];
    const codes = ["open('a', 'w').close()", "open('sub/b', 'w').close()", "1/0", "pass"];
    const results = await executor.runBatch(
      { codes },
      { onArtifacts: (found) => (files = found.map(({ path }) => path)) },
    );
    expect(files.toSorted()).toEqual(["a", "sub/b"]);
    expect(results.some((result) => "artifacts" in result)).toBe(false);
    const code = "for n in items: open(f'{n}.txt', 'w').close()\nitems";
    const mapped = await executor.runMap({ code, items: [1, 2, 3, 4], chunks: 2 });
    expect(mapped.artifacts?.map(({ path }) => path).toSorted()).toEqual([
      "1.txt",
      "2.txt",
      "3.txt",
      "4.txt",
    ]);
  });

  test.runIf(process.platform === "linux")(
    "a large folder is not looked through after a run that has written nothing",
    async () => {
      for (let number = 0; number < 200; number += 1) writeFileSync(at(`${number}.txt`), "x");
      await sleep(30);
      setTimeout(() => appendFileSync(at("sub/other.txt"), "by someone else"), 100);
      expect(await told("import time; time.sleep(0.4)")).toEqual([]);
      setTimeout(() => appendFileSync(at("sub/other.txt"), "by someone else"), 100);
      expect(
        await told("import time; time.sleep(0.4); open('sub/mine', 'w').write('x') and None"),
      ).toEqual(["added sub/mine 1", "changed sub/other.txt 33"]);
      // and from here on it is known to change
      setTimeout(() => appendFileSync(at("sub/other.txt"), "again"), 100);
      expect(await told("import time; time.sleep(0.4)")).toEqual(["changed sub/other.txt 38"]);
    },
  );

  test("pipes, sockets, sparse files, deep trees and loops of links are no trouble", async () => {
    const code = python`
      import os, socket
      os.mkfifo("pipe.png")
      s = socket.socket(socket.AF_UNIX); s.bind("sock.png"); s.close()
      open("sparse.png", "wb").truncate(1 << 40)
      os.makedirs("d/" * 60)
      os.symlink("loop", "loop")
      os.symlink("..", "sub/up")
      None
    `;
    expect(await told(code)).toEqual([`added sparse.png ${2 ** 40}`]);
  });

  test("a link in the place of the folder shows nothing of where it leads", async () => {
    const secret = join(folder.path, "secret");
    mkdirSync(secret);
    const running = executor.run({ code: "import time; time.sleep(1)", cwd: "sub" });
    await sleep(400);
    renameSync(at("sub"), at("was"));
    symlinkSync(secret, at("sub"));
    writeFileSync(join(secret, "key.txt"), "x");
    expect(await running).not.toHaveProperty("artifacts");
  });
});
