import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { readSettings } from "../../../src/config.ts";
import { createEngine, type Engine } from "../../../src/engine.ts";
import { createLog } from "../../../src/observability/log.ts";
import { FOREGROUND_MS } from "../../../src/tools/call-run.ts";
import { RunRegistry } from "../../../src/background/run-registry.ts";
import { createRunPythonMap } from "../../../src/tools/run-python-map.ts";
import { defineTool, type Tool, type ToolContext } from "../../../src/tools/define-tool.ts";
import { createRunPython } from "../../../src/tools/run-python.ts";
import { createRunPythonBatch } from "../../../src/tools/run-python-batch.ts";
import { createTools } from "../../../src/tools/index.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

let folder: TestFolder;
let engine: Engine;

beforeAll(() => {
  folder = makeTestFolder();
  vi.stubEnv("TMPDIR", folder.temp);
  engine = createEngine(readSettings({ workspace: folder.workspace }), createLog("silent"));
});

afterAll(async () => {
  await engine.close();
  vi.unstubAllEnvs();
  folder.remove();
});

function context(): ToolContext {
  return {
    engine,
    signal: new AbortController().signal,
    reportProgress: () => {},
    reportOutput: () => {},
    runs: new RunRegistry(),
    sessions: engine.openStore(),
    foregroundMs: FOREGROUND_MS,
  };
}

/** Calls a tool that is to refuse; returns the answer's body. */
async function refusalOf(tool: Tool, args: unknown): Promise<{ error: string }> {
  const { content, isError } = await tool.call(args, context());
  expect(isError).toBe(true);
  const [block, ...others] = content;
  expect(others).toEqual([]);
  if (block?.type !== "text") throw new Error("the answer is no text");
  return JSON.parse(block.text);
}

interface JsonSchema {
  readonly properties: Readonly<Record<string, { readonly description?: string }>>;
  readonly required: readonly string[];
  readonly additionalProperties: unknown;
}

function schemaOf({ inputSchema }: Tool): JsonSchema {
  return z.toJSONSchema(inputSchema) as unknown as JsonSchema; // what the types of zod leave open
}

const DEFAULTS = readSettings({});
const runPython = createRunPython(DEFAULTS);
const runPythonBatch = createRunPythonBatch(DEFAULTS);
const runPythonMap = createRunPythonMap(DEFAULTS);

describe.each(createTools(DEFAULTS).map((tool) => [tool.name, tool] as const))(
  "the listing of %s",
  (_, tool) => {
    test("has a description that hosts don't cut", () => {
      expect(Buffer.byteLength(tool.description)).toBeLessThanOrEqual(2048);
    });

    test("says when to use it and when not", () => {
      for (const word of [/\bUse it\b/, /\bNot for\b/, /\nAnswer: /]) {
        expect(tool.description).toMatch(word);
      }
    });

    test("has an example whose arguments the tool takes", () => {
      const [, example = ""] = /Example: (\{.*\})$/s.exec(tool.description) ?? [];
      expect(tool.inputSchema.safeParse(JSON.parse(example))).toMatchObject({ success: true });
    });

    test("describes each argument, and allows no other", () => {
      const { properties, additionalProperties } = schemaOf(tool);
      for (const { description } of Object.values(properties)) expect(description).toMatch(/\w/);
      expect(additionalProperties).toBe(false);
    });

    test("has a title", () => {
      expect(tool.title).toMatch(/\w/);
    });
  },
);

describe.each([runPython, runPythonBatch, runPythonMap].map((tool) => [tool.name, tool] as const))(
  "the listing of %s",
  (_, tool) => {
    test("speaks of the timeout, the working directory and state", () => {
      for (const word of [/\btimeout\b/i, /`cwd`/, /\bstate\b|\bsession\b/i]) {
        expect(tool.description).toMatch(word);
      }
    });

    test("says that code may change anything", () => {
      expect(tool.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    });
  },
);

describe("arguments", () => {
  test.each([
    [
      runPython,
      ["code", "timeout", "cwd", "session", "packages", "stdin", "files", "background"],
      ["code"],
    ],
    [
      runPythonBatch,
      [
        "codes",
        "timeout",
        "max_workers",
        "cwd",
        "session",
        "packages",
        "stdin",
        "files",
        "background",
      ],
      ["codes"],
    ],
  ])("are those of the older server, and more at the end: %#", (tool, names, required) => {
    const schema = schemaOf(tool);
    expect(Object.keys(schema.properties)).toEqual(names);
    expect(schema.required).toEqual(required);
  });

  test("may be null where they may be left out, as some clients send them", () => {
    const nothing = { timeout: null, cwd: null };
    expect(runPython.inputSchema.safeParse({ code: "", ...nothing }).success).toBe(true);
    const batch = { codes: [], max_workers: null, ...nothing };
    expect(runPythonBatch.inputSchema.safeParse(batch).success).toBe(true);
  });
});

describe("wrong arguments of run_python are refused by name", () => {
  test.each([
    ["none at all", undefined, "`code`: expected string, received undefined"],
    ["null", null, "`code`: expected string, received undefined"],
    ["a list", ["print(1)"], "`arguments`: expected object, received array"],
    ["a text", "print(1)", "`arguments`: expected object, received string"],
    ["code that is missing", {}, "`code`: expected string, received undefined"],
    ["code that is null", { code: null }, "`code`: expected string, received null"],
    ["code that is a number", { code: 1 }, "`code`: expected string, received number"],
    ["code that is a list", { code: ["1"] }, "`code`: expected string, received array"],
    [
      "a timeout in words",
      { code: "", timeout: "5" },
      "`timeout`: expected number, received string",
    ],
    ["a cwd that is none", { code: "", cwd: 3 }, "`cwd`: expected string, received number"],
    ["an argument of another name", { code: "", tmeout: 5 }, "unknown argument `tmeout`"],
    ["several of another name", { code: "", a: 1, b: 2 }, "unknown argument `a`, `b`"],
  ])("%s", async (_, args, problem) => {
    expect(await refusalOf(runPython, args)).toEqual({
      error:
        `run_python was not run: ${problem}. ` +
        "Its arguments are `code`, `timeout`, `cwd`, `session`, `packages`, `stdin`, `files`, `background`; see their descriptions.",
      success: false,
    });
  });

  test("all at once", async () => {
    const { error } = await refusalOf(runPython, { timeout: "5", colour: 1 });
    expect(error).toContain("`code`: expected string");
    expect(error).toContain("`timeout`: expected number");
    expect(error).toContain("unknown argument `colour`");
  });

  test.each([
    ["code over the limit", { code: "x".repeat(1_048_577) }, "`code` is 1048577 bytes long"],
    ["code with a NUL", { code: "\0" }, "`code` holds a NUL character"],
    ["a cwd that is missing", { code: "", cwd: "nowhere" }, "`cwd` does not exist"],
  ])("%s, as the engine says it", async (_, args, beginning) => {
    const { error, ...rest } = await refusalOf(runPython, args);
    expect(error.startsWith(beginning)).toBe(true);
    expect(rest).toEqual({ success: false });
  });
});

describe("wrong arguments of run_python_batch are refused by name", () => {
  test.each([
    ["codes that are missing", {}, "`codes`: expected array, received undefined"],
    ["codes that are a text", { codes: "1" }, "`codes`: expected array, received string"],
    ["one that is none", { codes: ["", 1] }, "`codes[1]`: expected string, received number"],
    [
      "workers in words",
      { codes: [], max_workers: "all" },
      "`max_workers`: expected number, received string",
    ],
  ])("%s", async (_, args, problem) => {
    expect(await refusalOf(runPythonBatch, args)).toEqual({
      error:
        `run_python_batch was not run: ${problem}. ` +
        "Its arguments are `codes`, `timeout`, `max_workers`, `cwd`, `session`, `packages`, `stdin`, `files`, `background`; see their descriptions.",
      results: [],
    });
  });

  test.each([
    ["too many codes", { codes: Array(21).fill("1") }, "`codes` has 21 snippets"],
    ["one that is too long", { codes: ["", "x".repeat(1_048_577)] }, "`codes[1]` is 1048577"],
    ["one that holds a NUL", { codes: ["", "", "\0"] }, "`codes[2]` holds a NUL"],
  ])("%s, as the engine says it", async (_, args, beginning) => {
    const { error, ...rest } = await refusalOf(runPythonBatch, args);
    expect(error.startsWith(beginning)).toBe(true);
    expect(rest).toEqual({ results: [] });
  });
});

describe("wrong arguments of run_python_map are refused by name", () => {
  const code = "items";
  test.each([
    ["items that are missing", { code }, "`items`: expected array, received undefined"],
    ["items that are none", { code, items: {} }, "`items`: expected array, received object"],
    ["a complexity of its own", { code, items: [], complexity: "x" }, "`complexity`: Invalid"],
    ["too many", { code, items: Array(10_001).fill(0) }, "`items` are 10001, the limit is 10000"],
    ["two ways to split", { code, items: [1], chunks: 2, complexity: "low" }, "`chunks` and"],
  ])("%s", async (_, args, problem) => {
    const { error, ...rest } = await refusalOf(runPythonMap, args);
    expect(error).toContain(problem);
    expect(rest).toEqual({ results: [] });
  });
});

describe("a refusal is short, whatever was sent", () => {
  /** The words of a refusal; not shown by a test that fails, if they are too many. */
  async function shortRefusalOf(tool: Tool, args: unknown): Promise<string> {
    const { error } = await refusalOf(tool, args);
    expect(error.length).toBeLessThan(2000);
    return error;
  }

  test("many wrong items are counted, the first ones named", async () => {
    const error = await shortRefusalOf(runPythonBatch, { codes: Array(10_000).fill(1) });
    expect(error).toContain("`codes[0]`: expected string");
    expect(error).toContain("and 9990 more");
  });

  test("many unknown arguments are counted, the first ones named", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`name${i}`, i]));
    const error = await shortRefusalOf(runPython, { code: "", ...unknown });
    expect(error).toContain("unknown argument `name0`, `name1`");
    expect(error).toContain("and 9990 more");
  });

  test("long names and values are cut", async () => {
    const long = "x".repeat(1_000_000);
    const name = await shortRefusalOf(runPython, { code: "", [long]: 1 });
    expect(name).toMatch(/unknown argument `x{100}…`/);
    const value = await shortRefusalOf(runPython, { code: "", cwd: long });
    expect(value).toMatch(/`cwd` can't be used \(ENAMETOOLONG\)/);
  });
});

describe("defineTool", () => {
  const define = (run: () => Promise<{ content: [] }>) =>
    defineTool({
      name: "test",
      title: "Test",
      description: "",
      annotations: {},
      inputSchema: z.strictObject({}),
      refusal: { success: false },
      run,
    });

  test("runs nothing for arguments that are wrong", async () => {
    let runs = 0;
    const tool = define(async () => {
      runs += 1;
      return { content: [] };
    });
    await refusalOf(tool, { any: 1 });
    expect(runs).toBe(0);
    await tool.call({}, context());
    expect(runs).toBe(1);
  });

  test("passes on a failure that is no refusal: it is a bug, and not to be hidden", async () => {
    const tool = define(() => Promise.reject(new TypeError("a bug")));
    await expect(tool.call({}, context())).rejects.toThrow("a bug");
  });
});
