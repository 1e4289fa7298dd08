import { describe, expect, test } from "vitest";
import { reasonIn } from "../../../src/interpreter/installer-reason.ts";

const BEFORE = ["Looking in links: wheels", "Processing ./alpha-1.0-py3-none-any.whl"];
const CONFLICT = [
  "The conflict is caused by:",
  "    The user requested beta<1",
  "    alpha 1.0 depends on beta>=1",
];
const ERRORS = [
  "ERROR: Cannot install alpha==1.0 and beta<1 because these package versions have conflicting dependencies.",
  "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io",
];

describe("the reason of a failed installation", () => {
  test.each([
    ["the errors arrive first", [...ERRORS, ...CONFLICT]],
    ["the errors arrive last", [...CONFLICT, ...ERRORS]],
    ["they arrive among each other", [CONFLICT[0], ERRORS[0], ...CONFLICT.slice(1), ERRORS[1]]],
  ])("has all that pip says of a conflict when %s", (_, lines) => {
    const said = lines.map(String);
    expect(reasonIn([...BEFORE, ...said]).split("\n")).toEqual(said);
  });

  test("is the end where nothing looks like one", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    expect(reasonIn(lines).split("\n")).toEqual(lines.slice(-12));
  });

  test("is bounded in lines and characters", () => {
    const lines = Array.from({ length: 30 }, () => `error ${"x".repeat(490)}`);
    expect(reasonIn(lines)).toHaveLength(2000);
    expect(
      reasonIn(["error", ...BEFORE, ...Array.from({ length: 30 }, () => "y")]).split("\n"),
    ).toHaveLength(12);
  });
});
