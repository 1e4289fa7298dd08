import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PyExecutorError } from "../../../src/errors.ts";
import { findBlocks, readScriptMetadata } from "../../../src/interpreter/script-metadata.ts";
import { processorMs } from "../../support/processor-time.ts";

const script = (...lines: readonly string[]): string =>
  ["import os", "# /// script", ...lines.map((line) => `# ${line}`), "# ///", "print(1)", ""].join(
    "\n",
  );

async function refusalOf(code: string, argument?: string): Promise<PyExecutorError> {
  const outcome: unknown = await readScriptMetadata(code, argument).catch(
    (error: unknown) => error,
  );
  if (outcome instanceof PyExecutorError) return outcome;
  throw new Error(`not refused: ${JSON.stringify(outcome)}`);
}

describe("a script block", () => {
  test("names packages, a Python, and the lines where they stand", async () => {
    const metadata = await readScriptMetadata(
      script('requires-python = ">=3.11"', "dependencies = [", '  "polars>=1",', '  "rich",', "]"),
    );
    expect(metadata).toMatchObject({
      dependencies: ["polars>=1", "rich"],
      requiresPython: ">=3.11",
    });
    expect(metadata?.lineOf("rich")).toBe(6);
  });

  test("may say nothing of packages, and may have tables of other tools", async () => {
    const metadata = await readScriptMetadata(script("[tool.uv]", 'exclude-newer = "2026-01-01"'));
    expect(metadata).toMatchObject({ dependencies: [], requiresPython: undefined });
  });

  test("with Windows line ends is read too", async () => {
    const code = script('dependencies = ["rich"]').replaceAll("\n", "\r\n");
    expect((await readScriptMetadata(code))?.dependencies).toEqual(["rich"]);
  });

  test.each([
    ["code without a block", "print('# ///')\n"],
    ["a block of another type", "# /// pyproject\n# a = 1\n# ///\n"],
    ["a block without an end", "# /// script\n# dependencies = []\n"],
    ["a block that is indented", " # /// script\n # dependencies = []\n # ///\n"],
    ["a block with a line that is no comment", "# /// script\n# a = 1\n\n# ///\n"],
    ["an empty block", "# /// script\n# ///\n"],
  ])("is not found in %s", async (_, code) => {
    expect(await readScriptMetadata(code)).toBeUndefined();
  });

  test.each([
    ["two blocks", `${script("a = 1")}${script("a = 1")}`, 7, /a second .* the first is in line 2/],
    ["broken TOML", script("a = 1", "dependencies = [", '"rich"'), 5, /not valid TOML/],
    ["a key that is there twice", script("a = 1", "a = 2"), 4, /not valid TOML/],
    ["dependencies that are a text", script("", 'dependencies = "rich"'), 4, /a list of texts/],
    ["a dependency that is a number", script("dependencies = [1]"), 3, /a list of texts/],
    ["a version that is a number", script("requires-python = 3.11"), 3, /takes a text/],
  ])("with %s is refused, and the line is named", async (_, code, line, words) => {
    const refusal = await refusalOf(code, "codes[2]");
    expect(refusal).toMatchObject({ code: "invalid_argument", argument: "codes[2]" });
    expect(refusal.message).toMatch(new RegExp(`^\`codes\\[2\\]\`, line ${line}: `));
    expect(refusal.message).toMatch(words);
  });

  test("is found in no time in code made to make that slow", async () => {
    const code = "# /// script\n#\n".repeat(70_000);
    const taken = processorMs(() => {
      expect(findBlocks(code, "script")).toEqual([]);
    });
    expect(taken).toBeLessThan(2000);
  });
});

describe("blocks are those of the reference implementation", () => {
  const reference = String.raw`
import json, re, sys
REGEX = r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$"
def blocks(script):
    found = [m for m in re.finditer(REGEX, script) if m.group("type") == "script"]
    return ["".join(
        line[2:] if line.startswith("# ") else line[1:]
        for line in m.group("content").splitlines(keepends=True)
    ) for m in found]
print(json.dumps([blocks(script) for script in json.load(sys.stdin)]))
`;
  const line = fc.constantFrom(
    "# /// script",
    "# ///",
    "# /// other",
    "#",
    "# a = 1",
    "#b",
    "",
    "x = 1",
    " # ///",
    "# /// script ",
    "# ///  script",
    "# ///\t",
    "# é",
  );

  test("for any lines", () => {
    const samples = fc.sample(fc.array(line, { maxLength: 12 }), 2000);
    const codes = samples.map((lines) => lines.join("\n"));
    const input = JSON.stringify(codes);
    const expected: unknown = JSON.parse(
      execFileSync("python3", ["-c", reference], { input }).toString(),
    );
    const found = codes.map((code) =>
      findBlocks(code, "script").map(({ content }) => content.map((text) => `${text}\n`).join("")),
    );
    expect(found).toEqual(expected);
    expect(found.flat().length).toBeGreaterThan(20);
  });
});
