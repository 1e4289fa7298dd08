import { readFileSync, realpathSync } from "node:fs";
import { availableParallelism, homedir } from "node:os";
import { isAbsolute, join, parse, resolve, sep } from "node:path";
import { z } from "zod";
import { PyExecutorError } from "./errors.ts";
import { LOG_LEVELS } from "./observability/log.ts";
import { byteSize } from "./sandbox/amounts.ts";
import { policySettings } from "./sandbox/policy.ts";

/** A number, or its decimal text: flags and variables are text. */
const number = z.union([z.number(), z.string().regex(/\S/, "not a number").transform(Number)]);
const bytes = number.pipe(z.number().int().min(1));
const count = number.pipe(z.number().int().min(1));
const seconds = number.pipe(
  z.number().positive().max(2_000_000, "longer than Node's timers reach"),
);

const yesOrNo = z.union(
  [
    z.boolean(),
    z.enum(["true", "yes", "1"]).transform(() => true),
    z.enum(["false", "no", "0"]).transform(() => false),
  ],
  "takes yes or no",
);

const names = z
  .union([z.string().transform((list) => list.split(",")), z.array(z.string())])
  .transform((list) => list.map((name) => name.trim()).filter((name) => name !== ""));

/**
 * Every option there is, with its default and meaning. An option is a flag of the command line (`--max-runs`), an
 * environment variable (`PY_EXECUTOR_MAX_RUNS`), a key of the settings file (`"maxRuns"`) and a field of
 * {@link ExecutorOptions}; the first one that is set counts.
 */
export const settingsSchema = z.strictObject({
  workspace: z
    .string()
    .optional()
    .describe(
      "Folder that code works in (default: the current one, or a scratch folder if that is /, your home or above it)",
    ),
  python: z
    .string()
    .optional()
    .describe(
      "Python to run code with where the working directory has no .venv (default: python3 on PATH)",
    ),
  pythonEnv: z
    .enum(["none", "virtualenv", "conda"])
    .default("none")
    .describe(
      "Instead of --python, that of the environment which the server was started in: VIRTUAL_ENV, or CONDA_PREFIX",
    ),
  allowEnv: names
    .default([])
    .describe("Variables of the server that code may see, by name, separated by commas"),
  ...policySettings,
  maxRuns: count
    .default(Math.max(4, availableParallelism()))
    .describe("Runs that go on at the same time (default: the number of cores, at least 4)"),
  maxQueued: number
    .pipe(z.number().int().min(0))
    .default(1000)
    .describe("Runs that may wait for a place"),
  defaultTimeout: seconds
    .default(30)
    .describe("Seconds a run may take where the caller doesn't say"),
  maxTimeout: seconds.default(60).describe("Longest timeout that a caller may ask for, in seconds"),
  maxBackground: seconds
    .default(3600)
    .describe("Longest timeout of a background run, in seconds; also what it gets that names none"),
  maxSessions: number
    .pipe(z.number().int().min(0))
    .default(8)
    .describe("Sessions that one client may have at the same time"),
  sessionIdle: seconds.default(1800).describe("Seconds after which a session ends that isn't used"),
  maxWorkers: count.default(4).describe("Snippets of one batch that may run at the same time"),
  maxSnippets: count.default(20).describe("Snippets in one batch"),
  maxCodeBytes: bytes.default(1024 * 1024).describe("Longest snippet, in bytes of UTF-8"),
  maxInputBytes: bytes
    .default(8 * 1024 * 1024)
    .describe("Bytes that a call may pass as stdin and files, in all"),
  outputBytes: bytes
    .default(100_000)
    .describe("Bytes of stdout and of stderr that an answer shows: beginning and end"),
  storedOutputBytes: bytes
    .default(8 * 1024 * 1024)
    .describe("Bytes of a longer stream that are kept to be read as a resource"),
  worker: z
    .enum(["auto", "fork", "spawn"])
    .default("auto")
    .describe(
      "How runs start: forked from a warm interpreter, in an interpreter of their own, or the best there is",
    ),
  preload: names
    .default([])
    .describe("Packages to have imported before a run, by name, separated by commas"),
  packages: z
    .enum(["any", "listed", "none"])
    .optional()
    .describe(
      "Packages that callers may ask for: any, those of --package-list, or none (default: any, or listed if there is a list)",
    ),
  packageList: names
    .default([])
    .describe("Packages that callers may ask for, by name, separated by commas"),
  allowBuild: yesOrNo
    .default(false)
    .describe(
      "Whether packages without a wheel may be built, which runs their authors' code uncontained",
    ),
  installTimeout: seconds.default(300).describe("Seconds that installing packages may take"),
  maxPackageSpace: byteSize()
    .default(5 * 1024 ** 3)
    .describe("Space for installed packages in your cache folder, in bytes or as 512M, 2G"),
  logLevel: z
    .enum(LOG_LEVELS)
    .default("info")
    .describe(`What is logged on stderr: ${LOG_LEVELS.join(", ")}`),
});

/** All options, checked and complete. */
export type Settings = z.output<typeof settingsSchema>;
/** The options that a caller may give; each has a default. */
export type ExecutorOptions = z.input<typeof settingsSchema>;

const VARIABLE_PREFIX = "PY_EXECUTOR_";

/**
 * Checks options and fills in defaults. Throws `invalid_option`, naming the option and what it takes.
 *
 * @example readSettings({ maxTimeout: 300 })
 */
export function readSettings(options: Record<string, unknown>): Settings {
  const parsed = settingsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message, ...issue }) =>
    issue.code === "unrecognized_keys"
      ? `unknown option ${issue.keys.join(", ")}`
      : `option ${path.join(".")}: ${message}`,
  );
  const argument = parsed.error.issues[0]?.path.join(".");
  throw new PyExecutorError("invalid_option", `${problems.join("; ")}.`, {
    ...(argument ? { argument } : {}),
    cause: parsed.error,
  });
}

/** Flags before environment variables before the settings file. */
export function mergeSources(
  flags: Record<string, unknown>,
  variables: NodeJS.ProcessEnv,
  file: string | undefined,
): Record<string, unknown> {
  return { ...readFile(file), ...readVariables(variables), ...flags };
}

/** The name of an option as an environment variable: `maxRuns` → `PY_EXECUTOR_MAX_RUNS`. */
export function variableName(option: string): string {
  return VARIABLE_PREFIX + option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function readVariables(variables: NodeJS.ProcessEnv): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const option of Object.keys(settingsSchema.shape)) {
    const value = variables[variableName(option)];
    if (value !== undefined && value !== "") found[option] = value;
  }
  return found;
}

function readFile(file: string | undefined): Record<string, unknown> {
  if (file === undefined) return {};
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new PyExecutorError(
      "invalid_option",
      `The settings file ${file} can't be read as a JSON object.`,
      {
        argument: "config",
        cause: error,
      },
    );
  }
}

/** A path without symbolic links, as far as it exists. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * The folder that code works in: the one that was named, else the current one, unless code that is let loose there
 * would have a whole home or machine before it (hosts start servers in such places). Undefined means a scratch folder.
 */
export function chooseWorkspace(
  named: string | undefined,
  current: string,
  home = homedir(),
): string | undefined {
  if (named !== undefined) return resolve(current, named);
  const [here, own] = [real(current), real(home)];
  const isRoot = here === parse(here).root;
  const holdsHome = isAbsolute(own) && (own === here || own.startsWith(join(here, sep)));
  const isHomeOfAnother =
    /^\/root$|^\/(home|Users)\/[^/]+$/.test(here) || ["/home", "/Users"].includes(here);
  return isRoot || holdsHome || isHomeOfAnother ? undefined : current;
}
