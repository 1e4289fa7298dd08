/** What `py-executor doctor` says of packages, and of the files of projects. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { venvPython } from "../../scripts/python.mjs";
import { assertSuccess, runCommand } from "../support/run-command.ts";
import { serverCommand } from "../support/server.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { makeWheel } from "../support/wheelhouse.ts";

/** Without this machine's settings of installers: what is empty counts as not set. */
const unset = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^(?:PIP|UV)_/.test(name))
    .map((name) => [name, ""]),
);
let folder: TestFolder;

beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => folder.remove());

/** Runs a command of the program with the folder's own home, where no uv is, and its own cache. */
async function pyExecutor(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<string> {
  const own = {
    HOME: folder.path,
    TMPDIR: folder.temp,
    XDG_CACHE_HOME: join(folder.path, "cache"),
  };
  const { command } = serverCommand(folder, false);
  const end = await runCommand([...command, ...args, "--workspace", folder.workspace], {
    cwd: folder.workspace,
    env: { ...unset, ...own, ...variables },
  });
  assertSuccess(end);
  return end.stdout;
}

/** Puts a program called uv into a folder, which is never to be started. */
function makeUv(where: string): string {
  mkdirSync(where, { recursive: true });
  writeFileSync(join(where, "uv"), "#!/bin/sh\nexit 1\n");
  chmodSync(join(where, "uv"), 0o755);
  return where;
}

const BASE = ["doctor", "--python", venvPython];

describe("doctor", () => {
  test("names the files of a project, and says that nothing is installed from them", async () => {
    for (const name of ["uv.lock", "pyproject.toml", "other.toml"])
      writeFileSync(join(folder.workspace, name), "");
    const without = await pyExecutor(BASE);
    expect(without).toMatch(/project files: uv\.lock, pyproject\.toml\n +→ nothing is installed/);
    expect(without).toContain("make a .venv");
  });

  test("says nothing of a project where there is none", async () => {
    expect(await pyExecutor(BASE)).not.toContain("project files");
  });

  test("says that packages are installed by pip, and why not by uv", async () => {
    const folders = (process.env["PATH"] ?? "").split(delimiter);
    const others = folders.filter((one) => !existsSync(join(one, "uv")));
    const PATH = [makeUv(folder.workspace), ...others].join(delimiter); // where code may write: not taken
    const said = await pyExecutor(BASE, { PATH });
    expect(said).toMatch(
      /asked for: any; installed by venv and pip of \/.*python3.*\n +→ there is no uv/,
    );
  });

  test("names the uv that installs packages", async () => {
    const tools = makeUv(join(folder.path, "tools"));
    const PATH = [tools, process.env["PATH"]].join(delimiter);
    const forUv = { PATH, UV_OFFLINE: "1" }; // whatever the machine has set for pip
    expect(await pyExecutor(BASE, forUv)).toContain(`installed by uv ${tools}/uv`);
    const said = await pyExecutor(BASE, { PATH, PIP_INDEX_URL: "http://127.0.0.1:9/simple" });
    expect(said).toContain(`an index is set for pip and none for ${tools}/uv`);
  });

  test("says where packages are kept, how many, and how much there may be", async () => {
    const packages = join(folder.path, "cache", "py-executor", "packages");
    expect(await pyExecutor([...BASE, "--max-package-space", "3G"])).toContain(
      `packages are kept in ${packages}: 0 environments, 0 MiB of at most 3 GiB`,
    );
    const wheels = join(folder.path, "wheels");
    mkdirSync(wheels);
    makeWheel(wheels, { name: "beta", size: 3 * 1024 ** 2 });
    const code = '# /// script\n# dependencies = ["beta"]\n# ///\nimport beta';
    await pyExecutor(["run", "-c", code], { PIP_FIND_LINKS: wheels, PIP_NO_INDEX: "1" });
    expect(await pyExecutor(BASE)).toMatch(/: 1 environment, 4 MiB of at most 5 GiB/);
  });

  test("says which packages the operator allows", async () => {
    expect(await pyExecutor([...BASE, "--packages", "none"])).toContain("none may be asked for");
    const listed = await pyExecutor([...BASE, "--package-list", "polars,NumPy"]);
    expect(listed).toContain("packages that may be asked for: polars, numpy;");
  });

  test("says where nothing can be installed, since code may write there", async () => {
    const said = await pyExecutor(BASE, { XDG_CACHE_HOME: join(folder.workspace, "cache") });
    expect(said).toMatch(/packages are kept in .*\n +→ code may write there/);
  });

  test("looks for Python where runs do, with --python-env too", async () => {
    const VIRTUAL_ENV = join(venvPython, "..", "..");
    const said = await pyExecutor(["doctor", "--python-env", "virtualenv"], { VIRTUAL_ENV });
    expect(said).toContain(`Python: ${venvPython} (the environment that VIRTUAL_ENV names)`);
  });
});
