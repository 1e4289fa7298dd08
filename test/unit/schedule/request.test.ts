import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSettings } from "../../../src/config.ts";
import { PyExecutorError } from "../../../src/errors.ts";
import {
  checkCode,
  checkCodes,
  clampTimeout,
  clampWorkers,
  resolveCwd,
} from "../../../src/schedule/request.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

const settings = readSettings({});

/** The refusal of a call; undefined if it was not refused. */
function refusalOf(call: () => unknown): PyExecutorError | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof PyExecutorError) return error;
    throw error;
  }
}

describe("code", () => {
  const check = (code: string, maxBytes = 10) => refusalOf(() => checkCode(code, "code", maxBytes));

  test.each([
    ["nothing", ""],
    ["as many bytes as are allowed", "0123456789"],
    ["as many bytes of longer characters", "ééééé"],
    ["a whole surrogate pair", "'😀'"],
    ["every control character but NUL", "\u0001\t\r\n\u001f\u007f"],
  ])("may be %s", (_, code) => {
    expect(check(code)).toBeUndefined();
  });

  test("is counted in bytes of UTF-8, not in characters", () => {
    expect(check("é".repeat(6))).toMatchObject({
      code: "limit_exceeded",
      argument: "code",
      message: expect.stringContaining("`code` is 12 bytes long, the limit is 10 bytes of UTF-8"),
    });
  });

  test("over the limit is told what to do instead", () => {
    expect(check("x".repeat(11))?.message).toMatch(/data in a file .*`chunk_by_size`/);
  });

  test("with a NUL is refused, with its place", () => {
    expect(check("a = '\0'")).toMatchObject({
      code: "invalid_argument",
      argument: "code",
      message: expect.stringMatching(/^`code` holds a NUL character at position 5.*\\0/),
    });
  });

  test.each(["'\ud83d'", "\ude00\ud83d", "😀\ud83d"])(
    "with half a character is refused: %j",
    (code) => {
      expect(check(code)).toMatchObject({
        code: "invalid_argument",
        argument: "code",
        message: expect.stringMatching(
          /^`code` holds half of a surrogate pair.*\\u… inside a Python/,
        ),
      });
    },
  );

  test("may be 1 MiB unless the operator says otherwise", () => {
    expect(check("x".repeat(1_048_576), settings.maxCodeBytes)).toBeUndefined();
    expect(check("x".repeat(1_048_577), settings.maxCodeBytes)?.code).toBe("limit_exceeded");
  });
});

describe("codes", () => {
  test("may be none, and 20 unless the operator says otherwise", () => {
    expect(() => checkCodes([], settings)).not.toThrow();
    expect(() => checkCodes(Array(20).fill("pass"), settings)).not.toThrow();
    expect(refusalOf(() => checkCodes(Array(21).fill("pass"), settings))).toMatchObject({
      code: "limit_exceeded",
      argument: "codes",
      message: expect.stringMatching(
        /^`codes` has 21 snippets, the limit is 20\. .*batches.*`chunk_by_count`/,
      ),
    });
  });

  test.each([
    ["too long", "x".repeat(1_048_577), "limit_exceeded"],
    ["with a NUL", "\0", "invalid_argument"],
    ["with half a character", "\ud800", "invalid_argument"],
  ])("one %s is named by its index", (_, bad, code) => {
    const refusal = refusalOf(() => checkCodes(["pass", "pass", bad], settings));
    expect(refusal).toMatchObject({ code, argument: "codes[2]" });
    expect(refusal?.message).toContain("`codes[2]`");
  });
});

describe("timeout", () => {
  test.each([
    [undefined, 30],
    [1, 1],
    [1.25, 1.25],
    [60, 60],
  ])("%j is taken as it is, without a word", (timeout, value) => {
    expect(clampTimeout(timeout, settings)).toEqual({ value, note: undefined });
  });

  test.each([
    [0, 1],
    [-5, 1],
    [0.2, 1],
    [60.001, 60],
    [86_400, 60],
    [Infinity, 60],
    [-Infinity, 1],
  ])("%d is brought to %d, and that is said", (timeout, value) => {
    expect(clampTimeout(timeout, settings)).toEqual({
      value,
      note: `timeout ${timeout} s was brought to ${value} s: this server allows 1 to 60 s.`,
    });
  });

  test("follows the operator's bounds, also those below one second", () => {
    const short = readSettings({ maxTimeout: 0.5 });
    expect(clampTimeout(undefined, short)).toEqual({ value: 0.5, note: undefined });
    expect(clampTimeout(10, short).value).toBe(0.5);
    const long = readSettings({ maxTimeout: 600, defaultTimeout: 90 });
    expect(clampTimeout(undefined, long).value).toBe(90);
    expect(clampTimeout(300, long)).toEqual({ value: 300, note: undefined });
  });

  test("that is no number is refused", () => {
    expect(refusalOf(() => clampTimeout(NaN, settings))).toMatchObject({
      code: "invalid_argument",
      argument: "timeout",
      message: "`timeout` is not a number.",
    });
  });
});

describe("max_workers", () => {
  test.each([
    [undefined, 4],
    [1, 1],
    [4, 4],
  ])("%j means %d, without a word", (workers, value) => {
    expect(clampWorkers(workers, settings)).toEqual({ value, note: undefined });
  });

  test.each([
    [0, 1],
    [0.5, 1],
    [2.9, 2],
    [-3, 1],
    [5, 4],
    [1e9, 4],
    [Infinity, 4],
  ])("%d is brought to %d, and that is said", (workers, value) => {
    expect(clampWorkers(workers, settings)).toEqual({
      value,
      note: `max_workers ${workers} was brought to ${value}: this server allows 1 to 4.`,
    });
  });

  test("that is no number is refused", () => {
    expect(refusalOf(() => clampWorkers(NaN, settings))).toMatchObject({
      code: "invalid_argument",
      argument: "max_workers",
    });
  });
});

describe("cwd", () => {
  let folder: TestFolder;

  beforeEach(() => {
    folder = makeTestFolder();
  });
  afterEach(() => folder.remove());

  async function refusalOfCwd(cwd: string): Promise<PyExecutorError> {
    const outcome = refusalOf(() => resolveCwd(cwd, folder.workspace));
    if (!(outcome instanceof PyExecutorError)) throw new Error(`not refused: ${String(outcome)}`);
    expect(outcome).toMatchObject({ code: "invalid_argument", argument: "cwd" });
    expect(outcome.message).toMatch(/^`cwd` .* Nothing was run\.$/s);
    return outcome;
  }

  test("is the workspace if it is left out", async () => {
    expect(resolveCwd(undefined, folder.workspace)).toBe(folder.workspace);
  });

  test("that is relative is taken from the workspace", async () => {
    mkdirSync(join(folder.workspace, "a/b"), { recursive: true });
    expect(resolveCwd("a/b", folder.workspace)).toBe(join(folder.workspace, "a/b"));
    expect(resolveCwd("a/../a/./b/", folder.workspace)).toBe(join(folder.workspace, "a/b"));
    expect(resolveCwd("..", folder.workspace)).toBe(folder.path);
  });

  test("that is absolute is taken as it is", async () => {
    expect(resolveCwd(folder.temp, folder.workspace)).toBe(folder.temp);
  });

  test("may have any characters that a name can have", async () => {
    const name = "a b $HOME `x` 'q' \"d\" é 😀\n";
    mkdirSync(join(folder.workspace, name));
    expect(resolveCwd(name, folder.workspace)).toBe(join(folder.workspace, name));
  });

  test("may be a link to a folder", async () => {
    symlinkSync(folder.temp, join(folder.workspace, "link"));
    expect(resolveCwd("link", folder.workspace)).toBe(join(folder.workspace, "link"));
  });

  test("that is missing is refused, with the whole path and a way out", async () => {
    const { message, cause } = await refusalOfCwd("nowhere");
    expect(message).toContain(
      `does not exist: ${JSON.stringify(join(folder.workspace, "nowhere"))}`,
    );
    expect(message).toContain(
      "Give a folder that exists; a relative path is taken from the workspace",
    );
    expect(cause).toMatchObject({ code: "ENOENT" });
  });

  test("that is a file, or below one, is refused", async () => {
    writeFileSync(join(folder.workspace, "file"), "");
    expect((await refusalOfCwd("file")).message).toContain("`cwd` is not a folder");
    expect((await refusalOfCwd("file/below")).message).toContain("`cwd` is not a folder");
  });

  test("that is a link to nowhere, or round in a circle, is refused", async () => {
    symlinkSync("nowhere", join(folder.workspace, "dangling"));
    symlinkSync("circle", join(folder.workspace, "circle"));
    expect((await refusalOfCwd("dangling")).message).toContain("does not exist");
    expect((await refusalOfCwd("circle")).message).toContain("can't be used (ELOOP)");
  });

  test("that is empty is refused, not taken for the workspace", async () => {
    expect((await refusalOfCwd("")).message).toContain("is empty; leave it out");
  });

  test("with a NUL is refused, and the NUL does not show", async () => {
    const { message } = await refusalOfCwd("a\0b");
    expect(message).toContain(String.raw`holds a NUL character: "a\u0000b"`);
  });

  test("of any length is refused in a few words", async () => {
    const { message } = await refusalOfCwd("long/".repeat(100_000));
    expect(message).toContain("can't be used (ENAMETOOLONG)");
    expect(message.length).toBeLessThan(1000);
    expect((await refusalOfCwd(`\0${"x".repeat(100_000)}`)).message.length).toBeLessThan(1000);
  });

  test("that the server may not enter is refused", async (context) => {
    if (process.getuid?.() === 0) context.skip("root may enter any folder");
    const locked = join(folder.workspace, "locked");
    mkdirSync(locked);
    for (const mode of [0o000, 0o400, 0o100]) {
      chmodSync(locked, mode);
      expect((await refusalOfCwd("locked")).message).toContain("can't be read by the server");
    }
    chmodSync(locked, 0o700);
  });
});
