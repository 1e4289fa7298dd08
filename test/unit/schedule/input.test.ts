import { describe, expect, test } from "vitest";
import { readSettings } from "../../../src/config.ts";
import { PyExecutorError } from "../../../src/errors.ts";
import type { RunInput } from "../../../src/execution.ts";
import { checkInput } from "../../../src/schedule/input.ts";

const settings = readSettings({ maxInputBytes: 100 });

function refusalOf(input: RunInput): PyExecutorError | undefined {
  try {
    checkInput(input, settings);
    return undefined;
  } catch (error) {
    if (error instanceof PyExecutorError) return error;
    throw error;
  }
}

const fileAt = (path: string): RunInput => ({ files: [{ path, content: "x" }] });

describe("input", () => {
  test("is nothing where nothing is given", () => {
    expect(checkInput({}, settings)).toEqual({});
    expect(checkInput({ files: [] }, settings)).toEqual({});
  });

  test("is text and files as bytes, empty ones too", () => {
    const files = [
      { path: "a/é.txt", content: "é" },
      { path: "b.bin", content: new Uint8Array([0, 255]) },
      { path: "c", content: "" },
    ];
    expect(checkInput({ stdin: "", files }, settings)).toEqual({
      stdin: "",
      files: new Map([
        ["a/é.txt", Buffer.from("é")],
        ["b.bin", Buffer.from([0, 255])],
        ["c", Buffer.alloc(0)],
      ]),
    });
  });

  test.each([
    ["a file", { files: [{ path: "a", content: "x".repeat(101) }] }, "files"],
    ["text", { stdin: "é".repeat(51) }, "stdin"],
    [
      "both together",
      { stdin: "x".repeat(60), files: [{ path: "a", content: "x".repeat(60) }] },
      "files",
    ],
  ])("is refused if %s is too much, with the limit and its option", (_, input, argument) => {
    expect(refusalOf(input)).toMatchObject({
      code: "limit_exceeded",
      argument,
      message: expect.stringMatching(
        /the limit is 100 in all \(--max-input-bytes\)\. Put .* Nothing was run\.$/,
      ) as string,
    });
  });

  test("is allowed up to the limit", () => {
    const input = { stdin: "é".repeat(25), files: [{ path: "a", content: "x".repeat(50) }] };
    expect(refusalOf(input)).toBeUndefined();
  });

  test("is refused with half of a surrogate pair, by the name of the argument", () => {
    expect(refusalOf({ stdin: "a\ud800" })).toMatchObject({ argument: "stdin" });
    expect(refusalOf({ files: [{ path: "a", content: "\udc00" }] })).toMatchObject({
      code: "invalid_argument",
      argument: "files[0].content",
    });
  });

  test("is refused with too many files", () => {
    const files = Array.from({ length: 51 }, (_, index) => ({ path: `${index}`, content: "" }));
    expect(refusalOf({ files })).toMatchObject({ code: "limit_exceeded", argument: "files" });
    expect(refusalOf({ files: files.slice(1) })).toBeUndefined();
  });

  test("is refused with a file that is there twice", () => {
    const files = ["a", "b", "a"].map((path) => ({ path, content: "" }));
    expect(refusalOf({ files })).toMatchObject({
      argument: "files[2].path",
      message: expect.stringContaining('is "a" again') as string,
    });
  });
});

describe("the path of a file", () => {
  test.each([
    "a",
    "a/b/c.txt",
    "日本 é.txt",
    "a b",
    "-rf",
    "..a",
    "a..",
    "a%2f..",
    "#",
    "'",
    "~",
    "__proto__",
    ".hidden/x",
  ])("may be %j", (path) => {
    expect(refusalOf(fileAt(path))).toBeUndefined();
    expect(checkInput(fileAt(path), settings).files?.get(path)).toEqual(Buffer.from("x"));
  });

  test.each([
    ["", "is empty"],
    ["/etc/passwd", "is absolute"],
    ["..", "has an empty part"],
    ["../a", "has an empty part"],
    ["a/../../b", "has an empty part"],
    ["./a", "has an empty part"],
    ["a//b", "has an empty part"],
    ["a/", "has an empty part"],
    ["a\0b", "holds a character"],
    ["a\nb", "holds a character"],
    ["C:\\a", "holds a character"],
    ["a\\..\\b", "holds a character"],
    ["a:stream", "holds a character"],
    ["a?", "holds a character"],
    ["\ud800", "holds a character"],
    ["x".repeat(501), "has 501 characters, the limit is 500"],
  ])("can't be %j", (path, problem) => {
    const refusal = refusalOf(fileAt(path));
    expect(refusal).toMatchObject({ code: "invalid_argument", argument: "files[0].path" });
    expect(refusal?.message).toContain(problem);
    expect(refusal?.message).toContain("Give a path below the working directory");
    expect(refusal?.message.length).toBeLessThan(400);
  });
});
