/** One thing that a library does in a run, and what has to come back of it. */
import { expect } from "vitest";
import type { ListedResource, ShownDisplay } from "../shown.ts";
import type { ToolReply } from "../stdio-client.ts";

/** What a run has come back with. */
interface Outcome {
  json: ToolReply["json"];
  displays: ShownDisplay[];
  /** Pictures in the answer. */
  images: { mimeType: string; bytes: Buffer }[];
  /** A file that the code has saved in the workspace. */
  saved: (name: string) => Buffer;
  /** What an address of the answer leads to. */
  read: (uri: string | undefined) => Promise<Buffer>;
  /** All that has an address. */
  listed: () => Promise<ListedResource[]>;
}

export interface LibraryCase {
  /** Its name in the requirements. */
  library: string;
  does: string;
  code: string;
  check: (outcome: Outcome) => void | Promise<void>;
}

/** Byte by byte. Not by `toEqual`, which takes a minute to show where pictures differ. */
export function expectSame(bytes: Buffer | undefined, own: Buffer): void {
  expect(bytes?.length).toBe(own.length);
  expect(bytes?.equals(own)).toBe(true);
}
