import { parseArgs } from "node:util";
import { mergeSources, readSettings, settingsSchema, type Settings } from "../config.ts";
import { PyExecutorError } from "../errors.ts";

/** What `py-executor run` has to do. */
export interface RunArguments {
  /** The code itself (`-c`), a file's name, or `-` for stdin. */
  source: { code: string } | { file: string };
  cwd: string | undefined;
  timeout: number | undefined;
  /** Whether to print the answer as JSON instead of the output. */
  json: boolean;
}

export type CommandLine =
  | { command: "help" }
  | { command: "version" }
  | { command: "serve"; settings: Settings }
  | { command: "doctor"; settings: Settings }
  | { command: "run"; settings: Settings; run: RunArguments };

const COMMANDS = ["serve", "run", "doctor"] as const;
const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** Flags that every command takes: one for each setting. */
const SETTING_FLAGS = Object.fromEntries(
  Object.keys(settingsSchema.shape).map((name) => [flagName(name), text]),
);
const COMMON_FLAGS = {
  config: text,
  help: { ...flag, short: "h" },
  version: { ...flag, short: "v" },
} as const;
const RUN_FLAGS = { code: { ...text, short: "c" }, cwd: text, timeout: text, json: flag } as const;

/** Flags that may stand alone, and the value that they have then. */
const MEANT_WHEN_ALONE = new Map([
  ["--allow-net", "*"],
  ["--allow-build", "yes"],
]);

/**
 * Reads the command line. `serve` is what is meant without a command, since hosts start the server that way.
 *
 * Throws `invalid_option` for what can't be understood.
 */
export function parseCommandLine(
  argv: readonly string[],
  variables: NodeJS.ProcessEnv,
): CommandLine {
  const [first, ...others] = argv;
  const command = COMMANDS.find((name) => name === first);
  const { values, positionals } = parse(
    command === undefined ? [...argv] : others,
    command === "run",
  );
  if (values["help"] === true || first === "help") return { command: "help" };
  if (values["version"] === true) return { command: "version" };
  const flags: Record<string, unknown> = {};
  for (const name of Object.keys(settingsSchema.shape)) {
    const value = values[flagName(name)];
    if (value !== undefined) flags[name] = value;
  }
  const settings = readSettings(mergeSources(flags, variables, stringOf(values["config"])));
  if (command === "run") return { command, settings, run: readRun(values, positionals) };
  if (positionals.length > 0)
    throw usageError(`unknown command or argument ${positionals.join(" ")}`);
  return { command: command ?? "serve", settings };
}

/** What `--help` prints. */
export function usage(): string {
  const settings = Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const fallback = settingsDefault(name);
    return `  --${flagName(name).padEnd(22)} ${schema.description ?? ""}${fallback}`;
  });
  return `Runs Python code for AI agents, as data: no shell, no quoting.

Usage:
  py-executor [serve] [options]                Serve MCP over stdin and stdout; hosts start it like this
  py-executor run [FILE | -c CODE | -]         Run a file, a text or stdin once; ends with its exit code
      [--cwd DIR] [--timeout SECONDS] [--json]
  py-executor doctor                           Say which Python is used, what works here and what doesn't

Options:
  --config FILE${" ".repeat(12)}Settings as a JSON object; flags and PY_EXECUTOR_… variables go before
${settings.join("\n")}
  -h, --help; -v, --version

Every option is also a variable: --max-runs is PY_EXECUTOR_MAX_RUNS.
`;
}

function parse(args: string[], isRun: boolean): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({
      args: withValues(args),
      allowPositionals: true,
      options: { ...SETTING_FLAGS, ...COMMON_FLAGS, ...(isRun ? RUN_FLAGS : {}) },
    });
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error), error);
  }
}

/** Gives flags that stand alone, before another flag or at the end, the value that they mean. */
function withValues(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((arg, index) => {
    const meant = MEANT_WHEN_ALONE.get(arg);
    const isAlone = args[index + 1]?.startsWith("-") ?? true;
    const isFlag = end === -1 || index < end;
    return meant !== undefined && isAlone && isFlag ? `${arg}=${meant}` : arg;
  });
}

function readRun(values: Record<string, unknown>, positionals: readonly string[]): RunArguments {
  const code = stringOf(values["code"]);
  const [file, ...more] = positionals;
  if (more.length > 0 || (code !== undefined && file !== undefined)) {
    throw usageError("run takes one of FILE, -c CODE and -");
  }
  if (code === undefined && file === undefined)
    throw usageError("run needs FILE, -c CODE, or - for stdin");
  const timeout = stringOf(values["timeout"]);
  if (timeout !== undefined && !(Number(timeout) > 0)) {
    throw usageError(`--timeout takes a number of seconds, not ${JSON.stringify(timeout)}`);
  }
  return {
    source: code === undefined ? { file: file ?? "-" } : { code },
    cwd: stringOf(values["cwd"]),
    timeout: timeout === undefined ? undefined : Number(timeout),
    json: values["json"] === true,
  };
}

function settingsDefault(name: string): string {
  const value: unknown = Object.entries(readSettings({})).find(([key]) => key === name)?.[1];
  const isSaid =
    value === undefined || (Array.isArray(value) && value.length === 0) || name === "maxRuns";
  return isSaid ? "" : ` (default: ${JSON.stringify(value).replaceAll('"', "")})`;
}

function flagName(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function usageError(problem: string, cause?: unknown): PyExecutorError {
  return new PyExecutorError("invalid_option", `${problem}. See py-executor --help.`, { cause });
}
