import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PyExecutorError } from "../errors.ts";
import type { BasePython, BasePythons } from "./base-python.ts";
import type { Interpreter } from "./discover.ts";
import { chooseInstaller, installCommands, installerVariables } from "./installer.ts";
import { reasonIn } from "./installer-reason.ts";
import { runStep } from "./installer-process.ts";
import { PackageStore, type Kept } from "./package-store.ts";
import type { PackageWish } from "./package-wish.ts";
import { allowsPython } from "./requires-python.ts";

export interface PackageEnvironmentsOptions {
  /** Where environments are kept; outside of all that runs may write. */
  folder: string;
  basePythons: BasePythons;
  /** Whether what has no wheel may be built, which runs its authors' code with all that the server may do. */
  allowBuild: boolean;
  /** Seconds that an installation may take. */
  installTimeout: number;
  /** Bytes of all environments together. */
  maxSpace: number;
  /** The server's own; only installers see them. */
  variables: NodeJS.ProcessEnv;
}

/** An interpreter that has the packages, until it is given back. */
export interface ProvidedPackages {
  interpreter: Interpreter;
  /** What the caller should know: what was installed, by what, and how long it took. */
  notes: readonly string[];
  /** To be called when the run is over; may be called more than once. */
  release: () => void;
}

interface WaitOptions {
  /** Aborting ends the waiting. What is being installed goes on: others may wait for it, or the caller may come again. */
  signal?: AbortSignal | undefined;
  /** Told what the installer says. */
  onLine?: ((line: string) => void) | undefined;
}

/** A build that goes on in this process. */
interface Build {
  /** What the one who built it, or waited for another server's, has to tell. */
  done: Promise<string | undefined>;
  listeners: Set<(line: string) => void>;
}

/** Installations at the same time. */
const MAX_BUILDS = 8;
/** How often it is looked whether another server has finished (milliseconds). */
const LOOK_MS = 250;
/** What was built may have made room for others before it is used: unlikely once. */
const MAX_ATTEMPTS = 3;
const NOT_FOUND =
  /no matching distribution|from versions:|not found in the|no usable wheels|there is no version|building source distributions is disabled/i;

/** Makes virtual environments with the packages that runs ask for, and keeps them for the next time. */
export class PackageEnvironments {
  readonly #options: PackageEnvironmentsOptions;
  readonly #store: PackageStore;
  readonly #builds = new Map<string, Build>();
  readonly #closing = new AbortController();

  constructor(options: PackageEnvironmentsOptions) {
    this.#options = options;
    this.#store = new PackageStore(options.folder, options.maxSpace);
  }

  /**
   * An interpreter for a wish; the one that was found for the working directory if no package is wanted.
   *
   * Throws `packages_failed` if they can't be installed, `interpreter_unusable` if the Python is not one that
   * `requires-python` allows.
   */
  async provide(
    wish: PackageWish,
    found: Interpreter,
    { signal, onLine }: WaitOptions = {},
  ): Promise<ProvidedPackages> {
    const base = await this.#options.basePythons.behind(found);
    checkPython(wish, base);
    if (wish.requirements.length === 0) {
      return { interpreter: found, notes: wish.notes, release: () => {} };
    }
    const requirements = wish.requirements.map(({ text }) => text);
    const key = keyOf([base.identity, String(this.#options.allowBuild), ...requirements]);
    const notes = [...wish.notes, isolationNote(found)].filter((note) => note !== undefined);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      this.#refuseIfClosed();
      const kept = this.#store.find(key);
      if (kept !== undefined) {
        return { interpreter: interpreterIn(kept), notes, release: kept.release };
      }
      const note = await this.#built(key, requirements, base, { signal, onLine });
      if (note !== undefined) notes.push(note);
    }
    throw failure(requirements, "was undone by others that need the space for packages", "");
  }

  /** Ends all installations; returns when nothing of them is left. May be called more than once. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#builds.values()].map(({ done }) => done));
  }

  /** Waits until someone has built an environment: this call, another one, or another server. */
  async #built(
    key: string,
    requirements: readonly string[],
    base: BasePython,
    { signal, onLine }: WaitOptions,
  ): Promise<string | undefined> {
    let build = this.#builds.get(key);
    if (build === undefined) {
      if (this.#builds.size === MAX_BUILDS) {
        throw new PyExecutorError(
          "busy",
          `${MAX_BUILDS} installations of packages are under way already. Try again when they are done.`,
          { argument: "packages" },
        );
      }
      const listeners: Build["listeners"] = new Set();
      const tell = (line: string): void => listeners.forEach((listener) => listener(line));
      const done = this.#build(key, requirements, base, tell).finally(() =>
        this.#builds.delete(key),
      );
      done.catch(() => {}); // told to those who wait, if there still are any
      build = { done, listeners };
      this.#builds.set(key, build);
    }
    if (onLine !== undefined) build.listeners.add(onLine);
    try {
      return await untilAborted(build.done, signal);
    } finally {
      if (onLine !== undefined) build.listeners.delete(onLine);
    }
  }

  async #build(
    key: string,
    requirements: readonly string[],
    base: BasePython,
    tell: (line: string) => void,
  ): Promise<string | undefined> {
    const { installTimeout } = this.#options;
    const startedAt = performance.now();
    const deadline = AbortSignal.timeout(installTimeout * 1000);
    const signal = AbortSignal.any([deadline, this.#closing.signal]);
    try {
      const lock = await this.#lock(key, signal, tell);
      if (lock === undefined) {
        return `Waited ${secondsSince(startedAt)} s for another server that was installing the same packages.`;
      }
      try {
        const by = await this.#install(key, requirements, base, signal, tell);
        return `Installed ${requirements.join(", ")} with ${by} in ${secondsSince(startedAt)} s; kept for the next time.`;
      } finally {
        lock.release();
        await this.#store.sweep(); // nothing half-written stays
      }
    } catch (error) {
      this.#refuseIfClosed();
      if (!deadline.aborted) throw error;
      throw failure(
        requirements,
        `was not done after ${installTimeout} s, the operator's limit (\`--install-timeout\`)`,
        error instanceof PyExecutorError ? error.message : "",
        error,
      );
    }
  }

  /** The right to build; undefined if another server has built it meanwhile. */
  async #lock(
    key: string,
    signal: AbortSignal,
    tell: (line: string) => void,
  ): Promise<{ release: () => void } | undefined> {
    for (let isTold = false; ; isTold = true) {
      const lock = this.#store.lock(key);
      const kept = this.#store.find(key);
      kept?.release();
      if (kept !== undefined) {
        lock?.release();
        return undefined;
      }
      if (lock !== undefined) return lock;
      if (!isTold) tell("Another server is installing the same packages");
      await sleep(LOOK_MS, undefined, { signal });
    }
  }

  /** @returns the name of the installer */
  async #install(
    key: string,
    requirements: readonly string[],
    { python, identity }: BasePython,
    signal: AbortSignal,
    tell: (line: string) => void,
  ): Promise<string> {
    const { folder: home, allowBuild, basePythons } = this.#options;
    const place = this.#store.start(key);
    try {
      const variables = installerVariables(this.#options.variables);
      const installer = chooseInstaller(python, variables, (path) => basePythons.isOurs(path));
      tell(`Installing ${requirements.join(", ")} with ${installer.name}`);
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const { folder } = place;
      const wanted = { python, folder, requirements, allowBuild };
      const commands = await installCommands(installer, wanted);
      // in a folder of our own: uv takes settings from the files of the folder that it is started in, and of those above
      const options = { cwd: home, variables, signal, onLine: tell };
      const silent = { ...options, onLine: () => {} };
      for (const step of [
        () => runStep(commands.create, silent),
        () => runStep(commands.install, options),
      ]) {
        const { isOk, lines } = await step();
        if (!isOk) throw failure(requirements, `failed with ${installer.name}`, reasonIn(lines));
      }
      if (commands.compile !== undefined) await runStep(commands.compile, silent);
      signal.throwIfAborted();
      const about = { requirements, identity };
      const problem = await this.#store.finish(key, place, about);
      if (problem === undefined) return installer.name;
      throw failure(
        requirements,
        `doesn't fit into the space for packages: ${problem} (\`--max-package-space\`)`,
        "",
      );
    } finally {
      place.release();
    }
  }

  #refuseIfClosed(): void {
    if (this.#closing.signal.aborted) {
      throw new PyExecutorError("closed", "The executor has been closed.");
    }
  }
}

function checkPython({ requiresPython }: PackageWish, { version, python }: BasePython): void {
  if (requiresPython === undefined) return;
  const { specifier, place } = requiresPython;
  if (allowsPython(specifier, version, place)) return;
  throw new PyExecutorError(
    "interpreter_unusable",
    `\`${place}\`: the snippet requires Python ${specifier}, and this one is ${version} (${python}). ` +
      "Change `requires-python`, or have the server started with another `--python`.",
    { argument: place.split(",")[0] ?? place },
  );
}

function interpreterIn({ folder }: Kept): Interpreter {
  return {
    python: join(folder, "bin", "python"),
    virtualEnv: folder,
    why: "an environment with the packages that were asked for",
  };
}

function isolationNote({ virtualEnv }: Interpreter): string | undefined {
  return virtualEnv === undefined
    ? undefined
    : `With \`packages\` code has these and their dependencies only, not what is in ${virtualEnv}.`;
}

function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 24);
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}

function failure(
  requirements: readonly string[],
  problem: string,
  said: string,
  cause?: unknown,
): PyExecutorError {
  const remedy = NOT_FOUND.test(said)
    ? "\nCheck the name and the version. A package without a wheel for this Python is not installed unless the operator allows builds (`--allow-build`)."
    : "";
  return new PyExecutorError(
    "packages_failed",
    `The code was not run: installing ${requirements.join(", ")} ${problem}${said === "" ? "." : `:\n${said}`}${remedy}`,
    { argument: "packages", cause },
  );
}

/** Settles as a promise does, or throws the signal's reason before. */
async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
