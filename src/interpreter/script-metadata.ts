import { PyExecutorError } from "../errors.ts";

/** What a snippet says about its own needs: the `script` block of PEP 723. */
export interface ScriptMetadata {
  /** As they were written; not checked yet. */
  dependencies: readonly string[];
  /** A version specifier such as `>=3.11`; not checked yet. */
  requiresPython: string | undefined;
  /** Line of the snippet, from 1, where a dependency stands. */
  lineOf: (dependency: string) => number;
}

interface Block {
  /** Line of `# /// script` in the snippet, from 1. */
  line: number;
  /** The lines between its marks, without their `#`. */
  content: string[];
}

const OPENING = /^# \/\/\/ (?<type>[a-zA-Z0-9-]+)$/;
const CLOSING = "# ///";
/** More is no list of dependencies (bytes of TOML). */
const MAX_CONTENT_CHARS = 64 * 1024;

/**
 * Reads the metadata block of a snippet; undefined if it has none.
 *
 * Throws `invalid_argument`, naming the line, for two blocks, broken TOML and values of a wrong type. Keys that it does
 * not know, such as `[tool]`, are not looked at.
 *
 * @param argument what the snippet is called in errors: `code` or `codes[3]`
 * @see https://packaging.python.org/en/latest/specifications/inline-script-metadata/
 */
export async function readScriptMetadata(
  code: string,
  argument = "code",
): Promise<ScriptMetadata | undefined> {
  if (!code.includes("# /// script")) return undefined; // nearly always
  const [block, second] = findBlocks(code, "script");
  if (block === undefined) return undefined;
  const fail = (line: number, problem: string, cause?: unknown): PyExecutorError =>
    new PyExecutorError("invalid_argument", `\`${argument}\`, line ${line}: ${problem}`, {
      argument,
      cause,
    });
  if (second !== undefined) {
    throw fail(
      second.line,
      `a second \`# /// script\` block; the first is in line ${block.line}. Put all dependencies into one block.`,
    );
  }
  const lineOf = (text: string): number => lineHolding(block, text);
  const toml = block.content.join("\n");
  if (toml.length > MAX_CONTENT_CHARS) {
    throw fail(block.line, `the \`# /// script\` block is longer than ${MAX_CONTENT_CHARS} bytes.`);
  }
  const table = await parseToml(toml, (line, problem, cause) =>
    fail(
      block.line + line,
      `the \`# /// script\` block is not valid TOML (${problem}). ` +
        'It takes lines such as `# dependencies = ["polars>=1"]`.',
      cause,
    ),
  );
  const { dependencies = [], "requires-python": requiresPython } = table;
  if (!isListOfTexts(dependencies)) {
    const wanted = '`dependencies` takes a list of texts, such as ["polars>=1"].';
    throw fail(lineOf("dependencies"), wanted);
  }
  if (requiresPython !== undefined && typeof requiresPython !== "string") {
    throw fail(lineOf("requires-python"), '`requires-python` takes a text, such as ">=3.11".');
  }
  return { dependencies, requiresPython, lineOf };
}

/**
 * The blocks of one type, as the regular expression of PEP 723 finds them: from an opening line to the last closing line
 * that only comment lines lie before. Line by line, since that expression takes the square of the time on code made to
 * be slow.
 */
export function findBlocks(code: string, type: string): Block[] {
  const lines = code.replace(/\r\n?/g, "\n").split("\n"); // Python's own reading of line ends
  const blocks: Block[] = [];
  for (let start = 0; start < lines.length; start += 1) {
    let end = start;
    while (end < lines.length && isComment(lines[end])) end += 1;
    const block = blockWithin(lines, start, end);
    if (block?.type === type) blocks.push(block);
    start = end;
  }
  return blocks;
}

/** The block in the comment lines from `start` up to `end`: there can be one, since the last closing line ends it. */
function blockWithin(
  lines: readonly string[],
  start: number,
  end: number,
): (Block & { type: string | undefined }) | undefined {
  const comment = lines.slice(start, end);
  const opening = comment.findIndex((line) => OPENING.test(line));
  const closing = comment.lastIndexOf(CLOSING);
  if (opening === -1 || closing < opening + 2) return undefined;
  const content = comment
    .slice(opening + 1, closing)
    .map((line) => line.slice(line.startsWith("# ") ? 2 : 1));
  const type = OPENING.exec(comment[opening] ?? "")?.groups?.["type"];
  return { type, line: start + opening + 1, content };
}

function isComment(line: string | undefined): boolean {
  return line === "#" || line?.startsWith("# ") === true;
}

/** Line of the snippet in which a text stands; that of the block's beginning if it is written in another way. */
function lineHolding({ line, content }: Block, text: string): number {
  return line + 1 + content.findIndex((inside) => inside.includes(text));
}

/** Loads the parser at the first snippet that needs it: the others shall not wait for it. */
async function parseToml(
  toml: string,
  fail: (line: number, problem: string, cause: unknown) => PyExecutorError,
): Promise<Record<string, unknown>> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(toml, { maxDepth: 20 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const problem = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    throw fail(error.line, problem, error);
  }
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
