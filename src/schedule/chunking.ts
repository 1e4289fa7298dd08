/**
 * Helpers that split a big job into pieces for a batch. `python/py_executor/chunking.py` is the same
 * for snippets; `test/vectors/chunking.json` holds both to one behaviour.
 */

import { PyExecutorError } from "../errors.ts";

function invalid(argument: string, message: string): PyExecutorError {
  return new PyExecutorError("invalid_argument", message, { argument });
}

function requireWhole(name: string, value: number): void {
  if (!Number.isInteger(value)) throw invalid(name, `${name} must be a whole number, got ${value}`);
}

/**
 * Splits a list into `n` runs of consecutive items whose lengths differ by at most one, the longer
 * ones first.
 *
 * @param items The list; it is copied, never changed.
 * @param n How many chunks. Zero or less gives one chunk with everything (so an empty list gives
 *   `[[]]`); more than there are items gives one chunk an item (so an empty list gives `[]`).
 * @throws PyExecutorError `invalid_argument` when `n` is not a whole number.
 * @example
 * chunkByCount(["a.csv", "b.csv", "c.csv"], 2); // [["a.csv", "b.csv"], ["c.csv"]]
 */
export function chunkByCount<T>(items: readonly T[], n: number): T[][] {
  requireWhole("n", n);
  if (n <= 0) return [items.slice()];

  const count = Math.min(n, items.length);
  const size = Math.floor(items.length / count);
  const longer = items.length % count;
  const chunks: T[][] = [];
  let start = 0;
  while (chunks.length < count) {
    const end = start + size + (chunks.length < longer ? 1 : 0);
    chunks.push(items.slice(start, end));
    start = end;
  }
  return chunks;
}

/**
 * Splits text at its line ends into the fewest chunks of at most `maxBytes` bytes of UTF-8.
 * `chunks.join("\n")` gives back exactly `code`: a chunk does not hold the `"\n"` that divides it
 * from the next, and blank lines survive wherever they stand. Only `"\n"` ends a line; the `"\r"` of
 * a CRLF stays with its line. Empty text gives `[""]`. The cuts don't follow Python's syntax: a
 * block may be cut in its middle.
 *
 * @param code The text. A lone surrogate counts as 3 bytes, and is kept.
 * @param maxBytes The most bytes of UTF-8 in a chunk, 1 or more.
 * @throws PyExecutorError `invalid_argument` when a single line is longer than `maxBytes` (the
 *   message names the line, its size and the limit), or when `maxBytes` is not a whole number of at
 *   least 1.
 * @example
 * chunkBySize("one()\ntwo()\nthree()", 11); // ["one()\ntwo()", "three()"]
 */
export function chunkBySize(code: string, maxBytes = 500_000): string[] {
  requireWhole("maxBytes", maxBytes);
  if (maxBytes < 1) throw invalid("maxBytes", `maxBytes must be at least 1, got ${maxBytes}`);

  // By lines of the string, not by offsets in one Buffer: encoding would lose lone surrogates.
  const lines = code.split("\n");
  const chunks: string[] = [];
  let first = 0;
  let chunkBytes = -1; // a chunk of k lines holds k - 1 separators
  for (const [index, line] of lines.entries()) {
    const lineBytes = Buffer.byteLength(line, "utf8");
    if (lineBytes > maxBytes) {
      throw invalid(
        "code",
        `line ${index + 1} is ${lineBytes} bytes of UTF-8, over the limit maxBytes=${maxBytes}: ` +
          `break that line up, or raise maxBytes to at least ${lineBytes}`,
      );
    }
    if (chunkBytes + 1 + lineBytes > maxBytes) {
      chunks.push(lines.slice(first, index).join("\n"));
      first = index;
      chunkBytes = -1;
    }
    chunkBytes += 1 + lineBytes;
  }
  chunks.push(lines.slice(first).join("\n"));
  return chunks;
}

/**
 * Suggests how many pieces of a job to run at once.
 *
 * @param totalItems How many items there are to work on.
 * @param complexity What one item costs: `"low"` (file sizes) gives 4, `"medium"` (parsing) 3,
 *   `"high"` (inference) 2; any other word counts as medium.
 * @returns The suggestion: never more than `totalItems`, and 0 when there are none or fewer.
 * @throws PyExecutorError `invalid_argument` when `totalItems` is not a whole number.
 * @example
 * suggestBatchSize(100, "low"); // 4
 * suggestBatchSize(1); // 1
 */
export function suggestBatchSize(
  totalItems: number,
  complexity: "low" | "medium" | "high" | (string & {}) = "medium",
): number {
  requireWhole("totalItems", totalItems);
  return Math.max(0, Math.min(workersFor(complexity), totalItems));
}

function workersFor(complexity: string): number {
  switch (complexity) {
    case "low":
      return 4;
    case "high":
      return 2;
    default:
      return 3;
  }
}
