import type { Interpreter, InterpreterFinder } from "./interpreter/discover.ts";
import { variablesFor } from "./interpreter/variables.ts";
import type { Confinement, Containment } from "./sandbox/confinement.ts";
import { covers } from "./sandbox/spec.ts";
import type { Environment } from "./workers/worker.ts";

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

  readonly #onReplaced: (environment: Environment) => void;

  /**
   * @param allowed names of the server's variables that code may see
   * @param onReplaced called with what no run gets any more, since something is to be hidden that it doesn't hide
   */
  constructor(
    interpreters: InterpreterFinder,
    containment: Containment,
    allowed: readonly string[],
    onReplaced: (environment: Environment) => void,
  ) {
    this.#interpreters = interpreters;
    this.#containment = containment;
    this.#allowed = allowed;
    this.#onReplaced = onReplaced;
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
    const isCurrent = before !== undefined && stillConfines(before.confinement, confinement);
    const environment = isCurrent ? before : { python, variables, confinement };
    if (before !== undefined && !isCurrent) this.#onReplaced(before);
    if (this.#known.size === MAX_KEPT) this.#known.clear();
    this.#known.set(key, { environment, until: performance.now() + FRESH_MS });
    return environment;
  }
}

function stillConfines(before: Confinement | undefined, now: Confinement | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return covers(before.spec, now.spec);
}
