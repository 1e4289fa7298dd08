import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseCommandLine, usage, type CommandLine } from "../../../src/cli/arguments.ts";
import { readSettings, settingsSchema } from "../../../src/config.ts";
import { PyExecutorError } from "../../../src/errors.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

function parse(...argv: readonly string[]): CommandLine {
  return parseCommandLine(argv, {});
}

/** The arguments of a `run`. */
function parseRun(...argv: readonly string[]) {
  const line = parse("run", ...argv);
  if (line.command !== "run") throw new Error(`not run, but ${line.command}`);
  return line.run;
}

function settingsOf(line: CommandLine) {
  return "settings" in line ? line.settings : undefined;
}

function refusalOf(...argv: readonly string[]): string {
  try {
    parse(...argv);
  } catch (error) {
    if (!(error instanceof PyExecutorError)) throw error;
    expect(error.code).toBe("invalid_option");
    return error.message;
  }
  throw new Error("not refused");
}

const FLAGS = Object.keys(settingsSchema.shape).map((option) => ({
  option,
  flag: `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
}));

describe("the command", () => {
  test.each([
    [["serve"], "serve"],
    [["doctor"], "doctor"],
    [["run", "-"], "run"],
    [[], "serve"],
    [["--max-runs", "2"], "serve"],
    [["--max-runs=2"], "serve"],
  ])("of %j is %s", (argv, command) => {
    expect(parse(...argv).command).toBe(command);
  });

  test.each([["--help"], ["-h"], ["help"], ["run", "--help"], ["serve", "-h", "--max-runs", "2"]])(
    "of %j %j is help",
    (...argv) => {
      expect(parse(...argv)).toEqual({ command: "help" });
    },
  );

  test.each([["--version"], ["-v"], ["doctor", "--version"]])("of %j %j is version", (...argv) => {
    expect(parse(...argv)).toEqual({ command: "version" });
  });

  test.each([
    [["sevre"], "unknown command or argument sevre"],
    [["serve", "a", "b"], "unknown command or argument a b"],
    [["doctor", "now"], "unknown command or argument now"],
    [["--max-runs", "2", "run", "-"], "unknown command or argument run -"],
  ])("%j is refused", (argv, message) => {
    expect(refusalOf(...argv)).toBe(`${message}. See py-executor --help.`);
  });
});

describe("flags", () => {
  test.each(FLAGS)("$flag sets $option, for each command", ({ option, flag }) => {
    const defaults = readSettings({});
    const value =
      {
        logLevel: "debug",
        worker: "spawn",
        sandbox: "off",
        allowNet: "example.com",
        maxMemory: "64M",
        packages: "none",
        pythonEnv: "conda",
        allowBuild: "yes",
      }[option] ?? "7";
    const wanted = { ...defaults, ...readSettings({ [option]: value }) };
    expect(wanted).not.toEqual(defaults);
    for (const command of [["serve"], ["doctor"], ["run", "-"], []]) {
      expect(settingsOf(parse(...command, flag, value))).toEqual(wanted);
      expect(settingsOf(parse(...command, `${flag}=${value}`))).toEqual(wanted);
    }
  });

  test("given twice count as given last", () => {
    expect(settingsOf(parse("--max-runs", "2", "--max-runs", "3"))?.maxRuns).toBe(3);
  });

  test.each([
    [["--allow-net"], ["*"]],
    [["--allow-net", "--max-runs", "2"], ["*"]],
    [["serve", "--max-runs", "2", "--allow-net"], ["*"]],
    [["run", "--allow-net", "-"], ["*"]],
    [["run", "--allow-net", "--", "script.py"], ["*"]],
    [["--allow-net=*"], ["*"]],
    [["--allow-net", "all"], ["*"]],
    [["--allow-net=example.com"], ["example.com"]],
    [
      ["--allow-net", "example.com,[::1]:80"],
      ["example.com", "[::1]:80"],
    ],
    [["--allow-net", "--allow-net", "example.com"], ["example.com"]],
    [["--allow-net="], []],
    [["--allow-net", ""], []],
    [["run", "--", "--allow-net"], []],
    [["run", "constructor"], []],
  ])("%j let code reach %j", (argv, allowNet) => {
    expect(settingsOf(parse(...argv))?.allowNet).toEqual(allowNet);
  });

  test.each(["--maxRuns", "--max-run", "--max_runs", "-x", "--shell"])(
    "%s is refused by name",
    (flag) => {
      const message = refusalOf(flag);
      expect(message).toContain(`'${flag}'`);
      expect(message).toMatch(/See py-executor --help\.$/);
    },
  );

  test("of one command are refused for another", () => {
    expect(refusalOf("serve", "--json")).toContain("'--json'");
    expect(refusalOf("doctor", "-c", "1")).toContain("'-c'");
  });

  test("without a value that they need are refused", () => {
    expect(refusalOf("--max-runs")).toContain("'--max-runs <value>' argument missing");
    expect(refusalOf("--help=yes")).toContain("'-h, --help' does not take an argument");
  });

  test("with a wrong value are refused by name", () => {
    expect(refusalOf("--max-runs", "many")).toMatch(/^option maxRuns: /);
  });

  test("are not looked at when help is asked for", () => {
    expect(parse("--help", "--max-runs", "many")).toEqual({ command: "help" });
  });
});

describe("other sources", () => {
  let folder: TestFolder;

  beforeEach(() => {
    folder = makeTestFolder();
  });
  afterEach(() => folder.remove());

  test("are the variables and the file that --config names; flags go before both", () => {
    const file = join(folder.path, "settings.json");
    writeFileSync(file, '{"maxRuns": 5, "maxQueued": 5, "maxWorkers": 5}');
    const variables = { PY_EXECUTOR_MAX_QUEUED: "6", PY_EXECUTOR_MAX_WORKERS: "6" };
    const line = parseCommandLine(["--config", file, "--max-workers", "7"], variables);
    expect(settingsOf(line)).toMatchObject({ maxRuns: 5, maxQueued: 6, maxWorkers: 7 });
  });

  test("a file that --config names has to be there", () => {
    expect(refusalOf("--config", join(folder.path, "none.json"))).toContain(
      "none.json can't be read",
    );
  });
});

describe("run", () => {
  test.each([
    [["script.py"], { file: "script.py" }],
    [["-"], { file: "-" }],
    [["--", "-odd-name.py"], { file: "-odd-name.py" }],
    [["-c", "print(1)"], { code: "print(1)" }],
    [["-c", ""], { code: "" }],
    [["--code", "print('a b')"], { code: "print('a b')" }],
    [["--code=-1"], { code: "-1" }],
  ])("takes its code from %j", (argv, source) => {
    expect(parseRun(...argv).source).toEqual(source);
  });

  test("leaves everything else to the defaults unless it is given", () => {
    expect(parseRun("-")).toEqual({
      source: { file: "-" },
      cwd: undefined,
      timeout: undefined,
      json: false,
    });
    expect(parseRun("--cwd", "data", "--timeout", "1.5", "--json", "-")).toEqual({
      source: { file: "-" },
      cwd: "data",
      timeout: 1.5,
      json: true,
    });
  });

  test("without code is refused", () => {
    expect(refusalOf("run")).toContain("run needs FILE, -c CODE, or - for stdin");
  });

  test.each([
    ["a.py", "b.py"],
    ["a.py", "-c", "1"],
    ["-", "a.py"],
  ])("with more than one code is refused: %s %s", (...argv) => {
    expect(refusalOf("run", ...argv)).toContain("run takes one of FILE, -c CODE and -");
  });

  test.each(["soon", "0", "", "NaN", "1s"])("with a timeout of %j is refused", (timeout) => {
    expect(refusalOf("run", "-", "--timeout", timeout)).toBe(
      `--timeout takes a number of seconds, not ${JSON.stringify(timeout)}. See py-executor --help.`,
    );
  });
});

describe("the help text", () => {
  test.each(FLAGS)("has $flag with its meaning", ({ option, flag }) => {
    const [, schema] = Object.entries(settingsSchema.shape).find(([name]) => name === option) ?? [];
    const lines = usage().split("\n");
    const line = lines.find((text) => text.startsWith(`  ${flag} `));
    expect(line).toContain(schema?.description);
  });

  test("names the defaults that are the same on every machine", () => {
    expect(usage()).toMatch(/--max-timeout .*\(default: 60\)/);
    expect(usage()).toMatch(/--max-code-bytes .*\(default: 1048576\)/);
    expect(usage()).toMatch(/--log-level .*\(default: info\)/);
    expect(usage().match(/--max-runs .*\(default: .*/g)).toEqual([
      expect.stringContaining("(default: the number of cores, at least 4)"),
    ]);
  });

  test("names every command and every other flag", () => {
    for (const words of ["py-executor [serve]", "py-executor run", "py-executor doctor"]) {
      expect(usage()).toContain(words);
    }
    for (const flag of [
      "-c CODE",
      "--cwd",
      "--timeout",
      "--json",
      "--config",
      "--help",
      "--version",
    ]) {
      expect(usage()).toContain(flag);
    }
  });
});
