import { describe, expect, test } from "vitest";
import { extensionOf, isTextual, mimeTypeOf } from "../../../src/output/mime.ts";

describe("the type of a file", () => {
  test.each([
    ["out/a.csv", "text/csv"],
    ["REPORT.XLSX", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ["events.jsonl", "application/x-ndjson"],
    ["data.pq", "application/vnd.apache.parquet"],
    ["map.geojson", "application/geo+json"],
    ["plot.svg", "image/svg+xml"],
    ["main.ts", "text/plain"],
    ["archive.tar.gz", "application/gzip"],
    ["no-ending", "application/octet-stream"],
    ["constructor", "application/octet-stream"],
    ["a.constructor", "application/octet-stream"],
  ])("%s is told by its name: %s", (path, type) => {
    expect(mimeTypeOf(path)).toBe(type);
  });

  test.each(["text/csv", "application/json", "image/svg+xml", "application/geo+json"])(
    "%s is text",
    (type) => {
      expect(isTextual(type)).toBe(true);
    },
  );

  test.each(["events.jsonl", "main.py", "a.toml", "a.sql"])("%s is read as text", (path) => {
    expect(isTextual(mimeTypeOf(path))).toBe(true);
  });

  test.each(["image/png", "application/pdf", "application/vnd.apache.parquet"])(
    "%s is bytes",
    (type) => {
      expect(isTextual(type)).toBe(false);
    },
  );
});

test("what is displayed gets a name with an ending", () => {
  const types = ["text/html", "application/vnd.vegalite.v6+json", "text/x-other", "audio/wav"];
  expect(types.map(extensionOf)).toEqual(["html", "json", "txt", "bin"]);
});
