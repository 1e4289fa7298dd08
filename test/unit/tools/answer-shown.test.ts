import { describe, expect, test } from "vitest";
import type { Artifact, Display, RunResult } from "../../../src/execution.ts";
import { answerBatch, answerRun } from "../../../src/tools/answer.ts";

const plain: RunResult = {
  status: "ok",
  stdout: "",
  stderr: "",
  exitCode: 0,
  success: true,
  executable: "/usr/bin/python3",
  durationMs: 12,
};
const KIB = 1024;
/** Clients of the official SDKs lose the connection at a longer message. */
const MAX_MESSAGE_BYTES = 10 * KIB * KIB;

type Answer = ReturnType<typeof answerRun>;

function jsonOf({ content: [first] }: Answer): {
  displays?: Record<string, unknown>[];
  notes?: string[];
} {
  if (first?.type !== "text") throw new Error("the first block is no text");
  return JSON.parse(first.text) as ReturnType<typeof jsonOf>;
}

const bytesOf = (answer: Answer): number => Buffer.byteLength(JSON.stringify(answer));

function displayOf(more: Partial<Display> = {}): Display {
  return { source: "display", mimeTypes: ["text/plain"], text: "t", artifacts: {}, ...more };
}

const pictureOf = (bytes: number): Display =>
  displayOf({
    mimeTypes: ["image/png"],
    picture: { mimeType: "image/png", bytes: Buffer.alloc(bytes, 1) },
  });

function artifactOf(path: string): Artifact {
  return {
    path,
    size: 3,
    mimeType: "text/plain",
    change: "added",
    uri: `artifact://x/files/${path}`,
  };
}

describe("displays in an answer", () => {
  test("are in the words of the protocol", () => {
    const display = displayOf({
      chart: { axes: [] },
      artifact: "artifact://x/displays/1.png",
      artifacts: {
        "image/png": "artifact://x/displays/1.png",
        "text/csv": "artifact://x/displays/1.csv",
      },
      notes: ["n"],
    });
    expect(jsonOf(answerRun({ ...plain, displays: [display] })).displays).toEqual([
      {
        source: "display",
        mime_types: ["text/plain"],
        text: "t",
        chart: { axes: [] },
        artifact: "artifact://x/displays/1.png",
        artifacts: display.artifacts,
        notes: ["n"],
      },
    ]);
  });

  test("have one address only where there is one", () => {
    const artifacts = { "text/csv": "artifact://x/displays/1.csv" };
    const display = displayOf({ artifact: "artifact://x/displays/1.csv", artifacts });
    expect(jsonOf(answerRun({ ...plain, displays: [display] })).displays?.[0]).not.toHaveProperty(
      "artifacts",
    );
  });

  test("say which of the images is theirs", () => {
    const answer = answerRun({ ...plain, displays: [pictureOf(3), displayOf(), pictureOf(4)] });
    expect(jsonOf(answer).displays?.map(({ image }) => image)).toEqual([1, undefined, 2]);
    expect(answer.content.map(({ type }) => type)).toEqual(["text", "image", "image"]);
    expect(answer.content[2]).toEqual({ type: "image", data: "AQEBAQ==", mimeType: "image/png" });
  });

  test("have a few pictures only, the first that there is room for", () => {
    const sizes = [100, 2 * KIB * KIB, 1.4 * KIB * KIB, 900 * KIB, 1, 1, 1, 1, 1];
    const answer = answerRun({ ...plain, displays: sizes.map((size) => pictureOf(size)) });
    const images = jsonOf(answer).displays?.map(({ image }) => image);
    expect(images).toEqual([1, 2, undefined, 3, 4, 5, 6, undefined, undefined]);
  });
});

describe("an answer fits into a message", { timeout: 30_000 }, () => {
  const heavy = (): Display[] => [
    ...Array.from({ length: 4 }, () => pictureOf(1.4 * KIB * KIB)),
    ...Array.from({ length: 46 }, (_, number) =>
      displayOf({
        mimeTypes: Array.from({ length: 20 }, (_each, type) => `text/${"x".repeat(100)}${type}`),
        text: "\u0001".repeat(4000),
        chart: ['"'.repeat(1900)],
        artifact: `artifact://x/displays/${number}.txt`,
        artifacts: Object.fromEntries(
          Array.from({ length: 20 }, (_each, type) => [
            `text/${"x".repeat(100)}${type}`,
            "artifact://x/displays/1.txt",
          ]),
        ),
        notes: Array.from({ length: 10 }, () => "日".repeat(500)),
      }),
    ),
  ];

  test.each([1, 20])("whatever %i runs have shown and written", (runs) => {
    const result = {
      ...plain,
      stdout: '"'.repeat(50_000),
      stderr: "\u0001".repeat(50_000),
      displays: heavy(),
    };
    const answer = answerBatch(Array.from({ length: runs }, () => result));
    expect(bytesOf(answer)).toBeLessThan(MAX_MESSAGE_BYTES);
    expect(answer.content.filter(({ type }) => type === "image").length).toBeGreaterThan(0);
  });

  test("with a note of what is left out, and the addresses of what isn't", () => {
    const results = Array.from({ length: 20 }, () => ({ ...plain, displays: heavy() }));
    const { results: told = [] } = jsonOf(answerBatch(results)) as {
      results?: ReturnType<typeof jsonOf>[];
    };
    for (const { displays = [], notes = [] } of told) {
      expect(displays.length).toBeGreaterThan(20);
      expect(displays.length + Number.parseInt(notes.at(-1) ?? "0")).toBe(50);
    }
    const addresses = told.flatMap(({ displays = [] }) => displays.map(({ artifact }) => artifact));
    expect(addresses).toContain("artifact://x/displays/0.txt");
  });

  test("and what fits is as it is", () => {
    const displays = Array.from({ length: 50 }, () => displayOf({ text: "x".repeat(800) }));
    const told = jsonOf(answerRun({ ...plain, displays })).displays ?? [];
    expect(told.map(({ text }) => text)).toEqual(displays.map(({ text }) => text));
  });
});

describe("files in an answer", () => {
  test("are listed, and the first few are linked", () => {
    const artifacts = Array.from({ length: 12 }, (_, number) => artifactOf(`${number}.txt`));
    const answer = answerRun({ ...plain, artifacts });
    expect((jsonOf(answer) as { artifacts?: unknown[] }).artifacts).toHaveLength(12);
    const links = answer.content.filter(({ type }) => type === "resource_link");
    expect(links).toHaveLength(10);
    expect(links[0]).toEqual({
      type: "resource_link",
      uri: "artifact://x/files/0.txt",
      name: "0.txt",
      description: "A file that was added",
      mimeType: "text/plain",
      size: 3,
    });
  });

  test("of a batch are beside its results", () => {
    const answer = answerBatch([plain], [artifactOf("a.txt")]);
    expect(jsonOf(answer)).toMatchObject({
      artifacts: [
        {
          path: "a.txt",
          size: 3,
          mime_type: "text/plain",
          change: "added",
          uri: "artifact://x/files/a.txt",
        },
      ],
    });
  });
});
