/** What a caller gives code besides itself: text to read, and files, with either worker, in sessions and batches. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createExecutor, type Executor, type RunRequest, type RunResult } from "../../src/index.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { WORKERS } from "../support/workers.ts";

const HINT = expect.stringMatching(
  /^The code asked for more input than it was given.*`stdin`/,
) as string;

describe.each(WORKERS)("with the $name worker", ({ options }) => {
  let folder: TestFolder;
  let executor: Executor;
  let session: string;
  let count = 0;
  const at = (path: string): string => join(folder.workspace, path);
  const run = (code: string, more: Omit<RunRequest, "code"> = {}): Promise<RunResult> =>
    executor.run({ code, ...more });

  beforeAll(() => {
    folder = makeTestFolder();
    executor = createExecutor({ workspace: folder.workspace, ...options, maxSessions: 20 });
  });
  beforeEach(() => {
    session = `s${(count += 1)}`;
  });
  afterAll(async () => {
    await executor.close();
    expect(await folder.lastingLeftovers()).toEqual([]);
    folder.remove();
  });

  describe("standard input", () => {
    test.each([
      ["input", "[input(), input()]", "['é', '']"],
      ["sys.stdin", "import sys\nlist(sys.stdin)", String.raw`['é\n', '\n', 'end']`],
      ["the descriptor", "import os\nos.read(0, 99)", String.raw`b'\xc3\xa9\n\nend'`],
      ["its name", "open('/dev/stdin').read()", String.raw`'é\n\nend'`],
      [
        "a program",
        "import subprocess\nsubprocess.run(['cat'], capture_output=True).stdout",
        String.raw`b'\xc3\xa9\n\nend'`,
      ],
    ])("is read by %s", async (_, code, result) => {
      expect(await run(code, { stdin: "é\n\nend" })).toMatchObject({ status: "ok", result });
      expect(await run(code, { stdin: "é\n\nend", session })).toMatchObject({
        status: "ok",
        result,
      });
    });

    test("is at its end without any, and an error is explained", async () => {
      for (const more of [{}, { session }]) {
        expect(await run("import sys\nsys.stdin.read()", more)).toMatchObject({ result: "''" });
        const failed = await run("input()", more);
        expect(failed).toMatchObject({ status: "error", notes: [HINT] });
        expect(failed.stderr).toContain("EOFError");
      }
      const short = await run("input()\ninput()", { stdin: "one line\n" });
      expect(short.notes).toEqual([HINT]);
      expect(await run("raise EOFError('of my own')")).not.toHaveProperty("notes");
    });

    test("of one cell is gone in the next", async () => {
      expect((await run("input()", { session, stdin: "1\n2\n3\n" })).result).toBe("'1'");
      expect((await run("input()", { session, stdin: "4\n" })).result).toBe("'4'");
      expect((await run("import sys\nsys.stdin.read()", { session })).result).toBe("''");
    });

    test("is given to each snippet of a batch, to copies of a session, and to each chunk of a map", async () => {
      await run("x = 1", { session });
      for (const where of [{}, { session }]) {
        const results = await executor.runBatch({
          codes: ["input()", "input() * 2"],
          stdin: "a\n",
          ...where,
        });
        expect(results.map(({ result }) => result)).toEqual(["'a'", "'aa'"]);
      }
      const mapped = await executor.runMap({
        code: "[input()] * len(items)",
        items: [1, 2],
        chunks: 2,
        stdin: "a",
      });
      expect(mapped.result).toEqual(["a", "a"]);
    });

    test("of 8 MiB arrives whole", async () => {
      const stdin = `${"é".repeat(4 * 1024 * 1024 - 1)}\nx`;
      for (const more of [{}, { session }])
        expect(
          (await run("import sys\nt = sys.stdin.read()\nlen(t), t[-2:]", { stdin, ...more }))
            .result,
        ).toBe(String.raw`(4194305, '\nx')`);
      await expect(run("1", { stdin: `${stdin}x` })).rejects.toMatchObject({
        code: "limit_exceeded",
        argument: "stdin",
      });
    });
  });

  describe("files", () => {
    test("are there when the code begins, byte for byte", async () => {
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const files = [
        { path: "in/deep/a.bin", content: bytes },
        { path: "in/é b.txt", content: "é\r\n" },
        { path: "in/empty", content: "" },
      ];
      const code =
        "open('in/deep/a.bin', 'rb').read() == bytes(range(256)), open('in/é b.txt', 'rb').read(), open('in/empty').read()";
      for (const more of [{}, { session }]) {
        const result = await run(code, { files, ...more });
        expect(result.result).toBe(String.raw`(True, b'\xc3\xa9\r\n', '')`);
        expect(result).not.toHaveProperty("artifacts");
      }
      expect(readFileSync(at("in/deep/a.bin"))).toEqual(bytes);
    });

    test("are written into the folder where the code works", async () => {
      mkdirSync(at("sub"), { recursive: true });
      const files = [{ path: "a.txt", content: "x" }];
      expect((await run("open('a.txt').read()", { files, cwd: "sub" })).result).toBe("'x'");
      expect(existsSync(at("sub/a.txt"))).toBe(true);
      await run("import os\nos.makedirs('other', exist_ok=True)\nos.chdir('other')", { session });
      await run("pass", { session, files: [{ path: "b.txt", content: "x" }] });
      expect(existsSync(at("other/b.txt"))).toBe(true);
    });

    test("that the code changes are listed, and others aren't", async () => {
      const files = ["same", "edited", "longer"].map((path) => ({ path, content: "abc" }));
      const code =
        "open('edited', 'w').write('cba')\nopen('longer', 'a').write('d')\nopen('new', 'w').close()";
      const { artifacts = [] } = await run(code, { files });
      expect(artifacts.map(({ path }) => path).toSorted()).toEqual(["edited", "longer", "new"]);
    });

    test("are given to all snippets of a batch, and to copies of a session", async () => {
      const files = [{ path: "batch.txt", content: "x" }];
      await run("x = 1", { session });
      for (const where of [{}, { session }]) {
        const codes = ["open('batch.txt').read()", "open('batch.txt').read() * 2"];
        const results = await executor.runBatch({ codes, files, ...where });
        expect(results.map(({ result }) => result)).toEqual(["'x'", "'xx'"]);
      }
    });

    test.runIf(process.platform === "linux")("are never written through a link", async () => {
      mkdirSync(join(folder.path, "outside"), { recursive: true });
      if (!existsSync(at("leads out"))) symlinkSync(join(folder.path, "outside"), at("leads out"));
      for (const more of [{}, { session }]) {
        const refused = await run("print('begun')", {
          files: [{ path: "leads out/a", content: "x" }],
          ...more,
        });
        expect(refused).toMatchObject({ status: "refused", stdout: "" });
        expect(refused.stderr).toContain("the file 'leads out/a' could not be written");
      }
      expect(existsSync(join(folder.path, "outside/a"))).toBe(false);
      expect(await run("1", { session })).toMatchObject({ status: "ok" });
    });

    test("that can't be right are refused by name, before anything is run", async () => {
      const refusal = run("open('ran', 'w')", { files: [{ path: "../a", content: "x" }] });
      await expect(refusal).rejects.toMatchObject({
        code: "invalid_argument",
        argument: "files[0].path",
      });
      expect(existsSync(at("ran"))).toBe(false);
    });
  });
});
