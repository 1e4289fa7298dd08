import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** One small Python program that pins one behaviour of `python file.py`. */
export interface Program {
  /** File name without `.py`: `<topic>-<behaviour>`. */
  readonly name: string;
  /** Absolute path in `test/programs`. */
  readonly path: string;
  /** The bytes as text; a byte-order mark is kept as U+FEFF, line ends are kept as they are. */
  readonly code: string;
  /** The file as it is on disk. */
  readonly bytes: Buffer;
  /** Oldest Python that can compile it, from a second line `# requires: 3.11`; absent: 3.9. */
  readonly requires?: readonly [major: number, minor: number];
  /** What the program pins: its first comment, or its name where it has none. */
  readonly about: string;
}

const folder = fileURLToPath(new URL("../../programs/", import.meta.url));

/**
 * Reads the programs of `test/programs`, sorted by name.
 *
 * @throws TypeError if a program is not valid UTF-8, since code reaches the product as text.
 */
export async function loadCorpus(): Promise<Program[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".py")).toSorted();
  return Promise.all(files.map((file) => loadProgram(file)));
}

/** Whether `program` can run on this version of Python. */
export function runsOn(program: Program, version: readonly [number, number]): boolean {
  const [major, minor] = program.requires ?? [3, 9];
  return version[0] > major || (version[0] === major && version[1] >= minor);
}

async function loadProgram(file: string): Promise<Program> {
  const path = folder + file;
  const name = file.slice(0, -".py".length);
  const bytes = await readFile(path);
  const code = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const [first = "", second = ""] = code.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/, 2);
  const comment = /^# (.+)/.exec(first.startsWith("#!") ? second : first)?.[1];
  const requires = /^# requires: (\d+)\.(\d+)$/.exec(second);
  return {
    name,
    path,
    code,
    bytes,
    ...(requires ? { requires: [Number(requires[1]), Number(requires[2])] as const } : {}),
    about: comment ?? name.replaceAll("-", " "),
  };
}
