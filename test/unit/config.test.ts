import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  chooseWorkspace,
  mergeSources,
  readSettings,
  settingsSchema,
  variableName,
} from "../../src/config.ts";
import { PyExecutorError } from "../../src/errors.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";

const OPTIONS = Object.keys(settingsSchema.shape);

function refusalOf(call: () => unknown): PyExecutorError {
  try {
    call();
  } catch (error) {
    if (error instanceof PyExecutorError) return error;
    throw error;
  }
  throw new Error("not refused");
}

describe("defaults", () => {
  test("are the older server's limits", () => {
    expect(readSettings({})).toMatchObject({
      defaultTimeout: 30,
      maxTimeout: 60,
      maxWorkers: 4,
      maxSnippets: 20,
      maxCodeBytes: 1_048_576,
    });
  });

  test("let nothing through and name no Python and no workspace", () => {
    expect(readSettings({})).toMatchObject({
      allowEnv: [],
      allowNet: [],
      allowRead: [],
      allowWrite: [],
    });
    expect(readSettings({}).python).toBeUndefined();
    expect(readSettings({}).workspace).toBeUndefined();
  });

  test("run as much at once as there are cores, and at least four", () => {
    expect(readSettings({}).maxRuns).toBe(Math.max(4, availableParallelism()));
  });

  test("take the place of options that are undefined", () => {
    const unset = Object.fromEntries(OPTIONS.map((option) => [option, undefined]));
    expect(readSettings(unset)).toEqual(readSettings({}));
  });
});

describe("options", () => {
  test.each(Object.entries(settingsSchema.shape))("%s says what it means", (_, schema) => {
    expect(schema.description).toMatch(/\w/);
  });

  test("may be numbers as text, as flags and variables are", () => {
    const options = { maxRuns: "8", maxTimeout: "1.5", maxQueued: "0", outputBytes: "2e3" };
    expect(readSettings(options)).toMatchObject({
      maxRuns: 8,
      maxTimeout: 1.5,
      maxQueued: 0,
      outputBytes: 2000,
    });
  });

  test.each([
    ["A", ["A"]],
    ["A,B", ["A", "B"]],
    [" A , ,B,", ["A", "B"]],
    ["", []],
    [
      ["A", " B "],
      ["A", "B"],
    ],
    [[], []],
  ])("a list of names may be %j", (allowEnv, names) => {
    expect(readSettings({ allowEnv }).allowEnv).toEqual(names);
  });

  test.each([
    { maxRuns: 0 },
    { maxRuns: -1 },
    { maxRuns: 1.5 },
    { maxRuns: "many" },
    { maxRuns: "" },
    { maxRuns: NaN },
    { maxRuns: Infinity },
    { maxQueued: -1 },
    { defaultTimeout: 0 },
    { defaultTimeout: "soon" },
    { maxTimeout: -1 },
    { maxTimeout: 3_000_000 },
    { maxWorkers: 0 },
    { maxSnippets: 0 },
    { maxCodeBytes: 0 },
    { outputBytes: "1 MB" },
    { storedOutputBytes: 0 },
    { logLevel: "loud" },
    { allowEnv: 3 },
    { allowEnv: [3] },
    { sandbox: "on" },
    { allowNet: "https://example.com" },
    { allowNet: true },
    { allowRead: 3 },
    { allowWrite: [3] },
    { maxMemory: "2" },
    { maxMemory: "much" },
    { maxProcesses: 0 },
    { maxOpenFiles: "" },
    { maxFileSize: "1KB" },
    { maxTempSpace: Infinity },
    { maxCpuSeconds: 0.5 },
    { python: 3 },
    { workspace: ["a"] },
  ])("%j is refused by name", (options) => {
    const refusal = refusalOf(() => readSettings(options));
    expect(refusal.code).toBe("invalid_option");
    expect(refusal.message).toContain(`option ${Object.keys(options).join("")}`);
  });

  test("that can be one of a few words are refused with these words", () => {
    expect(refusalOf(() => readSettings({ logLevel: "loud" })).message).toMatch(
      /"silent".*"error".*"warn".*"info".*"debug"/,
    );
  });

  test("that there are not are refused by name, all of them", () => {
    expect(refusalOf(() => readSettings({ maxRun: 1, color: "red" })).message).toBe(
      "unknown option maxRun, color.",
    );
  });

  test("that are wrong are all told of at once", () => {
    const { message } = refusalOf(() => readSettings({ maxRuns: 0, outputBytes: "x" }));
    expect(message).toMatch(/option maxRuns: .*; option outputBytes: /);
  });
});

describe("sources", () => {
  let folder: TestFolder;

  beforeEach(() => {
    folder = makeTestFolder();
  });
  afterEach(() => folder.remove());

  function settingsFile(content: string): string {
    const path = join(folder.path, "settings.json");
    writeFileSync(path, content);
    return path;
  }

  test.each([
    ["workspace", "PY_EXECUTOR_WORKSPACE"],
    ["maxRuns", "PY_EXECUTOR_MAX_RUNS"],
    ["storedOutputBytes", "PY_EXECUTOR_STORED_OUTPUT_BYTES"],
  ])("the variable of %s is %s", (option, name) => {
    expect(variableName(option)).toBe(name);
  });

  test.each(OPTIONS)("%s can come from each source; flag before variable before file", (option) => {
    const file = settingsFile(JSON.stringify({ [option]: "from the file" }));
    const variables = { [variableName(option)]: "from a variable", OTHER: "x" };
    expect(mergeSources({}, {}, file)).toEqual({ [option]: "from the file" });
    expect(mergeSources({}, variables, file)).toEqual({ [option]: "from a variable" });
    expect(mergeSources({ [option]: "from a flag" }, variables, file)).toEqual({
      [option]: "from a flag",
    });
  });

  test("are put together option by option", () => {
    const file = settingsFile('{"maxRuns": 1, "maxQueued": 1, "maxWorkers": 1}');
    const variables = { PY_EXECUTOR_MAX_QUEUED: "2", PY_EXECUTOR_MAX_WORKERS: "2" };
    expect(readSettings(mergeSources({ maxWorkers: "3" }, variables, file))).toMatchObject({
      maxRuns: 1,
      maxQueued: 2,
      maxWorkers: 3,
    });
  });

  test("a variable that is empty counts as unset", () => {
    expect(mergeSources({}, { PY_EXECUTOR_MAX_RUNS: "" }, undefined)).toEqual({});
  });

  test("no file, no variables and no flags are no options", () => {
    expect(mergeSources({}, {}, undefined)).toEqual({});
  });

  test.each([
    ["is missing", undefined],
    ["is no JSON", "{maxRuns: 1}"],
    ["is empty", ""],
    ["holds a list", "[1]"],
    ["holds null", "null"],
    ["holds a text", '"maxRuns"'],
  ])("a settings file that %s is refused by its name", (_, content) => {
    const path = content === undefined ? join(folder.path, "none.json") : settingsFile(content);
    const refusal = refusalOf(() => mergeSources({}, {}, path));
    expect(refusal).toMatchObject({ code: "invalid_option", argument: "config" });
    expect(refusal.message).toBe(`The settings file ${path} can't be read as a JSON object.`);
    expect(refusal.cause).toBeDefined();
  });

  test("an option of the file that there is not is refused, not skipped", () => {
    const file = settingsFile('{"maxruns": 1}');
    const { message } = refusalOf(() => readSettings(mergeSources({}, {}, file)));
    expect(message).toBe("unknown option maxruns.");
  });
});

describe.skipIf(process.platform === "win32")("the workspace", () => {
  const home = "/home/ada";
  const scratch = undefined;

  test.each([
    ["an ordinary folder", "/srv/project", "/srv/project"],
    ["a project in one's home", "/home/ada/project", "/home/ada/project"],
    ["a hidden folder in one's home", "/home/ada/.local", "/home/ada/.local"],
    ["a folder whose name begins as home does", "/home2", "/home2"],
    ["the root", "/", scratch],
    ["one's home", "/home/ada", scratch],
    ["the folder of all homes", "/home", scratch],
    ["somebody else's home", "/home/ada2", scratch],
    ["a home on a Mac", "/Users/ada", scratch],
    ["the folder of all homes on a Mac", "/Users", scratch],
    ["a project in somebody else's home", "/home/bob/project", "/home/bob/project"],
  ])("started in %s", (_, current, workspace) => {
    expect(chooseWorkspace(undefined, current, home)).toBe(workspace);
  });

  test.each([
    ["/var", scratch],
    ["/var/lib", scratch],
    ["/var/li", "/var/li"],
    ["/var/lib/service", scratch],
    ["/var/lib/service/work", "/var/lib/service/work"],
    ["/var/lib/service2", "/var/lib/service2"],
  ])("where home is /var/lib/service, started in %s", (current, workspace) => {
    expect(chooseWorkspace(undefined, current, "/var/lib/service")).toBe(workspace);
  });

  test.each(["/", "", "relative"])("an ordinary folder is one where home is %j, too", (odd) => {
    expect(chooseWorkspace(undefined, "/srv/project", odd)).toBe("/srv/project");
  });

  test.each([
    ["/data", "/data"],
    ["data", "/srv/project/data"],
    [".", "/srv/project"],
    ["..", "/srv"],
    ["/", "/"],
    ["/home/ada", "/home/ada"],
  ])("named %s, is that, whatever it is", (named, workspace) => {
    expect(chooseWorkspace(named, "/srv/project", home)).toBe(workspace);
  });
});
