import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

/** Packages that are remembered for one environment. */
const MAX_PACKAGES = 64;
/** New packages come together with what they cost a little later: one write for all that is learned meanwhile. */
const SAVE_DELAY_MS = 2000;

const schema = z.object({ packages: z.record(z.string(), z.number().nullable()) });

/**
 * What the code of one workspace has imported, remembered in the user's cache folder between starts.
 *
 * What is learned is written some seconds later, and by {@link save} at the end.
 */
export class ImportMemory {
  readonly #file: string;
  /** What each package costs to import, in milliseconds; null if that isn't known yet. */
  readonly #costs: Map<string, number | null>;
  #saveTimer: NodeJS.Timeout | undefined;

  /**
   * @param key what the memory is of: interpreter and workspace
   * @param folder the cache folder of py-executor
   */
  constructor(key: string, folder: string) {
    this.#file = join(
      folder,
      "imports",
      `${createHash("sha256").update(key).digest("hex").slice(0, 24)}.json`,
    );
    this.#costs = new Map(Object.entries(read(this.#file)));
  }

  get packages(): string[] {
    return [...this.#costs.keys()];
  }

  /** Adds packages; returns whether one of them is new. Beyond the bound nothing is. */
  add(packages: readonly string[]): boolean {
    const before = this.#costs.size;
    for (const name of packages) {
      if (!this.#costs.has(name) && this.#costs.size < MAX_PACKAGES) this.#costs.set(name, null);
    }
    const isNew = this.#costs.size > before;
    if (isNew) this.#saveSoon();
    return isNew;
  }

  /** @param costs `name=milliseconds`, separated by commas */
  noteCosts(costs: string): void {
    for (const cost of costs.split(",")) {
      const [name = "", milliseconds] = cost.split("=");
      if (!this.#costs.has(name) || milliseconds === undefined) continue;
      this.#costs.set(name, Number(milliseconds));
      this.#saveSoon();
    }
  }

  /** Writes what is not written yet. */
  save(): void {
    if (this.#saveTimer === undefined) return;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    try {
      mkdirSync(join(this.#file, ".."), { recursive: true, mode: 0o700 });
      const draft = `${this.#file}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify({ packages: Object.fromEntries(this.#costs) })}\n`, {
        mode: 0o600,
      });
      renameSync(draft, this.#file);
    } catch {
      // a memory that can't be kept is learned anew at the next start
    }
  }

  #saveSoon(): void {
    this.#saveTimer ??= setTimeout(() => this.save(), SAVE_DELAY_MS).unref();
  }
}

/** Where this user's programs keep what they can make again (XDG Base Directory Specification). */
export function cacheFolder(variables: NodeJS.ProcessEnv): string {
  const xdg = variables["XDG_CACHE_HOME"];
  return join(xdg?.startsWith("/") ? xdg : join(homedir(), ".cache"), "py-executor");
}

function read(file: string): Record<string, number | null> {
  try {
    return schema.parse(JSON.parse(readFileSync(file, "utf8"))).packages;
  } catch {
    return {};
  }
}
