import { describe, expect, test } from "vitest";
import { readSettings } from "../../../src/config.ts";
import { packagePolicyOf, readPackageWish } from "../../../src/interpreter/package-wish.ts";

const BLOCK = '# /// script\n# dependencies = ["rich", "polars>=1"]\n# ///\n';

/** What the requests of a server with these options come to. */
function ask(
  options: Record<string, unknown>,
  { code = "", packages = [] }: { code?: string; packages?: string[] },
): ReturnType<typeof readPackageWish> {
  const policy = packagePolicyOf(readSettings(options));
  return readPackageWish({ code, argument: "code", packages }, policy);
}

const namesOf = async (asked: ReturnType<typeof ask>): Promise<string[] | undefined> =>
  (await asked)?.requirements.map(({ text }) => text);

describe("which packages a snippet gets", () => {
  test("none are wanted: nothing is to be done", async () => {
    expect(await ask({}, { code: "import rich" })).toBeUndefined();
  });

  test("those of the argument and those of its block, each once", async () => {
    const asked = ask({}, { code: BLOCK, packages: ["Rich", "numpy"] });
    expect(await namesOf(asked)).toEqual(["numpy", "polars>=1", "rich"]);
  });

  test("a wrong one in the block is named by its line", async () => {
    const code = 'x = 1\n# /// script\n# dependencies = [\n#   "rich",\n#   "./x",\n# ]\n# ///\n';
    await expect(ask({}, { code })).rejects.toThrow(/^`code, line 5`, "\.\/x", names a path/);
    await expect(ask({}, { code })).rejects.toMatchObject({ argument: "code" });
  });
});

describe("what the operator allows", () => {
  test("any, if nothing is said", async () => {
    expect(await namesOf(ask({}, { packages: ["a"] }))).toEqual(["a"]);
    expect(await namesOf(ask({ packages: "any", packageList: "b" }, { packages: ["a"] }))).toEqual([
      "a",
    ]);
  });

  test.each([
    [{ packageList: "Foo_Bar, polars" }],
    [{ packageList: ["foo-bar", "polars"], packages: "listed" }],
  ])("what is on a list: %j", async (options) => {
    expect(await namesOf(ask(options, { packages: ["foo.bar>=2"] }))).toEqual(["foo-bar>=2"]);
    await expect(ask(options, { packages: ["polars", "numpy"] })).rejects.toMatchObject({
      code: "packages_refused",
      argument: "packages",
      message:
        "The operator doesn't allow numpy. These may be asked for: foo-bar, polars (`--package-list`).",
    });
    await expect(ask(options, { code: BLOCK })).rejects.toMatchObject({ argument: "code" });
  });

  test("an empty list allows nothing", async () => {
    await expect(ask({ packages: "listed" }, { packages: ["a"] })).rejects.toThrow(
      /may be asked for: none/,
    );
  });

  test("none: an argument is refused, and a block is the comment that it is to Python", async () => {
    await expect(ask({ packages: "none" }, { packages: ["a"] })).rejects.toMatchObject({
      code: "packages_refused",
    });
    const wish = await ask({ packages: "none" }, { code: BLOCK });
    expect(wish).toMatchObject({ requirements: [], requiresPython: undefined });
    expect(wish?.notes).toEqual([expect.stringMatching(/were not installed.*--packages none/)]);
  });
});
