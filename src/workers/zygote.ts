import { statSync } from "node:fs";
import { join } from "node:path";
import { startInterpreter, type InterpreterProcess } from "./interpreter-process.ts";
import { importedPackages } from "./imports.ts";
import type { ImportMemory } from "./import-memory.ts";
import {
  chooseTemplate,
  isForkSafe,
  planTemplates,
  standardModules,
  type PlannedTemplate,
} from "./preload-plan.ts";
import type { Ready } from "./run-end.ts";
import { Template } from "./template.ts";
import type { Environment, WorkerOptions } from "./worker.ts";

/** The first run goes before: what was learned earlier is loaded when that is likely to be over. */
const PRELOAD_DELAY_MS = 150;

export interface ZygoteOptions extends WorkerOptions {
  maxSlots: number;
  /** Packages that the operator wants preloaded. */
  preload: readonly string[];
}

/**
 * The templates of one environment: a tree of warm interpreters, grown as it is learned what the code imports.
 *
 * It is replaced as a whole when an installed package changes.
 */
export class Zygote {
  readonly process: InterpreterProcess;
  readonly #environment: Environment;
  readonly #options: ZygoteOptions;
  readonly #memory: ImportMemory;
  readonly #first: Template;
  /** All that can be forked from, the first one included. */
  #templates: Template[];
  /** Packages that could not be loaded, so that they are not tried again and again. */
  readonly #unfit = new Set<string>();
  #lastUsed: Template | undefined;
  /** Not ready yet. */
  #preparing: Template | undefined;
  #growing: Promise<void> = Promise.resolve();
  #watched: { path: string; stamp: string }[] = [];
  #isClosed = false;

  constructor(environment: Environment, options: ZygoteOptions, memory: ImportMemory) {
    this.#environment = environment;
    this.#options = options;
    this.#memory = memory;
    this.process = startInterpreter("template", options.places, environment);
    this.#first = new Template(this.process.stream, { ...this.#opening(), modules: [], own: [] });
    this.#templates = [this.#first];
    this.#first.ready.then(
      (ready) => this.#begin(ready),
      () => {}, // told to the first run
    );
  }

  /** What its first process says of itself; rejects if it doesn't start. */
  get ready(): Promise<Ready> {
    return this.#first.ready;
  }

  /** Why no run may be forked here; undefined if they may. Rejects if the interpreter doesn't start. */
  async whyUnforkable(): Promise<string | undefined> {
    return (await this.#first.ready).get("unforkable") || undefined;
  }

  /** Whether it still is what a new one would be: its process runs and no installed package has changed. */
  get isCurrent(): boolean {
    return this.#first.isOpen && this.#watched.every(({ path, stamp }) => stampOf(path) === stamp);
  }

  get isBusy(): boolean {
    return this.#templates.some(({ slots }) => slots.busyCount > 0);
  }

  /** The template to fork a snippet from. */
  async templateFor(code: string): Promise<Template> {
    await this.#first.ready;
    const usable = this.#templates.filter(({ isUsable }) => isUsable);
    // a session that is opened before its code is known: what the operator names is the best guess
    const isUnknown = code.trim() === "";
    const imports = isUnknown ? new Set(this.#options.preload) : importedPackages(code);
    const template = chooseTemplate(usable, imports) ?? this.#first;
    if (template !== this.#first && template !== this.#lastUsed) this.#prefer(template);
    return template;
  }

  /** Of the templates with libraries, the one that was used last keeps a slot ready; each costs some megabytes. */
  #prefer(template: Template): void {
    this.#lastUsed = template;
    for (const other of this.#templates)
      if (other !== this.#first) other.slots.keepAhead(other === template ? 1 : 0);
  }

  /**
   * Takes note of what a snippet imported.
   *
   * @param imports installed packages that were imported in the run, also by other packages
   */
  learn(code: string, imports: readonly string[]): void {
    const named = importedPackages(code);
    if (named.size === 0) return;
    const installed = imports.filter((name) => named.has(name) && isForkSafe(name));
    const fresh = [...installed, ...standardModules(named)].filter(
      (name) => !this.#unfit.has(name),
    );
    if (fresh.length > 0 && this.#memory.add(fresh)) this.#grow();
  }

  close(): void {
    this.#isClosed = true;
    this.#memory.save();
    this.#preparing?.close(); // the first template would wait for it
    for (const template of this.#templates.toReversed()) template.close();
  }

  #begin(ready: Ready): void {
    const folders = ready.get("package_folders")?.split("\0").filter(Boolean) ?? [];
    const prefix = ready.get("prefix") ?? "";
    const paths = [...folders, join(prefix, "pyvenv.cfg"), this.#environment.python];
    this.#watched = paths.map((path) => ({ path, stamp: stampOf(path) }));
    if (ready.get("unforkable")) return;
    this.#first.slots.keepAhead(1);
    setTimeout(() => this.#grow(), PRELOAD_DELAY_MS).unref();
  }

  /** Brings the tree to what has been learned, one template after the other. */
  #grow(): void {
    this.#growing = this.#growing.then(async () => {
      const learned = this.#memory.packages.filter((name) => !this.#unfit.has(name));
      const named = this.#options.preload.filter((name) => !this.#unfit.has(name));
      const plan = planTemplates(learned, named);
      for (const planned of plan) {
        if (this.#isClosed) return;
        if (this.#find(planned.modules) === undefined) await this.#add(planned);
      }
      this.#retire(plan);
    });
  }

  async #add({ modules, own, parent }: PlannedTemplate): Promise<void> {
    const from = this.#find(parent);
    if (from === undefined) return; // it could not be loaded, and neither can what builds on it
    const template = from.fork({ ...this.#opening(), modules, own });
    this.#preparing = template;
    void template.ended.then(() => this.process.folder.giveNameBack(template.socketPath));
    try {
      const ready = await template.ready;
      const failed = ready.get("failed");
      if (failed)
        throw new UnfitError(
          failed.split("\n").map((line) => line.split(":", 1)[0] ?? ""),
          failed,
        );
      const unforkable = ready.get("unforkable");
      if (unforkable) throw new UnfitError(own, unforkable);
      this.#memory.noteCosts(ready.get("imported") ?? "");
      if (this.#lastUsed === undefined) template.slots.keepAhead(1);
      this.#templates.push(template);
      void template.ended.then(() => this.#remove(template));
    } catch (error) {
      template.close();
      if (this.#isClosed) return;
      const suspects = error instanceof UnfitError ? error.packages : own;
      if (suspects.length > 1 && suspects.length === own.length) {
        await this.#addOneByOne({ modules, own, parent });
        return;
      }
      for (const name of suspects) this.#unfit.add(name);
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.warn(
        { packages: suspects, reason },
        "not preloaded; runs import it themselves",
      );
      this.#grow(); // without it
    }
  }

  /** Finds out which of several packages is the unfit one: those that can be loaded alone stay wanted. */
  async #addOneByOne({ own, parent }: PlannedTemplate): Promise<void> {
    for (const name of own) {
      if (this.#find([...parent, name]) !== undefined) continue;
      await this.#add({ modules: [...parent, name], own: [name], parent });
    }
    // together they can't be loaded, though each can alone: the second of two is left out
    const isOneUnfit = own.some((name) => this.#unfit.has(name));
    if (!isOneUnfit) for (const name of own.slice(1)) this.#unfit.add(name);
    this.#grow();
  }

  /** Ends templates that are no part of the plan any more, once no run goes on in them. */
  #retire(plan: readonly PlannedTemplate[]): void {
    const wanted = new Set(plan.map(({ modules }) => modules.join()));
    for (const template of this.#templates.toReversed()) {
      const isWanted = template === this.#first || wanted.has(template.modules.join());
      if (!isWanted && template.slots.busyCount === 0) template.close();
    }
  }

  #find(modules: readonly string[]): Template | undefined {
    return this.#templates.find(
      (template) => template.isUsable && template.modules.join() === modules.join(),
    );
  }

  #remove(template: Template): void {
    this.#templates = this.#templates.filter((other) => other !== template);
  }

  #opening(): { socketPath: string; maxSlots: number } {
    return { socketPath: this.process.folder.takeName(), maxSlots: this.#options.maxSlots };
  }
}

/** Packages that can't be part of a template. */
class UnfitError extends Error {
  readonly packages: readonly string[];

  constructor(packages: readonly string[], reason: string) {
    super(reason);
    this.packages = packages;
  }
}

/** What changes when something is installed, removed or made anew at a path. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}`;
}
