import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { PyExecutorError } from "../errors.ts";

/** A Python and why it was chosen. */
export interface Interpreter {
  /** Path of the program. */
  python: string;
  /** The virtual environment that it belongs to, if any. */
  virtualEnv: string | undefined;
  /** The conda environment that it belongs to, if the operator wants that one. */
  condaPrefix?: string | undefined;
  why: string;
}

const LAUNCHER_PATIENCE_MS = 10_000;
const isWindows = process.platform === "win32";
/** Where a virtual environment has its interpreter, in the order in which the places are looked at. */
const PLACES_IN_VENV = ["Scripts/python.exe", "bin/python"];
const NAMES_ON_PATH = isWindows ? ["python.exe", "python3.exe", "py.exe"] : ["python3", "python"];

/** Finds the Python for a working directory. */
export interface InterpreterFinder {
  /**
   * Its `.venv`, else the one that the operator named, else the first on PATH.
   *
   * Throws `interpreter_unusable` for a `.venv` without a working Python and `interpreter_missing` if there is none at all.
   */
  find(cwd: string): Promise<Interpreter>;
  /** The one that is used where there is no `.venv`. Throws `interpreter_missing`. */
  findDefault(this: void): Promise<Interpreter>;
}

/**
 * @param python what the operator named: a path, or a name on PATH
 * @param env whether the operator wants the environment that the server was started in, and of which kind
 */
export function createInterpreterFinder(
  python: string | undefined,
  env: "none" | "virtualenv" | "conda" = "none",
): InterpreterFinder {
  let byDefault: Promise<Interpreter> | undefined;
  const findOnce = (): Promise<Interpreter> => {
    byDefault ??= findDefault(python, env).catch((error: unknown) => {
      byDefault = undefined; // one may be installed by the next time
      throw error;
    });
    return byDefault;
  };
  return { find: async (cwd) => findInVenv(cwd) ?? (await findOnce()), findDefault: findOnce };
}

/** Synchronous, since it is asked before each run: a way through Node's thread pool costs more than the answer. */
function findInVenv(cwd: string): Interpreter | undefined {
  const venv = join(cwd, ".venv");
  if (lstatSync(venv, { throwIfNoEntry: false }) === undefined) return undefined;
  const python = PLACES_IN_VENV.map((place) => join(venv, place)).find(isProgram);
  if (python === undefined) {
    throw new PyExecutorError(
      "interpreter_unusable",
      `${venv} has no Python that can be started (looked for ${PLACES_IN_VENV.join(" and ")}). ` +
        "Create it anew (`python3 -m venv --clear .venv`), remove it, or use another `cwd`.",
      { argument: "cwd" },
    );
  }
  return { python, virtualEnv: venv, why: "the .venv of the working directory" };
}

async function findDefault(
  named: string | undefined,
  env: "none" | "virtualenv" | "conda",
): Promise<Interpreter> {
  if (env !== "none") return findActive(env, named);
  if (named !== undefined) {
    const python = findNamed(named);
    if (python !== undefined) return describe(python, "named by the `--python` option");
    throw new PyExecutorError(
      "interpreter_missing",
      `The Python named by the \`--python\` option can't be started: ${named}.`,
      { argument: "python" },
    );
  }
  for (const name of NAMES_ON_PATH) {
    const python = findOnPath(name);
    if (python !== undefined) return await describe(python, `the first ${name} on PATH`);
  }
  throw new PyExecutorError(
    "interpreter_missing",
    `There is no Python on PATH (looked for ${NAMES_ON_PATH.join(", ")}). Install Python 3.9 or newer, or start the ` +
      "server with `--python /path/to/python`.",
  );
}

/** The Python of the environment that the server was started in. */
function findActive(env: "virtualenv" | "conda", named: string | undefined): Interpreter {
  const variable = env === "conda" ? "CONDA_PREFIX" : "VIRTUAL_ENV";
  const problem = (what: string): PyExecutorError =>
    new PyExecutorError("interpreter_missing", `\`--python-env ${env}\`: ${what}.`, {
      argument: "pythonEnv",
    });
  if (named !== undefined) throw problem("`--python` is set too; leave out one of them");
  const prefix = process.env[variable] ?? "";
  if (!isAbsolute(prefix)) {
    throw problem(`${variable} is not set for the server. Start it in an activated environment`);
  }
  const python = [...PLACES_IN_VENV, "python.exe"]
    .map((place) => join(prefix, place))
    .find(isProgram);
  if (python === undefined) throw problem(`${variable} is ${prefix}, where there is no Python`);
  const why = `the environment that ${variable} names`;
  return env === "conda"
    ? { python, virtualEnv: undefined, condaPrefix: prefix, why }
    : { python, virtualEnv: prefix, why };
}

function findNamed(name: string): string | undefined {
  if (!isAbsolute(name) && !/[/\\]/.test(name)) return findOnPath(name);
  const python = resolve(name);
  return isProgram(python) ? python : undefined;
}

function findOnPath(name: string): string | undefined {
  const candidates = (process.env["PATH"] ?? "")
    .split(delimiter)
    // the aliases there open the Microsoft Store instead of running Python
    .filter((folder) => folder !== "" && !/\\WindowsApps\\?$/i.test(folder))
    .map((folder) => join(folder, name));
  return candidates.find(isProgram);
}

/** A Python that is no `.venv`'s. One inside a virtual environment, wherever it was named, brings that (PEP 405). */
async function describe(found: string, why: string): Promise<Interpreter> {
  const python = await behindLauncher(found);
  const virtualEnv = dirname(dirname(python));
  return {
    python,
    virtualEnv: existsSync(join(virtualEnv, "pyvenv.cfg")) ? virtualEnv : undefined,
    why,
  };
}

/**
 * The Python itself, where a launcher stands in its place: pyenv's shims and the like are shell scripts that take longer
 * than Python does and leave their own variables behind.
 */
async function behindLauncher(python: string): Promise<string> {
  if (!(await isLauncher(python))) return python;
  const question = ["-c", "import sys; print(sys.executable)"];
  return new Promise((resolvePath) => {
    execFile(python, question, { timeout: LAUNCHER_PATIENCE_MS }, (error, stdout) => {
      resolvePath(error === null && stdout.trim() !== "" ? stdout.trim() : python);
    });
  });
}

async function isLauncher(python: string): Promise<boolean> {
  if (basename(python).toLowerCase() === "py.exe") return true;
  const file = await open(python).catch(() => undefined);
  if (file === undefined) return false; // a script that can't be read could not be run
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.toString() === "#!";
  } finally {
    await file.close();
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
