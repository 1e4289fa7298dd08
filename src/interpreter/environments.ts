import type { Containment } from "../sandbox/confinement.ts";
import type { Environment } from "../workers/worker.ts";
import type { Interpreter, InterpreterFinder } from "./discover.ts";
import { variablesFor } from "./variables.ts";

const MAX_KEPT = 64;
/** How long it is believed that the same things are to be hidden from a run. */
const FRESH_MS = 5000;

interface Known {
  environment: Environment;
  /** When to look again (performance.now()). */
  until: number;
}

/** What runs in a folder are started with. The same object comes again and again, so that it can be a key. */
export class Environments {
  readonly #interpreters: InterpreterFinder;
  readonly #containment: Containment;
  readonly #allowed: readonly string[];
  readonly #known = new Map<string, Known>();
  /** The server's own, as they are at its start. */
  readonly #variables = { ...process.env };

  /** @param allowed names of the server's variables that code may see */
  constructor(
    interpreters: InterpreterFinder,
    containment: Containment,
    allowed: readonly string[],
  ) {
    this.#interpreters = interpreters;
    this.#containment = containment;
    this.#allowed = allowed;
  }

  /** Throws `interpreter_missing` or `interpreter_unusable`. */
  async for(cwd: string): Promise<Environment> {
    return this.of(await this.#interpreters.find(cwd), cwd);
  }

  /** With an interpreter that the folder may know nothing of. */
  async of(interpreter: Interpreter, cwd: string): Promise<Environment> {
    const key = [interpreter.python, interpreter.virtualEnv ?? "", cwd].join("\0");
    const known = this.#known.get(key);
    if (known === undefined) return this.#make(key, interpreter, cwd);
    if (performance.now() >= known.until) {
      // this run still gets what was found before: to look for what is to be hidden takes longer than a run
      known.until = performance.now() + FRESH_MS;
      setTimeout(() => void this.#make(key, interpreter, cwd).catch(() => {}), 0);
    }
    return known.environment;
  }

  async #make(key: string, interpreter: Interpreter, cwd: string): Promise<Environment> {
    const { python } = interpreter;
    const confinement = await this.#containment.for(interpreter, cwd);
    const isConfined = confinement !== undefined;
    const variables = variablesFor(interpreter, this.#variables, this.#allowed, isConfined);
    const before = this.#known.get(key)?.environment;
    const isSame = before !== undefined && before.confinement?.spec === confinement?.spec;
    const environment = isSame ? before : { python, variables, confinement };
    if (this.#known.size === MAX_KEPT) this.#known.clear();
    this.#known.set(key, { environment, until: performance.now() + FRESH_MS });
    return environment;
  }
}
