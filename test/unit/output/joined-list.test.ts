import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinLists } from "../../../src/output/joined-list.ts";

describe("joinLists", () => {
  test("puts lists together, as values and as text", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.jsonValue(), { maxLength: 4 })), (lists) => {
        const joined = joinLists(lists.map((list) => ({ json: JSON.stringify(list) })));
        const all = JSON.parse(JSON.stringify(lists.flat())) as unknown;
        expect(joined).toHaveProperty("values", all);
        expect("json" in joined && JSON.parse(joined.json)).toEqual(all);
      }),
    );
  });

  test("keeps numbers as they were written", () => {
    const joined = joinLists([{ json: "[1e400, 18446744073709551617]" }, { json: " [ 1.0 ]\n" }]);
    expect(joined).toHaveProperty("json", "[1e400, 18446744073709551617, 1.0 ]");
  });

  test.each([
    ["an object", '{"a": 1}'],
    ["a number", "12345"],
    ["a text", '"[1]"'],
    ["more than a list", '[1], "x": [2]'],
    ["two lists", "[1][2]"],
    ["what isn't JSON", "[NaN]"],
    ["a list after what only looks like a blank", "\u00A0[1]"],
    ["nothing", ""],
  ])("takes %s for no list, wherever it comes from", (_, json) => {
    const joined = joinLists([{ json: "[1]" }, { json }]);
    expect(joined).toEqual({ problem: expect.stringContaining("chunk 1: its list is no JSON") });
  });

  test("names every chunk that has none, and says what it takes", () => {
    const joined = joinLists([{ problem: "a" }, { json: "[]" }, { problem: "b" }]);
    expect(joined).toEqual({
      problem: expect.stringMatching(/\(chunk 0: a; chunk 2: b\)\. It takes code that ends/),
    });
  });

  test("takes no more than 8 MiB in all", () => {
    const json = JSON.stringify(["x".repeat(3_000_000)]);
    expect(joinLists([{ json }, { json }])).toHaveProperty("values");
    expect(joinLists([{ json }, { json }, { json }])).toHaveProperty("problem");
  });
});
