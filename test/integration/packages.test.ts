/** Environments with packages: made by real installers, from wheels that the tests make, and from the real index. */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PyExecutorError } from "../../src/errors.ts";
import { BasePythons } from "../../src/interpreter/base-python.ts";
import { createInterpreterFinder, type Interpreter } from "../../src/interpreter/discover.ts";
import {
  PackageEnvironments,
  type PackageEnvironmentsOptions,
  type ProvidedPackages,
} from "../../src/interpreter/package-environments.ts";
import { readPackageWish } from "../../src/interpreter/package-wish.ts";
import { eventually } from "../support/eventually.ts";
import { isAlive, processesMentioning } from "../support/processes.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { makeSourceOnly, makeWheel, startIndex, type TestIndex } from "../support/wheelhouse.ts";

const MIB = 1024 ** 2;
const { findDefault } = createInterpreterFinder(undefined);
/** Settings of installers that this machine may have are none of the tests'. */
const machine = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:PIP_(?!CERT$)|UV_)/.test(name)),
);

let folder: TestFolder;
let wheels: string;
let cache: string;
let index: TestIndex;
let python: Interpreter;
let opened: PackageEnvironments[] = [];

beforeAll(async () => {
  folder = makeTestFolder();
  wheels = join(folder.path, "wheels");
  mkdirSync(wheels);
  makeWheel(wheels, { name: "alpha", version: "1.0", requires: ["beta>=1"] });
  makeWheel(wheels, { name: "beta", version: "1.5", code: "value = 'of beta'" });
  makeWheel(wheels, { name: "gamma", size: 2 * MIB });
  makeWheel(wheels, { name: "delta", size: 2 * MIB });
  makeWheel(wheels, { name: "huge", size: 9 * MIB });
  index = await startIndex(wheels);
  python = await findDefault();
});
beforeEach(() => {
  cache = join(folder.path, "cache", String(process.hrtime.bigint()));
});
afterEach(async () => {
  index.resume();
  await Promise.all(opened.map((one) => one.close()));
  opened = [];
});
afterAll(() => {
  index.close();
  folder.remove();
});

/** The variables of an operator with a folder of wheels instead of an index. */
function fromWheels(): NodeJS.ProcessEnv {
  return { ...machine, PIP_NO_INDEX: "1", PIP_FIND_LINKS: wheels };
}

/** The variables of an operator with an index of his own; nothing comes from pip's cache. */
function fromIndex(): NodeJS.ProcessEnv {
  return { ...machine, PIP_INDEX_URL: index.url, PIP_NO_CACHE_DIR: "1" };
}

/** What one server has. */
function open(
  options: Partial<PackageEnvironmentsOptions> & { writable?: string[] } = {},
): PackageEnvironments {
  const { writable = [], ...others } = options;
  const environments = new PackageEnvironments({
    ...{ folder: cache, allowBuild: false, installTimeout: 60, maxSpace: 1024 * MIB },
    ...{ basePythons: new BasePythons(writable, findDefault), variables: fromWheels() },
    ...others,
  });
  opened.push(environments);
  return environments;
}

async function provide(
  environments: PackageEnvironments,
  packages: readonly string[],
  options: Parameters<PackageEnvironments["provide"]>[2] & { found?: Interpreter } = {},
): Promise<ProvidedPackages> {
  const request = { code: "", argument: "code", packages };
  const wish = await readPackageWish(request, { mode: "any", listed: [] });
  if (wish === undefined) throw new Error("nothing is wished for");
  return environments.provide(wish, options.found ?? python, options);
}

async function refusal(outcome: Promise<unknown>): Promise<PyExecutorError> {
  const error: unknown = await outcome.catch((reason: unknown) => reason);
  if (error instanceof PyExecutorError) return error;
  throw new Error(`not refused: ${String(error)}`);
}

function evaluate({ interpreter }: ProvidedPackages, code: string): string {
  return execFileSync(interpreter.python, ["-I", "-c", `${code}`], { encoding: "utf8" }).trim();
}

/** The environments that are whole. */
function readyKeys(): string[] {
  return readdirSync(cache).filter((key) => existsSync(join(cache, key, "ready.json")));
}

/** All that lies in the folder of environments, down to the builds. */
function cached(): string[] {
  if (!existsSync(cache)) return [];
  return readdirSync(cache).flatMap((key) =>
    readdirSync(join(cache, key)).map((name) => name.replace(/[0-9a-f]{12}/g, "…")),
  );
}

const WHOLE = ["b-…", "ready.json"];

describe("packages from wheels", () => {
  test("are there with what they depend on, and the answer says what was done", async () => {
    const lines: string[] = [];
    const onLine = (line: string): void => void lines.push(line);
    const provided = await provide(open(), ["Alpha >= 1.0"], { onLine });
    expect(evaluate(provided, "import alpha, beta; print(beta.value)")).toBe("of beta");
    expect(provided.notes).toEqual([
      expect.stringMatching(
        /^Installed alpha>=1\.0 with pip in \d+\.\d s; kept for the next time\.$/,
      ),
    ]);
    expect(lines[0]).toBe("Installing alpha>=1.0 with pip");
    expect(lines).toContainEqual(expect.stringContaining("Successfully installed"));
    const { virtualEnv } = provided.interpreter;
    expect(readFileSync(join(virtualEnv ?? "", "pyvenv.cfg"), "utf8")).toContain("home = ");
    provided.release();
    expect(cached()).toEqual(WHOLE);
  });

  test("are compiled already, since runs may not write where they are", async () => {
    const provided = await provide(open(), ["beta"]);
    const cachedFile = evaluate(provided, "import beta; print(beta.__cached__)");
    expect(existsSync(cachedFile)).toBe(true);
    provided.release();
  });

  test("come from the cache the second time, without an index, in another server too", async () => {
    (await provide(open(), ["alpha", "beta"])).release();
    const offline = { ...machine, PIP_NO_INDEX: "1" };
    const again = await provide(open({ variables: offline }), ["beta", "ALPHA", "alpha"]);
    expect(again.notes).toEqual([]);
    expect(evaluate(again, "import alpha; print(alpha.value)")).toBe("1");
    again.release();
  });

  test("are made anew where the environment's Python is gone", async () => {
    const first = await provide(open(), ["beta"]);
    first.release();
    rmSync(first.interpreter.python);
    const second = await provide(open(), ["beta"]);
    expect(second.interpreter.python).not.toBe(first.interpreter.python);
    expect(evaluate(second, "import beta; print(beta.value)")).toBe("of beta");
    second.release();
  });

  test("say so where code no longer sees its .venv", async () => {
    const found = { ...python, virtualEnv: "/work/.venv" };
    const provided = await provide(open(), ["beta"], { found });
    expect(provided.notes[0]).toMatch(/not what is in \/work\/\.venv/);
    provided.release();
  });

  test("run no code of theirs while they are installed", async () => {
    const trace = join(folder.path, "pth-ran");
    const files = { "evil.pth": `import os; open(${JSON.stringify(trace)}, 'w').close()\n` };
    makeWheel(wheels, { name: "evil", files });
    const provided = await provide(open(), ["evil"]);
    expect(existsSync(trace)).toBe(false);
    execFileSync(provided.interpreter.python, ["-c", "pass"]);
    expect(existsSync(trace)).toBe(true); // so it would have been seen
    provided.release();
  });
});

describe("what can't be installed is refused with a reason, and leaves nothing", () => {
  test.each([
    ["a name that doesn't exist", "no-such-package-zz-41c7", /no-such-package-zz-41c7/],
    ["a version that doesn't exist", "beta==99", /beta==99[^]*1\.5/],
  ])("%s", async (_, wanted, words) => {
    const error = await refusal(provide(open(), [wanted]));
    expect(error).toMatchObject({ code: "packages_failed", argument: "packages" });
    expect(error.message).toMatch(/^The code was not run: /);
    expect(error.message).toMatch(words);
    expect(error.message).toMatch(/Check the name and the version/);
    expect(cached()).toEqual([]);
  });

  test("a package without a wheel, unless the operator allows builds", async () => {
    const trace = join(folder.path, "built");
    makeSourceOnly(wheels, "sourceonly", trace);
    const error = await refusal(provide(open(), ["sourceonly"]));
    expect(error.message).toMatch(/without a wheel .* \(`--allow-build`\)/);
    expect(existsSync(trace)).toBe(false);
    const provided = await provide(open({ allowBuild: true }), ["sourceonly"]);
    expect(existsSync(trace)).toBe(true);
    expect(evaluate(provided, "import sourceonly; print(sourceonly.value)")).toBe("1");
    provided.release();
  });

  test("passwords of an index are not repeated", async () => {
    const url = index.url.replace("//", "//user:hunter2@");
    const variables = { ...fromIndex(), PIP_INDEX_URL: url, PIP_VERBOSE: "1" };
    const lines: string[] = [];
    const onLine = (line: string): void => void lines.push(line);
    const error = await refusal(provide(open({ variables }), ["nothing-here"], { onLine }));
    expect([...lines, error.message].join("\n")).not.toMatch(/hunter2/);
  });

  test("an installation that takes too long", async () => {
    index.stall();
    const environments = open({ variables: fromIndex(), installTimeout: 4 });
    const error = await refusal(provide(environments, ["beta"]));
    expect(error.message).toMatch(
      /not done after 4 s, the operator's limit \(`--install-timeout`\)/,
    );
    expect(cached()).toEqual([]);
    expect(processesMentioning(cache)).toEqual([]);
  });
});

describe("one build for all who want the same", () => {
  test("in one server and in two at once", async () => {
    index.fetched.length = 0;
    const [one, other] = [open({ variables: fromIndex() }), open({ variables: fromIndex() })];
    const all = await Promise.all([
      provide(one, ["beta"]),
      provide(one, ["beta"]),
      provide(other, ["beta"]),
    ]);
    expect(index.fetched).toHaveLength(1);
    expect(new Set(all.map(({ interpreter }) => interpreter.python)).size).toBe(1);
    const notes = all.flatMap((provided) => provided.notes).toSorted();
    expect(notes).toEqual([
      expect.stringMatching(/^Installed beta/),
      expect.stringMatching(/^Installed beta/),
      expect.stringMatching(/^Waited .* for another server/),
    ]);
    for (const { release } of all) release();
    expect(cached()).toEqual(WHOLE);
  });

  test("goes on when who asked for it no longer waits", async () => {
    index.stall();
    const environments = open({ variables: fromIndex() });
    const caller = new AbortController();
    index.fetched.length = 0;
    const outcome = provide(environments, ["beta"], { signal: caller.signal });
    await eventually(() => index.fetched.length > 0);
    caller.abort();
    await expect(outcome).rejects.toThrow(/abort/);
    index.resume();
    const provided = await provide(environments, ["beta"]);
    expect(index.fetched).toHaveLength(1);
    provided.release();
  });

  test("is ended, with its processes, when the server closes", async () => {
    index.stall();
    const environments = open({ variables: fromIndex() });
    index.fetched.length = 0;
    const outcome = refusal(provide(environments, ["beta"]));
    await eventually(() => index.fetched.length > 0);
    await environments.close();
    expect((await outcome).code).toBe("closed");
    expect(processesMentioning(cache)).toEqual([]);
    expect(cached()).toEqual([]);
  });
});

describe("a server that is killed in mid-install", () => {
  let program: string;

  beforeAll(async () => {
    program = join(folder.path, "install-packages.mjs");
    const requireOfBundle = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;
    await build({
      entryPoints: [new URL("../support/programs/install-packages.ts", import.meta.url).pathname],
      ...{ outfile: program, bundle: true, platform: "node", format: "esm", logLevel: "error" },
      banner: { js: requireOfBundle },
    });
  });

  test("leaves nothing that counts, and the next one builds anew and cleans up", async () => {
    index.stall();
    index.fetched.length = 0;
    const server = spawn(process.execPath, [program, cache, "alpha"], {
      env: fromIndex(),
      stdio: "ignore",
    });
    await eventually(() => index.fetched.length > 0);
    const installers = processesMentioning(cache).filter(({ pid }) => pid !== server.pid);
    expect(installers).not.toEqual([]);
    server.kill("SIGKILL");
    await eventually(() => !isAlive(server.pid ?? 0));
    for (const { pid } of installers) process.kill(pid, "SIGKILL");
    index.resume();
    expect(readyKeys()).toEqual([]);
    expect(cached()).toContain("lock");
    // what it held counts for nothing after a while; here, at once
    for (const key of readdirSync(cache)) {
      for (const name of readdirSync(join(cache, key))) utimesSync(join(cache, key, name), 1, 1);
    }
    const provided = await provide(open({ variables: fromIndex() }), ["alpha"]);
    expect(evaluate(provided, "import alpha, beta; print(beta.value)")).toBe("of beta");
    provided.release();
    expect(cached()).toEqual(WHOLE);
  });
});

describe("the space for packages", () => {
  /** An environment with nothing in it takes some files of its own. */
  const maxSpace = 5 * MIB;

  test("is kept by removing what was not used for the longest time", async () => {
    const environments = open({ maxSpace });
    for (const [name, seconds] of [
      ["gamma", 1000],
      ["beta", 2000],
    ] as const) {
      (await provide(environments, [name])).release();
      const [key = ""] = readyKeys().filter((one) => readReady(one).requirements[0] === name);
      utimesSync(join(cache, key, "ready.json"), seconds, Date.now() / 1000 - 4000 + seconds);
    }
    (await provide(environments, ["gamma"])).release(); // used again: now beta is the older one
    (await provide(environments, ["delta", "beta"])).release();
    const kept = readyKeys().map((key) => readReady(key).requirements.join());
    expect(kept.toSorted()).toEqual(["beta,delta", "gamma"]);
  });

  test("is not made by removing what is in use", async () => {
    const environments = open({ maxSpace: 4 * MIB });
    const inUse = await provide(environments, ["gamma"]);
    const error = await refusal(provide(open({ maxSpace: 4 * MIB }), ["delta"]));
    expect(error.message).toMatch(/in use .* \(`--max-package-space`\)/);
    expect(evaluate(inUse, "import gamma; print(gamma.value)")).toBe("1");
    inUse.release();
    (await provide(environments, ["delta"])).release();
    expect(readyKeys().map((key) => readReady(key).requirements)).toEqual([["delta"]]);
  });

  test("does not take what is larger than all of it", async () => {
    const error = await refusal(provide(open({ maxSpace }), ["huge"]));
    expect(error.message).toMatch(/it takes \d+ MiB of at most 5 MiB \(`--max-package-space`\)/);
    expect(cached()).toEqual([]);
  });

  test("is freed of what nobody has used for a month", async () => {
    (await provide(open(), ["gamma"])).release();
    const [key = ""] = readyKeys();
    utimesSync(join(cache, key, "ready.json"), 1, Date.now() / 1000 - 31 * 24 * 3600);
    (await provide(open(), ["beta"])).release();
    expect(readyKeys().map((one) => readReady(one).requirements)).toEqual([["beta"]]);
    expect(existsSync(join(cache, key))).toBe(false);
  });

  test("is only this user's to enter", async () => {
    (await provide(open(), ["beta"])).release();
    const [key = ""] = readyKeys();
    expect(statSync(join(cache, key)).mode & 0o077).toBe(0);
  });

  function readReady(key: string): { requirements: string[] } {
    return JSON.parse(readFileSync(join(cache, key, "ready.json"), "utf8"));
  }
});

describe("programs that a run may have written are not started outside of containment", () => {
  test("neither a .venv's Python nor a uv on PATH", async () => {
    const trace = join(folder.path, "started");
    const script = `#!/bin/sh\ntouch ${trace}\n`;
    const venv = join(folder.workspace, ".venv");
    mkdirSync(join(venv, "bin"), { recursive: true });
    for (const name of ["python", "uv"]) {
      writeFileSync(join(venv, "bin", name), script);
      chmodSync(join(venv, "bin", name), 0o755);
    }
    const PATH = [join(venv, "bin"), "node_modules/.bin", machine["PATH"]].join(delimiter);
    const environments = open({
      writable: [folder.workspace],
      variables: {
        ...machine,
        PATH,
        UV_NO_INDEX: "1",
        UV_FIND_LINKS: wheels,
        PIP_FIND_LINKS: wheels,
        PIP_NO_INDEX: "1",
      },
    });
    const found = { python: join(venv, "bin", "python"), virtualEnv: venv, why: "" };
    const provided = await provide(environments, ["beta"], { found });
    expect(evaluate(provided, "import beta; print(beta.value)")).toBe("of beta");
    expect(existsSync(trace)).toBe(false);
    provided.release();
  });

  test("and a .venv's link to a Python elsewhere is followed", async () => {
    const found = { ...python, python: join(folder.workspace, "python") };
    symlinkSync(python.python, found.python);
    const base = await new BasePythons([folder.workspace], () => Promise.reject()).behind(found);
    expect(base.version).toMatch(/^3\.\d+\.\d+$/);
    expect(dirname(base.python)).not.toBe(folder.workspace);
  });
});

test("a snippet that requires another Python is refused", async () => {
  const code = '# /// script\n# requires-python = ">=3.99"\n# ///\n';
  const wish = await readPackageWish({ code, argument: "code" }, { mode: "any", listed: [] });
  if (wish === undefined) throw new Error("nothing is wished for");
  const error = await refusal(open().provide(wish, python));
  expect(error.message).toMatch(
    /^`code, line 2`: the snippet requires Python >=3\.99, and this one is 3\./,
  );
});

describe("the real index", () => {
  let tools: string;

  beforeAll(async () => {
    tools = join(folder.path, "tools");
    const variables = { ...machine };
    const environments = open({ folder: tools, variables });
    const provided = await provide(environments, ["uv"]);
    tools = join(provided.interpreter.virtualEnv ?? "", "bin");
    provided.release();
  }, 120_000);

  test("gives pip a package", async () => {
    const provided = await provide(open({ variables: { ...machine } }), ["cowsay"]);
    expect(provided.notes[0]).toMatch(/with pip/);
    expect(
      evaluate(provided, "import cowsay; print(cowsay.get_output_string('cow', 'moo'))"),
    ).toMatch(/moo/);
    provided.release();
  });

  test("gives uv a package, compiled; and says what it doesn't have", async () => {
    const PATH = [tools, machine["PATH"]].join(delimiter);
    const environments = open({ variables: { ...machine, PATH } });
    const provided = await provide(environments, ["cowsay"]);
    expect(provided.notes[0]).toMatch(/with uv/);
    expect(existsSync(evaluate(provided, "import cowsay; print(cowsay.__cached__)"))).toBe(true);
    provided.release();
    const error = await refusal(provide(environments, ["no-such-package-zz-41c7"]));
    expect(error.message).toMatch(/with uv:[^]*no-such-package-zz-41c7[^]*Check the name/);
    const pinned = await refusal(provide(environments, ["cowsay==999"]));
    expect(pinned.message).toMatch(/cowsay==999[^]*Check the name and the version/);
  });

  test("is not asked by uv where the operator has set one for pip only", async () => {
    const PATH = [tools, machine["PATH"]].join(delimiter);
    const provided = await provide(open({ variables: { ...fromWheels(), PATH } }), ["beta"]);
    expect(provided.notes[0]).toMatch(/with pip/);
    provided.release();
  });
});
