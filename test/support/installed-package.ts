/** A global setup of vitest: packs the package as it would be published, and installs it, once for all test files. */
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { npmProgram, root, run } from "../../scripts/process.mjs";

/** Where the package was installed; all paths are absolute. */
export interface InstalledPackage {
  /** A project whose only dependency is the package. */
  readonly folder: string;
  /** The script that `bin` names. */
  readonly cli: string;
  /** Holds the programs that npm made for `bin`. */
  readonly bin: string;
}

declare module "vitest" {
  interface ProvidedContext {
    installed: InstalledPackage;
  }
}

export async function setup({ provide }: TestProject): Promise<() => void> {
  if (!existsSync(join(root, "dist", "cli.js"))) {
    throw new Error("There is no dist to pack. Run `npm test`, or `node scripts/build.mjs` first.");
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "py-executor-installed-")));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await install(await pack(folder), folder);
  } catch (error) {
    remove();
    throw error;
  }
  const modules = join(folder, "node_modules");
  provide("installed", {
    folder,
    cli: join(modules, "py-executor", "dist", "cli.js"),
    bin: join(modules, ".bin"),
  });
  return remove;
}

async function pack(folder: string): Promise<string> {
  await npm("pack", "--silent", "--pack-destination", folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no tarball.");
  return join(folder, tarball);
}

async function install(tarball: string, folder: string): Promise<void> {
  const project = { name: "uses-py-executor", private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(project));
  // Only what npm has not in its cache yet, from `npm ci`, is asked for.
  const quick = ["--prefer-offline", "--no-audit", "--no-fund"];
  await npm("install", "--prefix", folder, ...quick, tarball);
}

async function npm(...args: string[]): Promise<void> {
  const { ok, how, output } = await run([...npmProgram(), ...args], { capture: true });
  if (!ok) throw new Error(`npm ${args[0]} failed (${how}):\n${output}`);
}
