import { readFileSync } from "node:fs";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { PyExecutorError } from "../../../src/errors.ts";
import { chunkByCount, chunkBySize, suggestBatchSize } from "../../../src/schedule/chunking.ts";
import { processorMs } from "../../support/processor-time.ts";

interface Outcome {
  readonly name: string;
  readonly error?: { readonly argument: string; readonly message: string };
}

interface Vectors {
  readonly chunk_by_count: readonly (Outcome & {
    readonly items: readonly unknown[];
    readonly n: number;
    readonly chunks?: readonly (readonly unknown[])[];
  })[];
  readonly chunk_by_size: readonly (Outcome & {
    readonly code: string;
    readonly max_bytes: number;
    readonly chunks?: readonly string[];
  })[];
  readonly suggest_batch_size: readonly (Outcome & {
    readonly total_items: number;
    readonly complexity?: string;
    readonly size?: number;
  })[];
}

const vectors: Vectors = JSON.parse(
  readFileSync(new URL("../../vectors/chunking.json", import.meta.url), "utf8"),
);

/** What a call gave: `{ value }`, or `{ error }` with what the project's error says. */
function outcome(call: () => unknown): { value: unknown } | { error: unknown } {
  try {
    return { value: call() };
  } catch (error) {
    if (!(error instanceof PyExecutorError)) throw error;
    const { code, argument, message } = error;
    return { error: { code, argument, message } };
  }
}

/** The error of an argument that can't be used, whose message begins so; to be matched with `toEqual`. */
function refusal(argument: string, beginning: string): { error: unknown } {
  const message: unknown = expect.stringMatching(`^${beginning}`);
  return { error: { code: "invalid_argument", argument, message } };
}

/** What a vector wants of a call, to be matched with `toEqual`. */
function wanted(vector: Outcome, value: unknown): { value: unknown } | { error: unknown } {
  if (!vector.error) return { value };
  return refusal(spelled(`{${vector.error.argument}}`), spelled(vector.error.message));
}

/** An error's text in TypeScript's naming: `{max_bytes}` becomes `maxBytes`. */
function spelled(message: string): string {
  return message.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name.replaceAll(/_(\w)/g, (__, letter: string) => letter.toUpperCase()),
  );
}

/** Bytes of UTF-8 counted from the code points, so that the tests don't lean on Buffer. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}

/** Text of few characters but every kind that matters: line ends, 1 to 4 bytes, lone surrogates. */
const text = fc
  .array(
    fc.constantFrom(
      "\n",
      "\n",
      "\n\n",
      "\r\n",
      "\r",
      "",
      "a",
      "b c",
      "é",
      "€",
      "\u2028",
      "😀",
      "\ud83d",
      "\ude00",
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));
const limit = fc.integer({ min: 1, max: 24 });

function longestLine(code: string): number {
  return Math.max(...code.split("\n").map((line) => utf8Bytes(line)));
}

/** Text and a limit that its longest line is within. */
const fitting = fc
  .tuple(text, limit)
  .map(([code, extra]) => ({ code, maxBytes: longestLine(code) + extra - 1 || 1 }));

describe("chunkByCount", () => {
  test.each(vectors.chunk_by_count)("$name", (vector) => {
    const { items, n, chunks } = vector;
    expect(outcome(() => chunkByCount(items, n))).toEqual(wanted(vector, chunks));
  });

  test.each([NaN, Infinity, -Infinity])("refuses n = %d", (n) => {
    expect(outcome(() => chunkByCount(["a"], n))).toEqual(
      refusal("n", `n must be a whole number, got ${n}$`),
    );
  });

  test("copies: changing a chunk leaves the list alone", () => {
    const items = ["a", "b"];
    chunkByCount(items, 0)[0]?.push("c");
    chunkByCount(items, 1)[0]?.push("c");
    expect(items).toEqual(["a", "b"]);
  });

  const list = fc.array(fc.integer(), { maxLength: 40 });
  const count = fc.integer({ min: -5, max: 60 });

  test("joining the chunks gives the items in order", () => {
    fc.assert(
      fc.property(list, count, (items, n) => {
        expect(chunkByCount(items, n).flat()).toEqual(items);
      }),
    );
  });

  test("lengths differ by at most one, the longer ones first, and no chunk is empty", () => {
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 60 }), (items, n) => {
        const lengths = chunkByCount(items, n).map((chunk) => chunk.length);
        expect(lengths).toHaveLength(Math.min(n, items.length));
        expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
        expect((lengths.at(0) ?? 0) - (lengths.at(-1) ?? 0)).toBeLessThanOrEqual(1);
        expect(lengths).not.toContain(0);
      }),
    );
  });
});

describe("chunkBySize", () => {
  test.each(vectors.chunk_by_size)("$name", (vector) => {
    const { code, max_bytes: maxBytes, chunks } = vector;
    expect(outcome(() => chunkBySize(code, maxBytes))).toEqual(wanted(vector, chunks));
  });

  test.each([NaN, Infinity, -Infinity])("refuses maxBytes = %d", (maxBytes) => {
    expect(outcome(() => chunkBySize("a", maxBytes))).toEqual(
      refusal("maxBytes", `maxBytes must be a whole number, got ${maxBytes}$`),
    );
  });

  test("the limit is 500,000 bytes unless said otherwise", () => {
    expect(chunkBySize("a".repeat(500_000))).toHaveLength(1);
    expect(chunkBySize(`${"a".repeat(499_998)}\nb`)).toHaveLength(1);
    expect(chunkBySize(`${"a".repeat(499_999)}\nb`)).toHaveLength(2);
    expect(() => chunkBySize("a".repeat(500_001))).toThrow("line 1 is 500001 bytes");
  });

  test("joining the chunks with line ends gives back the text", () => {
    fc.assert(
      fc.property(fitting, ({ code, maxBytes }) => {
        expect(chunkBySize(code, maxBytes).join("\n")).toBe(code);
      }),
    );
  });

  test("every chunk is within the limit", () => {
    fc.assert(
      fc.property(fitting, ({ code, maxBytes }) => {
        for (const chunk of chunkBySize(code, maxBytes)) {
          expect(utf8Bytes(chunk)).toBeLessThanOrEqual(maxBytes);
        }
      }),
    );
  });

  test("no chunk could take the first line of the next one too", () => {
    fc.assert(
      fc.property(fitting, ({ code, maxBytes }) => {
        const chunks = chunkBySize(code, maxBytes);
        for (const [index, chunk] of chunks.slice(0, -1).entries()) {
          const next = chunks[index + 1]?.split("\n")[0] ?? "";
          expect(utf8Bytes(`${chunk}\n${next}`)).toBeGreaterThan(maxBytes);
        }
      }),
    );
  });

  test("refuses exactly the texts with a line over the limit, naming the first", () => {
    fc.assert(
      fc.property(text, limit, (code, maxBytes) => {
        const sizes = code.split("\n").map((line) => utf8Bytes(line));
        const index = sizes.findIndex((size) => size > maxBytes);
        const refused = refusal("code", `line ${index + 1} is ${sizes[index]} `);
        const chunks = { value: expect.any(Array) };
        expect(outcome(() => chunkBySize(code, maxBytes))).toEqual(index === -1 ? chunks : refused);
      }),
    );
  });

  // Of the processor, well under a second when linear. By steps, so that a quadratic one fails instead of hanging.
  test.each([1, 1_000, 500_000])(
    "linear time up to 1 MiB of two-byte lines, maxBytes = %d",
    (maxBytes) => {
      for (const lines of [8_192, 32_768, 131_072, 524_288]) {
        const code = "x\n".repeat(lines);
        let chunks: string[] = [];
        const taken = processorMs(() => {
          chunks = chunkBySize(code, maxBytes);
        });
        expect(taken).toBeLessThan(2_000);
        expect(chunks.join("\n") === code).toBe(true);
      }
    },
  );
});

describe("suggestBatchSize", () => {
  test.each(vectors.suggest_batch_size)("$name", (vector) => {
    const { total_items: total, complexity, size } = vector;
    expect(outcome(() => suggestBatchSize(total, complexity))).toEqual(wanted(vector, size));
  });

  test.each([NaN, Infinity, -Infinity])("refuses totalItems = %d", (totalItems) => {
    expect(outcome(() => suggestBatchSize(totalItems))).toEqual(
      refusal("totalItems", `totalItems must be a whole number, got ${totalItems}$`),
    );
  });

  test("is never below 0, above 4 or above the total, and 0 only without items", () => {
    const word = fc.oneof(fc.constantFrom("low", "medium", "high"), fc.string());
    fc.assert(
      fc.property(fc.integer({ min: -10, max: 20 }), word, (total, complexity) => {
        const size = suggestBatchSize(total, complexity);
        expect(size).toBeGreaterThanOrEqual(total > 0 ? 1 : 0);
        expect(size).toBeLessThanOrEqual(Math.max(0, Math.min(4, total)));
      }),
    );
  });

  test("heavier work is never given more at once", () => {
    fc.assert(
      fc.property(fc.integer({ min: -10, max: 20 }), (total) => {
        const [low, medium, high] = ["low", "medium", "high"].map((word) =>
          suggestBatchSize(total, word),
        );
        expect(low).toBeGreaterThanOrEqual(medium ?? NaN);
        expect(medium).toBeGreaterThanOrEqual(high ?? NaN);
      }),
    );
  });
});
