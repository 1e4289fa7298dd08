import type { ReadPart } from "../execution.ts";
import type { Artifacts } from "./artifacts.ts";
import type { OutputStore } from "./output-store.ts";

/** Where what runs have left is found by its address. */
export interface KeptThings {
  outputs: OutputStore;
  artifacts: Artifacts;
}

/**
 * Reads a part of what an address leads to.
 *
 * @param offset where to begin, in bytes
 * @param length how much to read at the most, in bytes
 * @returns undefined if there is no such thing (any more)
 */
export function readKept(
  { outputs, artifacts }: KeptThings,
  uri: string,
  offset: number,
  length: number,
): ReadPart | undefined {
  const kept = outputs.read(uri, offset, length);
  if (kept === undefined) return artifacts.read(uri, offset, length);
  return { mimeType: kept.info.mimeType, bytes: kept.bytes, size: kept.info.size };
}
