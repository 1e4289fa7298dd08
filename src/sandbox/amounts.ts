import { z } from "zod";

const UNITS: Record<string, number> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
const SIZE = /^(\d+(?:\.\d+)?)(?:([KMGT])(?:iB)?)?$/i;

/**
 * A number of bytes, or text: digits and perhaps K, M, G or T, with or without `iB`, each 1024 of the one before. `KB` is
 * refused, since it means 1000 to some.
 *
 * @param bounds the least number of bytes that makes sense, and why
 */
export function byteSize({ min, why }: { min: number; why: string } = { min: 1, why: "" }) {
  const error = "takes a number of bytes above 0, such as 536870912, 512M or 2G";
  return z
    .union([z.number(), z.string().transform(parseSize)], error)
    .refine((bytes) => Number.isSafeInteger(bytes) && bytes > 0, { error, abort: true })
    .refine((bytes) => bytes >= min, { error: `takes at least ${min} bytes: ${why}` });
}

/** A number of bytes as options take it and people read it: `2G`, `512M`, or the plain number. */
export function formatBytes(bytes: number): string {
  const unit = ["T", "G", "M", "K"].find(
    (name) => bytes % (UNITS[name.toLowerCase()] ?? NaN) === 0,
  );
  return unit === undefined
    ? `${bytes} bytes`
    : `${bytes / (UNITS[unit.toLowerCase()] ?? NaN)} ${unit}iB`;
}

const NO_COUNT = "takes a whole number above 0";

/** A whole number above 0, or its decimal text. */
export const wholeNumber = z
  .union([z.number(), z.string().transform(parseWhole)], NO_COUNT)
  .refine((value) => Number.isSafeInteger(value) && value > 0, NO_COUNT);

function parseWhole(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : NaN;
}

function parseSize(text: string): number {
  const [, digits, unit = ""] = SIZE.exec(text.trim()) ?? [];
  return digits === undefined ? NaN : Number(digits) * (UNITS[unit.toLowerCase()] ?? NaN);
}
