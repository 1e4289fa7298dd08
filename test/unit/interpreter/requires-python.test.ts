import { describe, expect, test } from "vitest";
import { allowsPython } from "../../../src/interpreter/requires-python.ts";

describe("requires-python", () => {
  test.each([
    [">=3.11", "3.11.0", true],
    [">=3.11", "3.10.14", false],
    [">=3.9", "3.11.7", true],
    [">3.11", "3.11.0", false],
    ["<3.12", "3.12.0", false],
    ["<=3.11", "3.11.7", false],
    ["==3.11.*", "3.11.7", true],
    ["==3.11.*", "3.1.1", false],
    ["==3.11", "3.11.0", true],
    ["===3.11.7", "3.11.7", true],
    ["!=3.11.*", "3.11.7", false],
    ["!=3.11.6", "3.11.7", true],
    ["~=3.9", "3.14.1", true],
    ["~=3.9", "4.0.0", false],
    ["~=3.9.2", "3.9.1", false],
    ["~=3.9.2", "3.10.0", false],
    [" >= 3.9 , < 4 , != 3.10.* ", "3.10.2", false],
    [" >= 3.9 , < 4 , != 3.10.* ", "3.11.2", true],
    ["", "3.9.0", true],
  ])("%j and %s: %j", (specifier, version, isAllowed) => {
    expect(allowsPython(specifier, version, "code, line 2")).toBe(isAllowed);
  });

  test.each(["3.11", "python>=3", ">=3.x", "^3.9", ">=3.9;<4"])("%s is refused", (specifier) => {
    expect(() => allowsPython(specifier, "3.11.7", "code, line 2")).toThrow(
      /^`code, line 2`: `requires-python` is .*, which is no version/,
    );
  });
});
