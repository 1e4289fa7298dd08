import { delimiter } from "node:path";
import { describe, expect, test } from "vitest";
import type { Interpreter } from "../../../src/interpreter/discover.ts";
import { variablesFor } from "../../../src/interpreter/variables.ts";

const plain: Interpreter = { python: "/usr/bin/python3", virtualEnv: undefined, why: "test" };
const inVenv: Interpreter = {
  python: "/work/.venv/bin/python",
  virtualEnv: "/work/.venv",
  why: "test",
};

/** What code sees of these variables, apart from what is always set. */
function seenOf(own: NodeJS.ProcessEnv, allowed: readonly string[] = []): Record<string, string> {
  const { PYTHONUTF8: _, ...seen } = variablesFor(plain, own, allowed);
  return seen;
}

describe("a variable of the server", () => {
  const needed = `
    PATH HOME USER LOGNAME SHELL TZ LANG LANGUAGE LC_ALL LC_CTYPE TMPDIR TMP TEMP
    XDG_CACHE_HOME LD_LIBRARY_PATH
  `;
  const secret = `
    AWS_SECRET_ACCESS_KEY GITHUB_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY DATABASE_URL SSH_AUTH_SOCK
    KUBECONFIG GOOGLE_APPLICATION_CREDENTIALS PASSWORD npm_config__authToken PIP_INDEX_URL
    HTTP_PROXY https_proxy PY_EXECUTOR_ALLOW_ENV NODE_OPTIONS UNHEARD_OF
  `;

  test.each(needed.trim().split(/\s+/))("%s is seen: a program needs it", (name) => {
    expect(seenOf({ [name]: "value" })).toEqual({ [name]: "value" });
  });

  test.each(["SystemRoot", "Path", "ComSpec", "ProgramFiles(x86)"])(
    "%s is seen as Windows spells it",
    (name) => {
      expect(seenOf({ [name]: "value" })).toEqual({ [name]: "value" });
    },
  );

  test.each(secret.trim().split(/\s+/))("%s is not", (name) => {
    expect(seenOf({ [name]: "secret" })).toEqual({});
  });

  test.each(["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONHASHSEED", "VIRTUAL_ENV"])(
    "%s is not: it would make another Python of it",
    (name) => {
      expect(seenOf({ [name]: "/elsewhere" })).toEqual({});
    },
  );

  test("is seen under its own name only, not under one that begins or ends so", () => {
    expect(seenOf({ HOMES: "x", MY_PATH: "x", PATH_: "x", LC: "x", XLC_ALL: "x" })).toEqual({});
  });

  test("that is unset stays unset, and one that is empty stays empty", () => {
    expect(seenOf({ HOME: undefined, TZ: "" })).toEqual({ TZ: "" });
  });
});

test("a conda environment is named, and its programs come first", () => {
  const conda = { ...plain, python: "/c/env/bin/python", condaPrefix: "/c/env" };
  expect(variablesFor(conda, { PATH: "/bin", CONDA_PREFIX: "/other" }, [])).toMatchObject({
    CONDA_PREFIX: "/c/env",
    PATH: ["/c/env/bin", "/bin"].join(delimiter),
  });
  expect(seenOf({ CONDA_PREFIX: "/c/env" })).toEqual({});
});

describe("what the operator allows", () => {
  const own = { API_KEY: "1", API_KEY_2: "2", api_key: "3", TZ: "UTC" };

  test("is seen besides what is needed", () => {
    expect(seenOf(own, ["API_KEY"])).toEqual({ API_KEY: "1", TZ: "UTC" });
  });

  test("is seen exactly as named", () => {
    expect(seenOf(own, ["API_*", "API"])).toEqual({ TZ: "UTC" });
  });

  test("but isn't there is not made up", () => {
    expect(seenOf(own, ["OTHER"])).toEqual({ TZ: "UTC" });
  });
});

describe("a virtual environment", () => {
  test("is named, and its programs are found first", () => {
    expect(variablesFor(inVenv, { PATH: "/usr/bin" }, [])).toMatchObject({
      VIRTUAL_ENV: "/work/.venv",
      PATH: `/work/.venv/bin${delimiter}/usr/bin`,
    });
  });

  test.each([undefined, ""])("does not put the current folder on a PATH of %j", (path) => {
    expect(variablesFor(inVenv, { PATH: path }, [])["PATH"]).toBe("/work/.venv/bin");
  });

  test("takes the place of the server's own", () => {
    const own = { VIRTUAL_ENV: "/home/ada/env", PATH: "" };
    expect(variablesFor(inVenv, own, [])["VIRTUAL_ENV"]).toBe("/work/.venv");
    expect(variablesFor(plain, own, [])).not.toHaveProperty("VIRTUAL_ENV");
  });
});

test("text is UTF-8, whatever the server's locale", () => {
  expect(variablesFor(plain, { LC_ALL: "C" }, [])).toEqual({ LC_ALL: "C", PYTHONUTF8: "1" });
  expect(variablesFor(plain, { PYTHONUTF8: "0" }, [])).toEqual({ PYTHONUTF8: "1" });
});

test("the server's own variables are left alone", () => {
  const own = { PATH: "/usr/bin" };
  variablesFor(inVenv, own, []);
  expect(own).toEqual({ PATH: "/usr/bin" });
});
