/** Packages that a run, a batch or a map asks for: by argument, and in the code. */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createExecutor, PyExecutorError, type Executor } from "../../src/index.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { makeWheel } from "../support/wheelhouse.ts";
import { WORKERS } from "../support/workers.ts";

const BLOCK = '# /// script\n# dependencies = ["alpha"]\n# ///\n';
const USE = "import alpha, beta\n(alpha.value, beta.value)";

let folder: TestFolder;

beforeAll(() => {
  folder = makeTestFolder();
  const wheels = join(folder.path, "wheels");
  mkdirSync(wheels);
  makeWheel(wheels, { name: "alpha", requires: ["beta"] });
  makeWheel(wheels, { name: "beta", code: "value = 'of beta'" });
  vi.stubEnv("XDG_CACHE_HOME", join(folder.path, "cache"));
  vi.stubEnv("PIP_NO_INDEX", "1");
  vi.stubEnv("PIP_FIND_LINKS", wheels);
});
afterAll(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

describe.each(WORKERS)("with the $name worker", ({ options }) => {
  let executor: Executor;

  beforeAll(() => {
    executor = createExecutor({ workspace: folder.workspace, ...options });
  });
  afterAll(() => executor.close());

  test("a run has the packages that it asks for, and says who installed them", async () => {
    const lines: string[] = [];
    const run = await executor.run(
      { code: USE, packages: ["alpha"] },
      { onNotice: (line) => void lines.push(line) },
    );
    expect(run).toMatchObject({ status: "ok", result: "(1, 'of beta')", stdout: "", stderr: "" });
    expect(run.executable).toContain(join(folder.path, "cache", "py-executor", "packages"));
    if (run.notes === undefined) return; // the other worker's test has had them installed
    expect(run.notes.join()).toMatch(/Installed alpha with pip in/);
    expect(lines.join()).toMatch(/Successfully installed/);
  });

  test("a run that asks for none has none of them", async () => {
    const run = await executor.run({ code: USE });
    expect(run.status).toBe("error");
    expect(run.notes?.join()).toMatch(/`alpha` is not installed.*`packages: \["alpha"\]`/);
  });

  test("the block in the code does the same as the argument", async () => {
    const run = await executor.run({ code: BLOCK + USE });
    expect(run).toMatchObject({ status: "ok", result: "(1, 'of beta')" });
  });

  test("each snippet of a batch has its own, besides what all have", async () => {
    const codes = [BLOCK + USE, "import beta\nimport alpha", "import beta\nbeta.value"];
    const runs = await executor.runBatch({ codes, packages: ["beta"] });
    expect(runs.map(({ status }) => status)).toEqual(["ok", "error", "ok"]);
  });

  test("the chunks of a map have them", async () => {
    const code = "import beta\n[beta.value for _ in items]";
    const { result } = await executor.runMap({ code, items: [1, 2, 3], packages: ["beta"] });
    expect(result).toEqual(["of beta", "of beta", "of beta"]);
  });

  test("what can't be installed is refused, and no code has run", async () => {
    const trace = join(folder.workspace, "ran");
    const code = `open(${JSON.stringify(trace)}, "w")`;
    const refused = executor.run({ code, packages: ["no-such-package-zz-41c7"] });
    await expect(refused).rejects.toThrow(/no-such-package-zz-41c7/);
    const codes = [code, `# /// script\n# dependencies = ["../x"]\n# ///\n`];
    await expect(executor.runBatch({ codes })).rejects.toThrow(/^`codes\[1\], line 2`/);
    expect(existsSync(trace)).toBe(false);
  });

  test("a caller that gives up in mid-install gets a cancelled run", async () => {
    const caller = new AbortController();
    const request = { code: USE, packages: ["alpha", `beta<${options.worker === "fork" ? 5 : 6}`] };
    const run = await executor.run(request, {
      signal: caller.signal,
      onNotice: () => caller.abort(),
    });
    expect(run.status).toBe("cancelled");
  });

  test("code can't change what is installed", async () => {
    const code = `import beta
try:
    open(beta.__file__, "a")
    print("opened")
except OSError as error:
    print(type(error).__name__)`;
    const run = await executor.run({ code, packages: ["beta"] });
    if (run.sandbox === "none") return;
    expect(run.stdout).toMatch(/PermissionError|OSError/);
  });
});

test("with --packages none nothing is installed, and the hint doesn't send anybody there", async () => {
  const executor = createExecutor({ workspace: folder.workspace, packages: "none" });
  try {
    await expect(executor.run({ code: "1", packages: ["beta"] })).rejects.toMatchObject({
      code: "packages_refused",
    });
    const run = await executor.run({ code: BLOCK + USE });
    expect(run.notes?.join("\n")).toMatch(/were not installed[^]*can't be asked for here/);
  } finally {
    await executor.close();
  }
});

test("where code may write to the cache nothing is installed", async () => {
  const executor = createExecutor({ workspace: folder.path });
  try {
    const error: unknown = await executor
      .run({ code: "1", packages: ["beta"] })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PyExecutorError);
    expect(String(error)).toMatch(/where code may write/);
  } finally {
    await executor.close();
  }
});

test("a server that is started later has them without an index", async () => {
  const links = process.env["PIP_FIND_LINKS"] ?? "";
  vi.stubEnv("PIP_FIND_LINKS", join(folder.path, "nothing-is-here"));
  const later = createExecutor({ workspace: folder.workspace });
  try {
    const run = await later.run({ code: USE, packages: ["alpha"] });
    expect(run).toMatchObject({ status: "ok", result: "(1, 'of beta')" });
    expect(run.notes).toBeUndefined();
    await expect(later.run({ code: USE, packages: ["alpha", "beta<7"] })).rejects.toMatchObject({
      code: "packages_failed", // so nothing could have been installed
    });
  } finally {
    vi.stubEnv("PIP_FIND_LINKS", links);
    await later.close();
  }
});

test("what was begun is not left in the cache", () => {
  const packages = join(folder.path, "cache", "py-executor", "packages");
  const names = readdirSync(packages).flatMap((key) => readdirSync(join(packages, key)));
  expect(names.filter((name) => !/^(?:b-[0-9a-f]+|ready\.json)$/.test(name))).toEqual([]);
});
