import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PyExecutorError } from "../../../src/errors.ts";
import { createInterpreterFinder } from "../../../src/interpreter/discover.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

/** The interpreter of this machine, behind any launcher. */
const realPython = execFileSync("python3", ["-c", "import sys; print(sys.executable)"])
  .toString()
  .trim();

let folder: TestFolder;

beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

/** A file that could be a program: discovery looks at names and modes, and starts none but launchers. */
function program(path: string, content = "\x7fELF"): string {
  const absolute = join(folder.path, path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, content, { mode: 0o755 });
  return absolute;
}

/** A shell script in the place of a program. */
function script(path: string, ...lines: readonly string[]): string {
  return program(path, ["#!/bin/sh", ...lines, ""].join("\n"));
}

function searchPath(...folders: readonly string[]): void {
  vi.stubEnv("PATH", folders.map((name) => name && join(folder.path, name)).join(delimiter));
}

/** Finds the Python of the workspace. */
function find(python?: string) {
  return createInterpreterFinder(python).find(folder.workspace);
}

async function refusalOf(finding: Promise<unknown>): Promise<PyExecutorError> {
  const outcome: unknown = await finding.catch((error: unknown) => error);
  if (outcome instanceof PyExecutorError) return outcome;
  throw new Error(`not refused: ${JSON.stringify(outcome)}`);
}

describe.skipIf(process.platform === "win32")("the .venv of the working directory", () => {
  test("goes before what was named and what is on PATH", async () => {
    const python = program("w/.venv/bin/python");
    program("bin/python3");
    searchPath("bin");
    expect(await find(realPython)).toEqual({
      python,
      virtualEnv: join(folder.workspace, ".venv"),
      why: "the .venv of the working directory",
    });
  });

  test("is used under its own name, though its Python is a link", async () => {
    mkdirSync(join(folder.workspace, ".venv/bin"), { recursive: true });
    symlinkSync(realPython, join(folder.workspace, ".venv/bin/python"));
    expect((await find()).python).toBe(join(folder.workspace, ".venv/bin/python"));
  });

  test("may be a link to an environment elsewhere", async () => {
    program("shared/bin/python");
    symlinkSync(join(folder.path, "shared"), join(folder.workspace, ".venv"));
    expect((await find()).python).toBe(join(folder.workspace, ".venv/bin/python"));
  });

  test("with the layouts of both systems is used in that of Windows", async () => {
    program("w/.venv/bin/python");
    const python = program("w/.venv/Scripts/python.exe");
    expect((await find()).python).toBe(python);
  });

  test("with a Windows Python that is not executable here is used in the other layout", async () => {
    const python = program("w/.venv/bin/python");
    chmodSync(program("w/.venv/Scripts/python.exe"), 0o644);
    expect((await find()).python).toBe(python);
  });

  test("is looked for at each call", async () => {
    const finder = createInterpreterFinder(realPython);
    expect((await finder.find(folder.workspace)).python).toBe(realPython);
    const python = program("w/.venv/bin/python");
    expect((await finder.find(folder.workspace)).python).toBe(python);
    rmSync(join(folder.workspace, ".venv"), { recursive: true });
    expect((await finder.find(folder.workspace)).python).toBe(realPython);
  });

  test("of a folder above is not used", async () => {
    program("w/.venv/bin/python");
    mkdirSync(join(folder.workspace, "below"));
    const found = await createInterpreterFinder(realPython).find(join(folder.workspace, "below"));
    expect(found.python).toBe(realPython);
  });

  const breakages: Record<string, (venv: string) => void> = {
    "is an empty folder": (venv) => mkdirSync(venv),
    "is a file": (venv) => writeFileSync(venv, ""),
    "is a link to nowhere": (venv) => symlinkSync("/nowhere/at/all", venv),
    "has a Python that is a link to nowhere": (venv) => {
      mkdirSync(join(venv, "bin"), { recursive: true });
      symlinkSync("/nowhere/at/all", join(venv, "bin/python"));
    },
    "has a Python that is not executable": () => {
      chmodSync(program("w/.venv/bin/python"), 0o644);
    },
    "has a folder in the place of its Python": (venv) => {
      mkdirSync(join(venv, "bin/python"), { recursive: true });
    },
  };

  test.each(Object.entries(breakages))(
    "that %s is refused, not passed over",
    async (_, breakIt) => {
      const venv = join(folder.workspace, ".venv");
      breakIt(venv);
      const refusal = await refusalOf(find(realPython));
      expect(refusal).toMatchObject({ code: "interpreter_unusable", argument: "cwd" });
      expect(refusal.message).toBe(
        `${venv} has no Python that can be started (looked for Scripts/python.exe and bin/python). ` +
          "Create it anew (`python3 -m venv --clear .venv`), remove it, or use another `cwd`.",
      );
    },
  );
});

describe.skipIf(process.platform === "win32")(
  "the environment that the server was started in",
  () => {
    const finderOf = (env: "virtualenv" | "conda", python?: string) =>
      createInterpreterFinder(python, env);

    test.each([
      ["virtualenv", "VIRTUAL_ENV"],
      ["conda", "CONDA_PREFIX"],
    ] as const)(
      "is used if the operator says %s, though PATH leads elsewhere",
      async (env, variable) => {
        const python = program("env/bin/python");
        program("bin/python3");
        searchPath("bin");
        const prefix = join(folder.path, "env");
        vi.stubEnv(variable, prefix);
        const found = await finderOf(env).find(folder.workspace);
        expect(found).toMatchObject({ python, why: `the environment that ${variable} names` });
        expect(env === "conda" ? found.condaPrefix : found.virtualEnv).toBe(prefix);
        expect((await find()).python).toBe(join(folder.path, "bin/python3")); // else nobody asked for it
      },
    );

    test("comes after a .venv", async () => {
      program("env/bin/python");
      vi.stubEnv("VIRTUAL_ENV", join(folder.path, "env"));
      const python = program("w/.venv/bin/python");
      expect((await finderOf("virtualenv").find(folder.workspace)).python).toBe(python);
    });

    test("is refused where there is none, and where a Python is named too", async () => {
      vi.stubEnv("CONDA_PREFIX", "");
      const findHere = (python?: string) => finderOf("conda", python).find(folder.workspace);
      expect((await refusalOf(findHere())).message).toMatch(/CONDA_PREFIX is not set/);
      vi.stubEnv("CONDA_PREFIX", join(folder.path, "nothing"));
      expect((await refusalOf(findHere())).message).toMatch(/where there is no Python/);
      const refusal = await refusalOf(findHere(realPython));
      expect(refusal).toMatchObject({ code: "interpreter_missing", argument: "pythonEnv" });
      expect(refusal.message).toMatch(/leave out one of them/);
    });
  },
);

describe.skipIf(process.platform === "win32")("a Python that the operator named", () => {
  const why = "named by the `--python` option";

  test("by its path is used", async () => {
    const python = program("elsewhere/python3.12");
    expect(await find(python)).toEqual({ python, virtualEnv: undefined, why });
  });

  test("by a relative path is taken from the server's folder", async () => {
    const python = program("elsewhere/my-python");
    expect(await find(relative(process.cwd(), python))).toMatchObject({ python, why });
  });

  test("by a name is looked for on PATH", async () => {
    const python = program("bin/python3.12");
    searchPath("other", "bin");
    expect(await find("python3.12")).toMatchObject({ python, why });
  });

  test("inside a virtual environment brings that", async () => {
    const python = program("env/bin/python");
    writeFileSync(join(folder.path, "env/pyvenv.cfg"), "");
    expect(await find(python)).toMatchObject({ python, virtualEnv: join(folder.path, "env") });
  });

  test.each(["nothing/there", "python-of-no-name", "w", "text"])(
    "that can't be started is refused by name: %s",
    async (name) => {
      writeFileSync(join(folder.path, "text"), "not executable");
      searchPath("bin");
      const named = name.startsWith("python") ? name : join(folder.path, name);
      const refusal = await refusalOf(find(named));
      expect(refusal).toMatchObject({ code: "interpreter_missing", argument: "python" });
      expect(refusal.message).toBe(
        `The Python named by the \`--python\` option can't be started: ${named}.`,
      );
    },
  );

  test("is not replaced by another one that happens to be on PATH", async () => {
    program("bin/python3");
    searchPath("bin");
    expect((await refusalOf(find("python3.99"))).code).toBe("interpreter_missing");
  });
});

describe.skipIf(process.platform === "win32")("PATH", () => {
  test("is searched in its order", async () => {
    const python = program("first/python3");
    program("second/python3");
    searchPath("none", "first", "second");
    expect(await find()).toEqual({
      python,
      virtualEnv: undefined,
      why: "the first python3 on PATH",
    });
  });

  test("is searched for python3 first, and for python only then", async () => {
    const plain = program("first/python");
    const versioned = program("second/python3");
    searchPath("first", "second");
    expect((await find()).python).toBe(versioned);
    rmSync(versioned);
    expect(await find()).toMatchObject({ python: plain, why: "the first python on PATH" });
  });

  test("may hold what can't be started: it is passed over", async () => {
    mkdirSync(join(folder.path, "folders/python3"), { recursive: true });
    chmodSync(program("files/python3"), 0o644);
    const python = program("programs/python3");
    searchPath("folders", "files", "programs");
    expect((await find()).python).toBe(python);
  });

  test("with an empty part does not mean the current folder", async () => {
    const here = process.cwd();
    program("here/python3");
    try {
      process.chdir(join(folder.path, "here"));
      searchPath("", "none");
      expect((await refusalOf(find())).code).toBe("interpreter_missing");
    } finally {
      process.chdir(here);
    }
  });

  test.each(["", undefined])("of %j has no Python: that is said, with what to do", async (path) => {
    vi.stubEnv("PATH", path);
    const refusal = await refusalOf(find());
    expect(refusal).toMatchObject({ code: "interpreter_missing", argument: undefined });
    expect(refusal.message).toBe(
      "There is no Python on PATH (looked for python3, python). Install Python 3.9 or newer, " +
        "or start the server with `--python /path/to/python`.",
    );
  });

  test("is searched again after it had no Python", async () => {
    searchPath("bin");
    const finder = createInterpreterFinder(undefined);
    await refusalOf(finder.find(folder.workspace));
    const python = program("bin/python3");
    expect((await finder.find(folder.workspace)).python).toBe(python);
  });
});

describe.skipIf(process.platform === "win32")("a launcher", () => {
  test("is replaced by the Python that it starts", async () => {
    const launcher = script("bin/python3", `exec "${realPython}" "$@"`);
    searchPath("bin");
    expect((await find()).python).toBe(realPython);
    expect((await find(launcher)).python).toBe(realPython);
  });

  test("that starts the Python of a virtual environment brings that", async () => {
    const python = program("env/bin/python");
    writeFileSync(join(folder.path, "env/pyvenv.cfg"), "");
    const launcher = script("bin/python3", `echo "${python}"`);
    expect(await find(launcher)).toMatchObject({ python, virtualEnv: join(folder.path, "env") });
  });

  test.each([
    ["fails", "exit 3"],
    ["fails after it said something", "echo /usr/bin/python3; exit 1"],
    ["says nothing", "exit 0"],
  ])("that %s is used itself", async (_, line) => {
    const launcher = script("bin/python3", line);
    expect((await find(launcher)).python).toBe(launcher);
  });

  test("that can't be read is used as the program that it may be", async (context) => {
    if (process.getuid?.() === 0) context.skip("root may read any file");
    const python = program("bin/python3");
    chmodSync(python, 0o111);
    expect((await find(python)).python).toBe(python);
  });
});
