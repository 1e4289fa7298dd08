import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../../src/config.ts";
import type { Artifact, Display } from "../../../src/execution.ts";
import { artifactToWire, displayToWire, PictureBlocks } from "../../../src/tools/answer-shown.ts";
import { toWire } from "../../../src/tools/answer.ts";

const root = new URL("../../../", import.meta.url);
const page = read("docs/results.md");
const SHOWN = "python/py_executor_runtime/display/limits.py";

/** Where the code has each limit of the page: a file, and a constant there. */
const LIMITS: Record<string, [file: string, constant: string]> = {
  "displays of a run": [SHOWN, "DISPLAYS"],
  "displays of a run together": [SHOWN, "RUN_BYTES"],
  "a form of a display, such as HTML": [SHOWN, "TYPE_BYTES"],
  "a picture": [SHOWN, "PICTURE_BYTES"],
  "longest side of a picture that a model gets": [SHOWN, "PICTURE_SIDE"],
  "pixels of a picture that is kept in its own size": [SHOWN, "PICTURE_PIXELS"],
  "a picture that a model gets": ["src/output/displays.ts", "MAX_PICTURE_BYTES"],
  "pictures of a run that a model gets": ["src/output/displays.ts", "MAX_PICTURES"],
  "pictures of an answer": ["src/tools/answer-shown.ts", "MAX_PICTURES"],
  "pictures of an answer together": ["src/tools/answer-shown.ts", "MAX_BYTES"],
  "`text` of a display": ["src/output/displays.ts", "MAX_TEXT_CHARS"],
  "`text` of all displays of a call": ["src/output/capture-run.ts", "DISPLAY_CHARS"],
  "`chart` of a display, as JSON": ["src/output/display-text.ts", "MAX_CHART_CHARS"],
  "points of a series": [SHOWN, "CHART_POINTS"],
  "CSV of a table": [SHOWN, "CSV_BYTES"],
  "table in memory whose Parquet is kept": [SHOWN, "PARQUET_SOURCE_BYTES"],
  "what is kept of displays and output, in all": ["src/engine.ts", "STORED_BYTES_IN_ALL"],
  "things kept": ["src/output/output-store.ts", "MAX_KEPT"],
  "time that they are kept": ["src/output/output-store.ts", "KEPT_MS"],
  "files listed by a call": ["src/output/artifacts.ts", "MAX_TOLD"],
  "files listed that are also links": ["src/tools/answer.ts", "MAX_LINKED"],
  "calls whose files can be read": ["src/output/artifacts.ts", "MAX_KEPT"],
  "files and folders that are looked at for changes": [
    "src/output/changed-files.ts",
    "MAX_ENTRIES",
  ],
  "folders in folders that are looked at": ["src/output/changed-files.ts", "MAX_DEPTH"],
  "bytes in one message of what is no text": ["src/serve/artifact-resources.ts", "MAX_BLOB_BYTES"],
  "bytes of JSON in one message of text": ["src/serve/text-part.ts", "MAX_PART_BYTES"],
  "`files` of a call": ["src/schedule/input.ts", "MAX_FILES"],
  "a path of `files`": ["src/schedule/input.ts", "MAX_PATH_CHARS"],
};

const UNITS: Record<string, number> = { MiB: 1024 ** 2, hours: 3600_000, pixels: 1, characters: 1 };

function read(path: string): string {
  return readFileSync(new URL(path, root), "utf8");
}

/** The rows of the first table after a text, without the one of titles. */
function rowsAfter(text: string): string[][] {
  const lines = page.slice(page.indexOf(text)).split("\n");
  const from = lines.findIndex((line) => line.startsWith("|"));
  const table = lines.slice(from, from + lines.slice(from).findIndex((line) => line === ""));
  return table.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function amount(words = ""): number {
  const [number, unit] = words.split(" ");
  return Number(number) * (unit === undefined ? 1 : (UNITS[unit] ?? Number.NaN));
}

/** The value of a constant: a number, or a product of numbers. */
function constantOf(file: string, name: string): number {
  const [, product = ""] =
    new RegExp(`^(?:export )?(?:const )?${name} = ([\\d_.* ]+);?$`, "m").exec(read(file)) ?? [];
  expect(product).not.toBe("");
  return product
    .split("*")
    .map((factor) => Number(factor.trim().replaceAll("_", "")))
    .reduce((one, other) => one * other);
}

describe("docs/results.md", () => {
  const rows = rowsAfter("<!-- limits -->");
  const ofInput = "`stdin` and `files` of a call together";

  test("has each limit once", () => {
    expect(rows.map(([what]) => what)).toEqual([...Object.keys(LIMITS), ofInput]);
  });

  test.each(rows.filter(([what]) => what !== ofInput))(
    "says of %s what the code says: %s",
    (what = "", limit) => {
      const [file = "", constant = ""] = LIMITS[what] ?? [];
      expect(amount(limit)).toBe(constantOf(file, constant));
    },
  );

  test("says what the operator's default for input is", () => {
    expect(amount(rows.at(-1)?.[1])).toBe(readSettings({}).maxInputBytes);
  });

  const picture = { mimeType: "image/png", bytes: Buffer.from("1") };
  const display: Required<Display> = {
    source: "figure",
    mimeTypes: ["image/png"],
    text: "text",
    chart: {},
    picture,
    artifact: "artifact://1/displays/1.png",
    artifacts: {
      "image/png": "artifact://1/displays/1.png",
      "text/csv": "artifact://1/displays/1.csv",
    },
    notes: ["note"],
  };
  const file: Artifact = {
    path: "a",
    size: 1,
    mimeType: "text/plain",
    change: "added",
    uri: "artifact://1/files/a",
  };

  test("names each key of a display, in its order", () => {
    const result = toResult(display, file);
    const keys = Object.keys(displayToWire(display, new PictureBlocks([result])));
    expect(rowsAfter("`displays`, in the order").map(([key]) => key)).toEqual(keys.map(coded));
  });

  test("names each key of a file, in its order", () => {
    const keys = Object.keys(artifactToWire(file));
    expect(rowsAfter("`artifacts`, the files").map(([key]) => key)).toEqual(keys.map(coded));
  });

  test("names the keys of an answer that docs/answers.md has too", () => {
    const keys = Object.keys(toWire(toResult(display, file))).filter((key) =>
      /displays|artifacts/.test(key),
    );
    expect(keys).toEqual(["displays", "artifacts"]);
    const answers = read("docs/answers.md");
    expect(keys.filter((key) => !answers.includes(`| \`${key}\` |`))).toEqual([]);
  });
});

function coded(key: string): string {
  return `\`${key}\``;
}

function toResult(display: Display, file: Artifact) {
  return {
    status: "ok" as const,
    stdout: "",
    stderr: "",
    exitCode: 0,
    success: true,
    executable: "/usr/bin/python3",
    durationMs: 1,
    displays: [display],
    artifacts: [file],
  };
}
