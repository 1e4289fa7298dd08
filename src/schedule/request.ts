import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Settings } from "../config.ts";
import { PyExecutorError, systemCode } from "../errors.ts";

/** Fewest seconds that a run gets: the older server's bound. */
const MIN_TIMEOUT = 1;
/** A path that is longer is not repeated in full: it is the caller's own (characters). */
const MAX_SHOWN_PATH = 300;

/** A value that was brought into the range which the operator allows, and what to tell the caller about it. */
export interface Clamped {
  value: number;
  note: string | undefined;
}

/** Throws if a snippet is too long or can't be Python source text. `argument` names it: `code` or `codes[3]`. */
export function checkCode(code: string, argument: string, maxBytes: number): void {
  const size = Buffer.byteLength(code);
  if (size > maxBytes) {
    throw new PyExecutorError(
      "limit_exceeded",
      `\`${argument}\` is ${size} bytes long, the limit is ${maxBytes} bytes of UTF-8. Pass data in a file instead of ` +
        "in the code, or split the code (`chunk_by_size` from `py_executor`).",
      { argument },
    );
  }
  const nul = code.indexOf("\0");
  if (nul !== -1) {
    throw new PyExecutorError(
      "invalid_argument",
      `\`${argument}\` holds a NUL character at position ${nul}, which Python source may not. Write \\0 inside a string.`,
      { argument },
    );
  }
  if (!code.isWellFormed()) {
    throw new PyExecutorError(
      "invalid_argument",
      `\`${argument}\` holds half of a surrogate pair, which no encoding can carry. ` +
        "Send the whole character, or write the escape \\u… inside a Python string.",
      { argument },
    );
  }
}

/** Throws if a batch has too many snippets, or one that is unfit. */
export function checkCodes(codes: readonly string[], settings: Settings): void {
  if (codes.length > settings.maxSnippets) {
    throw new PyExecutorError(
      "limit_exceeded",
      `\`codes\` has ${codes.length} snippets, the limit is ${settings.maxSnippets}. Send several batches, or let a ` +
        "snippet do more (`chunk_by_count` from `py_executor`).",
      { argument: "codes" },
    );
  }
  for (const [index, code] of codes.entries())
    checkCode(code, `codes[${index}]`, settings.maxCodeBytes);
}

/**
 * The seconds that a run gets.
 *
 * @param isBackground nobody waits for the run: another limit counts, and without a wish it gets all of it
 */
export function clampTimeout(
  timeout: number | undefined,
  settings: Settings,
  isBackground = false,
): Clamped {
  const maxTimeout = isBackground ? settings.maxBackground : settings.maxTimeout;
  if (timeout === undefined) {
    const usual = isBackground ? maxTimeout : settings.defaultTimeout;
    return { value: Math.min(usual, maxTimeout), note: undefined };
  }
  return clamp(
    "timeout",
    timeout,
    { min: Math.min(MIN_TIMEOUT, maxTimeout), max: maxTimeout },
    " s",
  );
}

export function clampWorkers(workers: number | undefined, settings: Settings): Clamped {
  if (workers === undefined) return { value: settings.maxWorkers, note: undefined };
  return clamp("max_workers", workers, { min: 1, max: settings.maxWorkers }, "", Math.floor);
}

/** The working directory as an absolute path; throws if it can't be worked in. */
export function resolveCwd(cwd: string | undefined, workspace: string): string {
  if (cwd?.includes("\0")) throw cwdError("holds a NUL character", cwd);
  if (cwd === "") throw cwdError("is empty; leave it out to work in the workspace", cwd);
  const path = resolve(workspace, cwd ?? ".");
  try {
    // synchronous: a way through Node's thread pool costs more than the whole check, and there is one for each run
    if (!statSync(path).isDirectory()) throw cwdError("is not a folder", path);
    accessSync(path, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof PyExecutorError) throw error;
    throw cwdError(reasonOf(error), path, error);
  }
  return path;
}

/** Brings a number into its range, and says so. Throws if it is none. */
export function clamp(
  name: string,
  asked: number,
  { min, max }: { min: number; max: number },
  unit: string,
  round = (number: number): number => number,
): Clamped {
  if (Number.isNaN(asked)) {
    throw new PyExecutorError("invalid_argument", `\`${name}\` is not a number.`, {
      argument: name,
    });
  }
  const value = Math.min(Math.max(round(asked), min), max);
  const note =
    value === asked
      ? undefined
      : `${name} ${asked}${unit} was brought to ${value}${unit}: this server allows ${min} to ${max}${unit}.`;
  return { value, note };
}

function reasonOf(error: unknown): string {
  switch (systemCode(error)) {
    case "ENOENT":
      return "does not exist";
    case "ENOTDIR":
      return "is not a folder";
    case "EACCES":
    case "EPERM":
      return "can't be read by the server";
    case undefined:
    default:
      return `can't be used (${String(systemCode(error) ?? error)})`;
  }
}

function cwdError(problem: string, path: string, cause?: unknown): PyExecutorError {
  const shown = path.length > MAX_SHOWN_PATH ? `${path.slice(0, MAX_SHOWN_PATH)}…` : path;
  return new PyExecutorError(
    "invalid_argument",
    `\`cwd\` ${problem}: ${JSON.stringify(shown)}. Give a folder that exists; a relative path is taken from the ` +
      "workspace. Nothing was run.",
    { argument: "cwd", cause },
  );
}
