import { execFile } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { basename } from "node:path";
import { PyExecutorError } from "../errors.ts";
import { isWithin } from "../sandbox/path-sets.ts";
import type { Interpreter } from "./discover.ts";

/** The Python that an environment is built with and for. */
export interface BasePython {
  /** Real path; no run can have written there. */
  python: string;
  /** Such as `3.11.7`. */
  version: string;
  /** What an environment depends on: program, kind, version and platform. */
  identity: string;
}

const PATIENCE_MS = 10_000;
const MAX_KNOWN = 64;
const QUESTION =
  "import sys,sysconfig;print(sys.implementation.name,'.'.join(map(str,sys.version_info[:3])),sysconfig.get_platform())";

/** Finds the Python behind an interpreter, and asks it once what it is. */
export class BasePythons {
  readonly #writable: readonly string[];
  readonly #findDefault: () => Promise<Interpreter>;
  readonly #known = new Map<string, BasePython>();

  /**
   * @param writable folders that runs may write in; empty where nothing contains them
   * @param findDefault a Python outside of the workspace, if there is one
   */
  constructor(writable: readonly string[], findDefault: () => Promise<Interpreter>) {
    this.#writable = writable.map(real);
    this.#findDefault = findDefault;
  }

  /** Whether no contained run can have written a program. */
  isOurs(program: string): boolean {
    return !this.#writable.some((folder) => isWithin(real(program), folder));
  }

  /**
   * The program that an interpreter is a link to, as that of a `.venv` is; if a run may have put it there, the default
   * one: an installer runs outside of containment. Throws `interpreter_unusable` if there is none.
   */
  async behind(interpreter: Interpreter): Promise<BasePython> {
    const wanted = real(interpreter.python);
    if (this.isOurs(wanted) && /^(?:python|pypy)[\d.]*t?(?:\.exe)?$/.test(basename(wanted))) {
      return this.#ask(wanted);
    }
    const byDefault = await this.#findDefault().then(
      (found) => real(found.python),
      () => undefined,
    );
    if (byDefault !== undefined && this.isOurs(byDefault)) return this.#ask(byDefault);
    throw new PyExecutorError(
      "interpreter_unusable",
      "Packages are installed by a Python outside of the workspace, which code can't have changed, and there is none. " +
        "Install python3, name one by --python, or start the server with --sandbox off.",
      { argument: "python" },
    );
  }

  async #ask(python: string): Promise<BasePython> {
    const { mtimeMs, size } = statSync(python);
    const key = [python, mtimeMs, size].join("\0");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const answer = await ask(python);
    const version = answer.split(" ")[1] ?? "";
    const found = { python, version, identity: `${python} ${answer}` };
    if (this.#known.size === MAX_KNOWN) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }
}

function ask(python: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(python, ["-I", "-S", "-c", QUESTION], { timeout: PATIENCE_MS }, (error, stdout) => {
      const answer = stdout.trim();
      if (error === null && answer !== "") return resolve(answer);
      reject(
        new PyExecutorError(
          "interpreter_unusable",
          `${python} can't say what it is, so nothing can be installed for it. Start the server with another --python.`,
          { argument: "python", cause: error },
        ),
      );
    });
  });
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
