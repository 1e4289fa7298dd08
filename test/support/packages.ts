/** Environments with packages for tests: real installers, wheels made by the tests, and folders of the test's own. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { PyExecutorError } from "../../src/errors.ts";
import { BasePythons } from "../../src/interpreter/base-python.ts";
import { createInterpreterFinder, type Interpreter } from "../../src/interpreter/discover.ts";
import {
  PackageEnvironments,
  type PackageEnvironmentsOptions,
  type ProvidedPackages,
} from "../../src/interpreter/package-environments.ts";
import { readPackageWish } from "../../src/interpreter/package-wish.ts";
import { makeTestFolder, type TestFolder } from "./test-folder.ts";
import { makeWheel } from "./wheelhouse.ts";

export const MIB = 1024 ** 2;
const { findDefault } = createInterpreterFinder(undefined);
/** Settings of installers that this machine may have are none of the tests'. */
export const machine: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:PIP_(?!CERT$)|UV_)/.test(name)),
);

/** What one test has. */
export interface PackagesUnderTest {
  folder: TestFolder;
  /** A folder with wheels. */
  wheels: string;
  /** Where environments are kept: another folder for each test. */
  cache: string;
  python: Interpreter;
  /** What one server has. It takes packages from the wheels unless told otherwise, and is closed after the test. */
  open(
    options?: Partial<PackageEnvironmentsOptions> & { writable?: string[] },
  ): PackageEnvironments;
  provide(
    environments: PackageEnvironments,
    packages: readonly string[],
    options?: Parameters<PackageEnvironments["provide"]>[2] & { found?: Interpreter },
  ): Promise<ProvidedPackages>;
  /** The variables of an operator with the folder of wheels instead of an index. */
  fromWheels(): NodeJS.ProcessEnv;
  /** Keys of the environments that are whole. */
  readyKeys(): string[];
  /** What is noted of one. */
  readReady(key: string): { requirements: string[] };
  /** All that lies in the folder of environments, down to the builds; random names as dots. */
  cached(): string[];
}

/** Makes folders and wheels before the tests of a file, and closes what they opened. */
export function usePackages(): PackagesUnderTest {
  let opened: PackageEnvironments[] = [];
  const folder = makeTestFolder();
  const wheels = join(folder.path, "wheels");
  const under: PackagesUnderTest = {
    folder,
    wheels,
    cache: "",
    python: { python: "", virtualEnv: undefined, why: "" },
    open({ writable = [], ...others } = {}) {
      const environments = new PackageEnvironments({
        folder: under.cache,
        allowBuild: false,
        installTimeout: 60,
        maxSpace: 1024 * MIB,
        basePythons: new BasePythons(writable, findDefault),
        variables: under.fromWheels(),
        ...others,
      });
      opened.push(environments);
      return environments;
    },
    async provide(environments, packages, options = {}) {
      const request = { code: "", argument: "code", packages };
      const wish = await readPackageWish(request, { mode: "any", listed: [] });
      if (wish === undefined) throw new Error("nothing is wished for");
      return environments.provide(wish, options.found ?? under.python, options);
    },
    fromWheels: () => ({ ...machine, PIP_NO_INDEX: "1", PIP_FIND_LINKS: wheels }),
    readyKeys: () =>
      readdirSync(under.cache).filter((key) => existsSync(join(under.cache, key, "ready.json"))),
    readReady: (key) => JSON.parse(readFileSync(join(under.cache, key, "ready.json"), "utf8")),
    cached: () =>
      existsSync(under.cache)
        ? readdirSync(under.cache).flatMap((key) =>
            readdirSync(join(under.cache, key)).map((name) => name.replace(/[0-9a-f]{12}/g, "…")),
          )
        : [],
  };
  beforeAll(async () => {
    mkdirSync(wheels);
    makeWheel(wheels, { name: "alpha", version: "1.0", requires: ["beta>=1"] });
    makeWheel(wheels, { name: "beta", version: "1.5", code: "value = 'of beta'" });
    under.python = await findDefault();
  });
  beforeEach(() => {
    under.cache = join(folder.path, "cache", String(process.hrtime.bigint()));
  });
  afterEach(async () => {
    await Promise.all(opened.map((one) => one.close()));
    opened = [];
  });
  afterAll(() => folder.remove());
  return under;
}

export async function refusal(outcome: Promise<unknown>): Promise<PyExecutorError> {
  const error: unknown = await outcome.catch((reason: unknown) => reason);
  if (error instanceof PyExecutorError) return error;
  throw new Error(`not refused: ${String(error)}`);
}

/** What code prints that an environment's Python runs. */
export function evaluate({ interpreter }: ProvidedPackages, code: string): string {
  return execFileSync(interpreter.python, ["-I", "-c", code], { encoding: "utf8" }).trim();
}
