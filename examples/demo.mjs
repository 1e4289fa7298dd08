// @ts-check
// `npm run demo`: the built server, driven over stdio by the official MCP client as an agent's host would do it.
// It checks what it shows, and ends with exit code 1 if something is not as it says.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createPresenter } from "./presenter.mjs";
import { canSeeProcesses, processesNaming } from "./process-list.mjs";

/** @typedef {import("./presenter.mjs").Answer} Answer */

const server = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const workspace = realpathSync(mkdtempSync(join(tmpdir(), "py-executor-demo-")));
const client = new Client({ name: "py-executor-demo", version: "1.0.0" });
const { scene, show, check, problems } = createPresenter();

/**
 * @param {string} name
 * @param {Record<string, unknown>} args
 * @returns {Promise<any>} the JSON of the answer's first content block
 */
async function callTool(name, args) {
  const { content } = await client.callTool({ name, arguments: args });
  const [first] = content;
  if (first?.type !== "text") throw new Error(`${name} answered without text`);
  return JSON.parse(first.text);
}

/**
 * Runs one snippet and shows it with its answer.
 *
 * @param {string} code
 * @param {{ timeout?: number, cwd?: string }} [options]
 * @returns {Promise<Answer>}
 */
async function runAndShow(code, options = {}) {
  const answer = await callTool("run_python", { code, ...options });
  show(code, answer);
  return answer;
}

/** @returns {Promise<string>} the Python that the server chose */
async function showQuoting() {
  scene("Code is data: no shell sees it, no quote needs escaping");
  const { stdout, executable } = await runAndShow(
    `print("Hello 'world' with \\"quotes\\" and $variables")`,
  );
  check("the text is as it was written", stdout === `Hello 'world' with "quotes" and $variables\n`);
  return executable;
}

async function showLastValue() {
  scene("The last expression's value comes back without a print()");
  const { result, stdout } = await runAndShow(
    "import statistics\n\nseconds = [12, 15, 11, 19]\nstatistics.mean(seconds)",
  );
  check("the value is the result", result === "14.25");
  check("nothing was printed", stdout === "");
}

/** @param {string} python */
async function showBatch(python) {
  scene("A batch: independent files, in parallel, with the folder's own .venv");
  const cwd = join(workspace, "reports");
  const lines = { "north.csv": "3\n4\n5\n", "south.csv": "10\n20\n", "west.csv": "7\n" };
  mkdirSync(cwd);
  for (const [file, text] of Object.entries(lines)) writeFileSync(join(cwd, file), text);
  execFileSync(python, ["-m", "venv", "--without-pip", join(cwd, ".venv")]);
  const codes = Object.keys(lines).map(
    (file) => `with open("${file}") as f:\n    print("${file}", sum(int(line) for line in f))`,
  );
  /** @type {{ results: Answer[] }} */
  const { results } = await callTool("run_python_batch", { codes, cwd, max_workers: 3 });
  for (const [index, answer] of results.entries()) show(codes[index] ?? "", answer);
  const printed = results.map(({ stdout }) => stdout).join("");
  check(
    "the answers are in the order of the snippets",
    printed === "north.csv 12\nsouth.csv 30\nwest.csv 7\n",
  );
  const venv = join(cwd, ".venv");
  check(
    "each ran in the .venv",
    results.every(({ executable }) => executable.startsWith(venv)),
  );
}

async function showFailure() {
  scene("A snippet that fails: its exit code and its own traceback");
  const { exit_code, stderr } = await runAndShow(
    "def mean(numbers):\n    return sum(numbers) / len(numbers)\n\nmean([])",
  );
  check("the exit code is 1", exit_code === 1);
  check("the traceback shows the line", stderr.includes("return sum(numbers) / len(numbers)"));
  check("the error is named", stderr.trimEnd().endsWith("ZeroDivisionError: division by zero"));
}

async function showDeadline() {
  scene("A snippet that would never end: its deadline takes all its processes");
  const mark = `demo-child-${process.pid}`;
  const code = `import subprocess, sys, time

subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "${mark}"])
print("started a child, now waiting for ever")
time.sleep(600)`;
  const answering = runAndShow(code, { timeout: 1 });
  const childWasSeen = await appearsBefore(answering, mark);
  const { exit_code, status, stdout } = await answering;
  if (canSeeProcesses) check("its child was running", childWasSeen);
  check("it timed out", exit_code === -1 && status === "timeout");
  check("what it had printed is kept", stdout === "started a child, now waiting for ever\n");
  if (canSeeProcesses) check("no process is left", processesNaming(mark).length === 0);
}

/**
 * @param {Promise<unknown>} end
 * @param {string} mark
 * @returns {Promise<boolean>} whether a process that names the mark was there before the end
 */
async function appearsBefore(end, mark) {
  const ended = end.then(
    () => true,
    () => true,
  );
  while (processesNaming(mark).length === 0) {
    if (await Promise.race([ended, sleep(20, false)])) return false;
  }
  return true;
}

async function demonstrate() {
  const args = [server, "--workspace", workspace];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  const { tools } = await client.listTools();
  console.log(`Connected. The server offers ${tools.map(({ name }) => name).join(" and ")}.`);
  const python = await showQuoting();
  await showLastValue();
  await showBatch(python);
  await showFailure();
  await showDeadline();
}

process.once("exit", () => rmSync(workspace, { recursive: true, force: true }));
// The server sees its stdin end with us, and ends too.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
try {
  await demonstrate();
} catch (error) {
  problems.push(error instanceof Error ? error.message : String(error));
} finally {
  await client.close();
}
const verdict = problems.map((problem) => `NOT AS IT SHOULD BE: ${problem}`).join("\n");
console.log(`\n${verdict || "Everything was as shown."}`);
process.exitCode = problems.length === 0 ? 0 : 1;
