import { readSync } from "node:fs";

/**
 * Reads a part of an open file.
 *
 * @param size of the file, in bytes; beyond it nothing is read
 * @returns as much as there is of the part
 */
export function readBytes(
  descriptor: number,
  size: number,
  offset: number,
  length: number,
): Buffer {
  const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
  let at = 0;
  while (at < bytes.length) {
    const count = readSync(descriptor, bytes, at, bytes.length - at, offset + at);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}
