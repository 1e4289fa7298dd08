/** Environments with packages: made by a real installer from wheels that the tests make. */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BasePythons } from "../../src/interpreter/base-python.ts";
import { readPackageWish } from "../../src/interpreter/package-wish.ts";
import { eventually } from "../support/eventually.ts";
import { evaluate, machine, refusal, usePackages } from "../support/packages.ts";
import { isAlive, processesMentioning } from "../support/processes.ts";
import { makeSourceOnly, makeWheel, startIndex, type TestIndex } from "../support/wheelhouse.ts";

const under = usePackages();
let index: TestIndex;

beforeAll(async () => {
  index = await startIndex(under.wheels);
});
afterEach(() => index.resume());
afterAll(() => index.close());

/** The variables of an operator with an index of his own; nothing comes from pip's cache. */
function fromIndex(): NodeJS.ProcessEnv {
  return { ...machine, PIP_INDEX_URL: index.url, PIP_NO_CACHE_DIR: "1" };
}

const WHOLE = ["b-…", "ready.json"];

describe("packages from wheels", () => {
  test("are there with what they depend on, and the answer says what was done", async () => {
    const lines: string[] = [];
    const onLine = (line: string): void => void lines.push(line);
    const provided = await under.provide(under.open(), ["Alpha >= 1.0"], { onLine });
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
    expect(under.cached()).toEqual(WHOLE);
  });

  test("are compiled already, since runs may not write where they are", async () => {
    const provided = await under.provide(under.open(), ["beta"]);
    const cachedFile = evaluate(provided, "import beta; print(beta.__cached__)");
    expect(existsSync(cachedFile)).toBe(true);
    provided.release();
  });

  test("come from the cache the second time, without an index, in another server too", async () => {
    (await under.provide(under.open(), ["alpha", "beta"])).release();
    const offline = { ...machine, PIP_NO_INDEX: "1" };
    const again = await under.provide(under.open({ variables: offline }), [
      "beta",
      "ALPHA",
      "alpha",
    ]);
    expect(again.notes).toEqual([]);
    expect(evaluate(again, "import alpha; print(alpha.value)")).toBe("1");
    again.release();
  });

  test("are made anew where the environment's Python is gone", async () => {
    const first = await under.provide(under.open(), ["beta"]);
    first.release();
    rmSync(first.interpreter.python);
    const second = await under.provide(under.open(), ["beta"]);
    expect(second.interpreter.python).not.toBe(first.interpreter.python);
    expect(evaluate(second, "import beta; print(beta.value)")).toBe("of beta");
    second.release();
  });

  test("say so where code no longer sees its .venv", async () => {
    const found = { ...under.python, virtualEnv: "/work/.venv" };
    const provided = await under.provide(under.open(), ["beta"], { found });
    expect(provided.notes[0]).toMatch(/not what is in \/work\/\.venv/);
    provided.release();
  });

  test("run no code of theirs while they are installed", async () => {
    const trace = join(under.folder.path, "pth-ran");
    const files = { "evil.pth": `import os; open(${JSON.stringify(trace)}, 'w').close()\n` };
    makeWheel(under.wheels, { name: "evil", files });
    const provided = await under.provide(under.open(), ["evil"]);
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
    const error = await refusal(under.provide(under.open(), [wanted]));
    expect(error).toMatchObject({ code: "packages_failed", argument: "packages" });
    expect(error.message).toMatch(/^The code was not run: /);
    expect(error.message).toMatch(words);
    expect(error.message).toMatch(/Check the name and the version/);
    expect(under.cached()).toEqual([]);
  });

  test("versions that can't be had together", async () => {
    makeWheel(under.wheels, { name: "beta", version: "0.5" });
    const error = await refusal(under.provide(under.open(), ["alpha==1.0", "beta<1"]));
    expect(error).toMatchObject({ code: "packages_failed", argument: "packages" });
    expect(error.message).toMatch(/conflict[^]*alpha 1\.0 depends on beta>=1/);
    expect(under.cached()).toEqual([]);
  });

  test("a package without a wheel, unless the operator allows builds", async () => {
    const trace = join(under.folder.path, "built");
    makeSourceOnly(under.wheels, "sourceonly", trace);
    const error = await refusal(under.provide(under.open(), ["sourceonly"]));
    expect(error.message).toMatch(/without a wheel .* \(`--allow-build`\)/);
    expect(existsSync(trace)).toBe(false);
    const provided = await under.provide(under.open({ allowBuild: true }), ["sourceonly"]);
    expect(existsSync(trace)).toBe(true);
    expect(evaluate(provided, "import sourceonly; print(sourceonly.value)")).toBe("1");
    provided.release();
  });

  test("an installation that takes too long", async () => {
    index.stall();
    const environments = under.open({ variables: fromIndex(), installTimeout: 4 });
    const error = await refusal(under.provide(environments, ["beta"]));
    expect(error.message).toMatch(
      /not done after 4 s, the operator's limit \(`--install-timeout`\)/,
    );
    expect(under.cached()).toEqual([]);
    expect(processesMentioning(under.cache)).toEqual([]);
  });
});

describe("one build for all who want the same", () => {
  test("in one server and in two at once", async () => {
    index.fetched.length = 0;
    const [one, other] = [
      under.open({ variables: fromIndex() }),
      under.open({ variables: fromIndex() }),
    ];
    const all = await Promise.all([
      under.provide(one, ["beta"]),
      under.provide(one, ["beta"]),
      under.provide(other, ["beta"]),
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
    expect(under.cached()).toEqual(WHOLE);
  });

  test("goes on when who asked for it no longer waits", async () => {
    index.stall();
    const environments = under.open({ variables: fromIndex() });
    const caller = new AbortController();
    index.fetched.length = 0;
    const outcome = under.provide(environments, ["beta"], { signal: caller.signal });
    await eventually(() => index.fetched.length > 0);
    caller.abort();
    await expect(outcome).rejects.toThrow(/abort/);
    index.resume();
    const provided = await under.provide(environments, ["beta"]);
    expect(index.fetched).toHaveLength(1);
    provided.release();
  });

  test("is ended, with its processes, when the server closes", async () => {
    index.stall();
    const environments = under.open({ variables: fromIndex() });
    index.fetched.length = 0;
    const outcome = refusal(under.provide(environments, ["beta"]));
    await eventually(() => index.fetched.length > 0);
    await environments.close();
    expect((await outcome).code).toBe("closed");
    expect(processesMentioning(under.cache)).toEqual([]);
    expect(under.cached()).toEqual([]);
  });
});

describe("a server that is killed in mid-install", () => {
  let program: string;

  beforeAll(async () => {
    program = join(under.folder.path, "install-packages.mjs");
    const requireOfBundle = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;
    await build({
      entryPoints: [new URL("../support/programs/install-packages.ts", import.meta.url).pathname],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
      banner: { js: requireOfBundle },
    });
  });

  test("leaves nothing that counts, and the next one builds anew and cleans up", async () => {
    index.stall();
    index.fetched.length = 0;
    const server = spawn(process.execPath, [program, under.cache, "alpha"], {
      env: fromIndex(),
      stdio: "ignore",
    });
    await eventually(() => index.fetched.length > 0);
    const installers = processesMentioning(under.cache).filter(({ pid }) => pid !== server.pid);
    expect(installers).not.toEqual([]);
    server.kill("SIGKILL");
    await eventually(() => !isAlive(server.pid ?? 0));
    for (const { pid } of installers) process.kill(pid, "SIGKILL");
    index.resume();
    expect(under.readyKeys()).toEqual([]);
    expect(under.cached()).toContain("lock");
    // what it held counts for nothing after a while; here, at once
    for (const key of readdirSync(under.cache)) {
      for (const name of readdirSync(join(under.cache, key)))
        utimesSync(join(under.cache, key, name), 1, 1);
    }
    const provided = await under.provide(under.open({ variables: fromIndex() }), ["alpha"]);
    expect(evaluate(provided, "import alpha, beta; print(beta.value)")).toBe("of beta");
    provided.release();
    expect(under.cached()).toEqual(WHOLE);
  });
});

describe("programs that a run may have written are not started outside of containment", () => {
  test("neither a .venv's Python nor a uv on PATH", async () => {
    const trace = join(under.folder.path, "started");
    const script = `#!/bin/sh\ntouch ${trace}\n`;
    const venv = join(under.folder.workspace, ".venv");
    mkdirSync(join(venv, "bin"), { recursive: true });
    for (const name of ["python", "uv"]) {
      writeFileSync(join(venv, "bin", name), script);
      chmodSync(join(venv, "bin", name), 0o755);
    }
    const PATH = [join(venv, "bin"), "node_modules/.bin", machine["PATH"]].join(delimiter);
    const environments = under.open({
      writable: [under.folder.workspace],
      variables: {
        ...machine,
        PATH,
        UV_NO_INDEX: "1",
        UV_FIND_LINKS: under.wheels,
        PIP_FIND_LINKS: under.wheels,
        PIP_NO_INDEX: "1",
      },
    });
    const found = { python: join(venv, "bin", "python"), virtualEnv: venv, why: "" };
    const provided = await under.provide(environments, ["beta"], { found });
    expect(evaluate(provided, "import beta; print(beta.value)")).toBe("of beta");
    expect(existsSync(trace)).toBe(false);
    provided.release();
  });

  test("and a .venv's link to a Python elsewhere is followed", async () => {
    const found = { ...under.python, python: join(under.folder.workspace, "python") };
    symlinkSync(under.python.python, found.python);
    const base = await new BasePythons([under.folder.workspace], () => Promise.reject()).behind(
      found,
    );
    expect(base.version).toMatch(/^3\.\d+\.\d+$/);
    expect(dirname(base.python)).not.toBe(under.folder.workspace);
  });
});

test("a snippet that requires another Python is refused", async () => {
  const code = '# /// script\n# requires-python = ">=3.99"\n# ///\n';
  const wish = await readPackageWish({ code, argument: "code" }, { mode: "any", listed: [] });
  if (wish === undefined) throw new Error("nothing is wished for");
  const error = await refusal(under.open().provide(wish, under.python));
  expect(error.message).toMatch(
    /^`code, line 2`: the snippet requires Python >=3\.99, and this one is 3\./,
  );
});
