import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PyExecutorError } from "../../../src/errors.ts";
import { normalizeName, parseRequirements } from "../../../src/interpreter/requirements.ts";

const textOf = (entry: string): string | undefined => parseRequirements([entry])[0]?.text;

function refusalOf(packages: readonly string[]): PyExecutorError {
  try {
    const parsed = parseRequirements(packages);
    throw new Error(`not refused: ${JSON.stringify(parsed)}`);
  } catch (error) {
    if (error instanceof PyExecutorError) return error;
    throw error;
  }
}

describe("a package that is asked for", () => {
  test.each([
    ["polars", "polars"],
    [" PyYAML ", "pyyaml"],
    ["ruamel.yaml", "ruamel-yaml"],
    ["polars>=1", "polars>=1"],
    ["polars >= 1 , < 2", "polars<2,>=1"],
    ["polars (>=1,<2)", "polars<2,>=1"],
    ["httpx[HTTP2, cli]==0.28.*", "httpx[cli,http2]==0.28.*"],
    ["uvicorn[]~=0.30", "uvicorn~=0.30"],
    ["numpy!=2.0.0rc1,>=1!2.0", "numpy!=2.0.0rc1,>=1!2.0"],
    ["torch==2.4.0+cpu", "torch==2.4.0+cpu"],
    ["a===1.0-weird", "a===1.0-weird"],
    ["a==1.0.post1.dev3", "a==1.0.post1.dev3"],
    [
      `tomli ; python_version  < "3.11" and sys_platform != 'win32'`,
      `tomli ; python_version < "3.11" and sys_platform != 'win32'`,
    ],
    ["x;(extra == 'a' or os_name in 'b c')", "x ; (extra == 'a' or os_name in 'b c')"],
  ])("%s", (entry, text) => {
    expect(textOf(entry)).toBe(text);
  });

  test.each([
    ["", /is empty/],
    ["   ", /is empty/],
    ["-r requirements.txt", /option of an installer/],
    ["--index-url=https://example.com", /option of an installer/],
    ["-e .", /option of an installer/],
    ["git+https://example.com/a.git", /names a repository/],
    ["a @ git+ssh://example.com/a", /names a repository/],
    ["https://example.com/a.whl", /names an address/],
    ["name @ https://example.com/a.whl", /names an address/],
    ["name@file:///tmp/a.whl", /names an address/],
    ["./x", /names a path/],
    ["../x", /names a path/],
    ["/tmp/x.whl", /names a path/],
    ["~/x", /names a path/],
    ["dist/x.whl", /names a path/],
    ["C:\\x", /names a path/],
    ["polars=1", /one version is written with ==/],
    ["polars 1.0", /no version that can be understood/],
    ["polars>=1.x", /no version/],
    ["polars>=1,,<2", /no version/],
    ["polars>=1.*", /no version/],
    ["polars >=1 --hash=sha256:00", /no version/],
    ["a b", /no version/],
    ["a[b", /no version/],
    ["a[b c]", /extras/],
    ["_a", /does not begin with the name/],
    ["a-", /does not begin with the name/],
    ["a; import os", /condition/],
    ["a;", /condition/],
    ["a\nb", /control character/],
    ["a\0", /control character/],
    ["naïve", /name|version/],
    [`a>=${"1".repeat(400)}`, /characters long, the limit is 300/],
  ])("is refused as %j", (entry, words) => {
    const refusal = refusalOf(["good", entry]);
    expect(refusal).toMatchObject({ code: "invalid_argument", argument: "packages" });
    expect(refusal.message).toMatch(words);
    expect(refusal.message).toMatch(/^`packages\[1\]`.*Name a package as in "polars>=1"/s);
  });

  test("is refused as the 51st", () => {
    const refusal = refusalOf(Array.from({ length: 51 }, (_, n) => `p${n}`));
    expect(refusal).toMatchObject({ code: "limit_exceeded", argument: "packages" });
    expect(refusal.message).toMatch(/51 packages .* the limit is 50/);
  });

  test("counts once, in whatever order and way of writing", () => {
    const one = parseRequirements(["Foo.Bar>=1", "b", "foo-bar >= 1"]);
    const other = parseRequirements(["b", "foo_bar>=1"]);
    expect(one).toEqual(other);
    expect(one.map(({ name }) => name)).toEqual(["b", "foo-bar"]);
  });
});

describe("for any text", () => {
  const parts =
    "a b-c 1 . - --x [ ] >= == 1.0 * , ; @ / : git+ https:// python_version \" ' ( ) and \\ $(x) é".split(
      " ",
    );
  const part = fc.constantFrom(...parts, " ", "\n");
  const texts = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 8 }).map((chosen) => chosen.join("")),
  );

  test("the outcome is a refusal, or a requirement that is nothing but one and stays what it is", () => {
    fc.assert(
      fc.property(texts, (entry) => {
        let text: string | undefined;
        try {
          text = textOf(entry) ?? "";
        } catch (error) {
          expect(error).toBeInstanceOf(PyExecutorError);
          return;
        }
        expect(text).toMatch(/^[a-z0-9]/);
        expect(text.split(" ; ")[0]).not.toMatch(/[\s/\\@:;]/);
        expect(textOf(text)).toBe(text);
      }),
      { numRuns: 3000 },
    );
  });
});

test("names are compared as indexes do", () => {
  expect(normalizeName("Ruamel._-YAML")).toBe("ruamel-yaml");
});
