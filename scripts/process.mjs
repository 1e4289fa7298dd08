// @ts-check
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Nothing in scripts/ may import a package at load time: these files also run before `npm ci` has.

/** The project's folder, with a trailing separator. */
export const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Runs a program in the project's folder, without a shell.
 *
 * @param {readonly string[]} command the program and its arguments
 * @param {{ capture?: boolean, env?: Record<string, string> }} [options] `capture` keeps stdout and stderr, as one
 *   text, instead of showing them; `env` adds to the environment
 * @returns {Promise<{ ok: boolean, how: string, output: string }>} `how` says how it ended, for a message: a program
 *   that can't be started is an answer, not an exception
 */
export function run(command, { capture = false, env = {} } = {}) {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", capture ? "pipe" : "inherit", capture ? "pipe" : "inherit"],
    });
    /** @type {Buffer[]} */
    const chunks = [];
    child.stdout?.on("data", (chunk) => chunks.push(chunk));
    child.stderr?.on("data", (chunk) => chunks.push(chunk));
    const text = () => Buffer.concat(chunks).toString("utf8");
    child.on("error", (error) => resolve({ ok: false, how: error.message, output: text() }));
    child.on("close", (code, signal) =>
      resolve({
        ok: code === 0,
        how: signal === null ? `exit code ${code}` : `signal ${signal}`,
        output: text(),
      }),
    );
  });
}

/**
 * The command that starts an installed package's program. It names the script that package.json gives, since the
 * shims in node_modules/.bin can't be started without a shell on Windows.
 *
 * @param {string} packageName
 * @param {string} [program] the package's own last name, unless given
 * @returns {string[]}
 */
export function packageProgram(packageName, program = packageName.replace(/^.*\//, "")) {
  const folder = join(root, "node_modules", packageName);
  /** @type {{ bin: string | Record<string, string> }} */
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const script = typeof bin === "string" ? bin : bin[program];
  if (script === undefined) throw new Error(`${packageName} has no program ${program}.`);
  return [process.execPath, join(folder, script)];
}

/**
 * The command that starts npm: the one that runs us, or the one that came with this Node.
 *
 * @returns {string[]}
 */
export function npmProgram() {
  const besideNode = join(dirname(process.execPath), "node_modules/npm/bin/npm-cli.js");
  for (const script of [process.env.npm_execpath, besideNode]) {
    if (script?.endsWith("npm-cli.js") && existsSync(script)) return [process.execPath, script];
  }
  return ["npm"];
}
