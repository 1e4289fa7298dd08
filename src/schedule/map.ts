import type { Settings } from "../config.ts";
import { PyExecutorError } from "../errors.ts";
import type { MapRequest, MapResult, RunResult } from "../execution.ts";
import { joinLists } from "../output/joined-list.ts";
import type { ListAsJson } from "../workers/worker.ts";
import { mapInOrder } from "./batch.ts";
import { chunkByCount, suggestBatchSize } from "./chunking.ts";
import { clamp } from "./request.ts";

export const MAX_ITEMS = 10_000;
/** Of the items in all, as JSON. */
export const MAX_ITEMS_BYTES = 8 * 1024 * 1024;
/** Python's JSON gives up near its recursion limit, which is 1,000 frames. */
const MAX_DEPTH = 200;

/** The items of a map, split: for each chunk, what its run finds bound. */
export interface Split {
  chunks: { size: number; bindings: string }[];
  notes: (string | undefined)[];
}

/** How a chunk's run ended, and the list that its code ended in. */
export interface ChunkEnd {
  result: RunResult;
  list: ListAsJson | undefined;
}

/** Throws if there are too many items, or some that JSON can't carry; else splits them as the request says. */
export function splitItems(request: MapRequest, settings: Settings): Split {
  const { items, chunks, complexity } = request;
  const note = checkItems(items);
  if (chunks !== undefined && complexity !== undefined) {
    throw new PyExecutorError(
      "invalid_argument",
      "`chunks` and `complexity` both say how to split the items. Give one of them. Nothing was run.",
      { argument: "chunks" },
    );
  }
  const asked =
    chunks === undefined
      ? { value: suggestBatchSize(items.length, complexity), note: undefined }
      : clamp("chunks", chunks, { min: 1, max: settings.maxSnippets }, "", Math.floor);
  return {
    chunks: (items.length === 0 ? [] : chunkByCount(items, asked.value)).map((chunk) => ({
      size: chunk.length,
      bindings: JSON.stringify({ items: chunk }),
    })),
    notes: [asked.note, note],
  };
}

/**
 * Runs every chunk, so many at a time, and joins their lists.
 *
 * @param run carries out the code with a chunk's bindings: in a fresh process, or wherever else
 * @param onProgress told how many items are done, whenever a chunk has ended
 */
export async function mapChunks(
  { chunks }: Split,
  workers: number,
  run: (bindings: string, index: number) => Promise<ChunkEnd>,
  onProgress?: (done: number, total: number) => void,
): Promise<Omit<MapResult, "notes"> & { notes: string[] }> {
  const total = chunks.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  const ends = await mapInOrder(chunks, workers, async ({ size, bindings }, index) => {
    const end = await run(bindings, index);
    onProgress?.((done += size), total);
    return end;
  });
  const joined = joinLists(ends.map(listOf));
  return {
    results: ends.map(({ result }) => result),
    chunkSizes: chunks.map(({ size }) => size),
    ...("problem" in joined ? {} : { result: joined.values, resultJson: joined.json }),
    notes: "problem" in joined ? [joined.problem] : [],
  };
}

function listOf({ result, list }: ChunkEnd): ListAsJson {
  if (!result.success) return { problem: `its status is ${result.status}` };
  return list ?? { problem: "it told nothing of its last value" };
}

/** Throws if the items can't be handed on; returns a note if they can't be handed on as they were meant. */
function checkItems(items: readonly unknown[]): string | undefined {
  if (items.length > MAX_ITEMS) {
    throw itemsError(
      "limit_exceeded",
      `are ${items.length}, the limit is ${MAX_ITEMS}. Make several calls, or pass data in a file.`,
    );
  }
  const odd: OddNumbers = {};
  if (isDeeper(items, MAX_DEPTH + 1, odd)) {
    throw itemsError(
      "invalid_argument",
      `are nested more than ${MAX_DEPTH} levels deep. Make them flatter.`,
    );
  }
  if (odd.unknown !== undefined) {
    throw itemsError(
      "invalid_argument",
      `have the number ${odd.unknown}, which JSON can't carry. Give it as a text, such as "inf", and use float() in the code.`,
    );
  }
  const size = Buffer.byteLength(asJson(items));
  if (size > MAX_ITEMS_BYTES) {
    throw itemsError(
      "limit_exceeded",
      `are ${size} bytes of JSON, the limit is ${MAX_ITEMS_BYTES}. Pass names of files instead of what is in them, ` +
        "or make several calls.",
    );
  }
  if (odd.rounded === undefined) return undefined;
  return (
    `\`items\` have the number ${odd.rounded}: whole numbers beyond 2^53 lose digits on the way. Give such numbers as ` +
    "texts, and use int() in the code."
  );
}

/** The first numbers found that don't arrive as they were meant. */
interface OddNumbers {
  /** Infinite, as which a reader of JSON takes 1e400, or NaN. */
  unknown?: number;
  rounded?: number;
}

function asJson(items: readonly unknown[]): string {
  try {
    return JSON.stringify(items);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw itemsError("invalid_argument", `can't be written as JSON: ${reason}.`, error);
  }
}

/** Whether a value is nested more levels deep than that; notes odd numbers on the way. */
function isDeeper(value: unknown, levels: number, odd: OddNumbers): boolean {
  if (typeof value === "number") noteOdd(value, odd);
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeper(item, levels - 1, odd));
}

function noteOdd(value: number, odd: OddNumbers): void {
  if (!Number.isFinite(value)) odd.unknown ??= value;
  else if (!Number.isSafeInteger(value) && String(value).search(/[.e]/) === -1) {
    odd.rounded ??= value; // JSON writes it as a whole number
  }
}

function itemsError(
  code: "limit_exceeded" | "invalid_argument",
  problem: string,
  cause?: unknown,
): PyExecutorError {
  return new PyExecutorError(code, `\`items\` ${problem} Nothing was run.`, {
    argument: "items",
    cause,
  });
}
