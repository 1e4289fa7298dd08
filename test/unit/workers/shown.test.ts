import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readShown } from "../../../src/workers/shown.ts";
import { packFields } from "../../../src/workers/wire.ts";

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));

describe("a display as a run's process tells it", () => {
  test("is read as it was sent", () => {
    const payload = packFields({
      kind: "update",
      source: "figure",
      display_id: "é",
      metadata: '{"image/png":{"width":3}}',
      notes: '["one"]',
      ":image/png": Buffer.from([0x89, 0]),
      "=text/html; charset=utf-8": "<b>",
      "+image/png": Buffer.from("larger"),
    });
    expect(readShown(payload)).toEqual({
      kind: "update",
      source: "figure",
      id: "é",
      text: undefined,
      metadata: { "image/png": { width: 3 } },
      notes: ["one"],
      data: new Map([
        ["image/png", Buffer.from([0x89, 0])],
        ["text/html; charset=utf-8", Buffer.from("<b>")],
      ]),
      originals: new Map([["image/png", Buffer.from("larger")]]),
    });
  });

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["rubbish", Buffer.from("rubbish")],
    ["a kind that there isn't", packFields({ kind: "erase" })],
    ["a field that reaches beyond its frame", Buffer.from([0, 0, 0, 9, 1])],
    ["millions of empty fields", Buffer.alloc(40_000_000)],
  ])("is passed over if it is %s", (_, payload) => {
    expect(readShown(payload)).toBeUndefined();
  });

  test.each([
    ["no JSON", "{"],
    ["of another shape", "[1]"],
    ["nested a hundred thousand times", "[".repeat(100_000) + "]".repeat(100_000)],
    ["longer than any", `{"image/png":{"x":"${"y".repeat(300_000)}"}}`],
  ])("has no metadata and no notes if they are %s", (_, json) => {
    const shown = readShown(packFields({ kind: "display", metadata: json, notes: json }));
    expect(shown).toMatchObject({ metadata: {}, notes: [] });
  });

  test("keeps what is right of its metadata", () => {
    const metadata = '{"a/b":{"width":1},"c/d":3,"__proto__":{"polluted":1}}';
    const shown = readShown(packFields({ kind: "display", metadata }));
    expect(shown?.metadata["a/b"]).toEqual({ width: 1 });
    expect(shown?.metadata["c/d"]).toEqual({});
    expect({}).not.toHaveProperty("polluted");
  });

  test.each(["text", "text/", "/html", "a b/c", "text/html\n", "../x/y", "t/" + "x".repeat(200)])(
    "has nothing of the type %j",
    (mimeType) => {
      const shown = readShown(packFields({ kind: "display", [`=${mimeType}`]: "x" }));
      expect(shown?.data.size).toBe(0);
    },
  );

  test("is bounded in types, notes and words", () => {
    const types = Array.from({ length: 200 }, (_, number) => [`=a/b${number}`, "x"]);
    const originals = Array.from({ length: 200 }, (_, number) => [`+a/b${number}`, "x"]);
    const shown = readShown(
      packFields({
        kind: "note",
        display_id: "i".repeat(100_000),
        text: "é".repeat(100_000),
        notes: JSON.stringify(Array.from({ length: 30 }, () => "\ud800".repeat(600))),
        ...Object.fromEntries([...types, ...originals]),
      }),
    );
    expect(shown?.data.size).toBe(20);
    expect(shown?.originals.size).toBe(20);
    expect(shown?.id).toHaveLength(500);
    expect(shown?.text).toHaveLength(500);
    expect(shown?.notes).toHaveLength(10);
    expect(shown?.notes.every((note) => note.length === 500 && note.isWellFormed())).toBe(true);
  });

  test("never makes the server fail, whatever bytes it is of", () => {
    const field = fc.tuple(
      fc.oneof(fc.constantFrom("kind", "source", "metadata", "notes", "text"), fc.string()),
      fc.oneof(
        bytes,
        fc.constantFrom("display", "note", "clear", "{}", "[]").map((word) => Buffer.from(word)),
      ),
    );
    const payload = fc.oneof(
      bytes,
      fc.array(field, { maxLength: 8 }).map((fields) => packFields(Object.fromEntries(fields))),
    );
    fc.assert(
      fc.property(payload, (data) => {
        const shown = readShown(data);
        if (shown === undefined) return;
        expect(["display", "update", "clear", "note"]).toContain(shown.kind);
        expect(["display", "result", "figure"]).toContain(shown.source);
      }),
      { numRuns: 2000 },
    );
  });
});
