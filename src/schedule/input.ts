import type { Settings } from "../config.ts";
import { PyExecutorError } from "../errors.ts";
import type { RunInput } from "../execution.ts";

const MAX_FILES = 50;
const MAX_PATH_CHARS = 500;
/** Nobody works with such names on purpose, and Windows has its own ideas of some. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNFIT = /[\u0000-\u001f\u007f\\:*?"<>|]|[\uD800-\uDFFF]/u;

/** What code gets besides itself, checked. */
export interface Input {
  stdin?: string;
  files?: ReadonlyMap<string, Buffer>;
}

/** Throws if there is too much input, or a file has a path that is unfit. */
export function checkInput({ stdin, files = [] }: RunInput, settings: Settings): Input {
  if (files.length > MAX_FILES) {
    throw inputError(
      "limit_exceeded",
      "files",
      `has ${files.length} files, the limit is ${MAX_FILES}. Send an archive, or make several calls.`,
    );
  }
  const checked = new Map<string, Buffer>();
  for (const [index, { path, content }] of files.entries()) {
    checkPath(path, `files[${index}].path`);
    if (checked.has(path)) {
      const problem = `is ${quoted(path)} again: each file may be there once.`;
      throw inputError("invalid_argument", `files[${index}].path`, problem);
    }
    if (typeof content === "string") checkText(content, `files[${index}].content`);
    checked.set(path, Buffer.from(content));
  }
  if (stdin !== undefined) checkText(stdin, "stdin");
  const total = [...checked.values()].reduce((sum, { length }) => sum + length, 0);
  const size = total + Buffer.byteLength(stdin ?? "");
  if (size > settings.maxInputBytes) {
    throw inputError(
      "limit_exceeded",
      total > 0 ? "files" : "stdin",
      `and the rest of the input are ${size} bytes, the limit is ${settings.maxInputBytes} in all (--max-input-bytes). ` +
        "Put the data into a file of the workspace.",
    );
  }
  return {
    ...(stdin === undefined ? {} : { stdin }),
    ...(checked.size === 0 ? {} : { files: checked }),
  };
}

function checkText(text: string, argument: string): void {
  if (text.isWellFormed()) return;
  const problem = "holds half of a surrogate pair, which no encoding can carry.";
  throw inputError("invalid_argument", argument, problem);
}

function checkPath(path: string, argument: string): void {
  const parts = path.split("/");
  const problem =
    path === ""
      ? "is empty"
      : path.length > MAX_PATH_CHARS
        ? `has ${path.length} characters, the limit is ${MAX_PATH_CHARS}`
        : UNFIT.test(path)
          ? `holds a character that file names shouldn't have: ${quoted(path)}`
          : path.startsWith("/")
            ? `is absolute: ${quoted(path)}`
            : parts.some((part) => part === "" || part === "." || part === "..")
              ? `has an empty part, \`.\` or \`..\`: ${quoted(path)}`
              : undefined;
  if (problem === undefined) return;
  const remedy = "Give a path below the working directory, with / between its parts.";
  throw inputError("invalid_argument", argument, `${problem}. ${remedy}`);
}

function inputError(
  code: "limit_exceeded" | "invalid_argument",
  argument: string,
  problem: string,
): PyExecutorError {
  return new PyExecutorError(code, `\`${argument}\` ${problem} Nothing was run.`, { argument });
}

function quoted(path: string): string {
  return JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path);
}
