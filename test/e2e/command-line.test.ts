import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { venvPython } from "../../scripts/python.mjs";
import { root } from "../../scripts/process.mjs";
import { runCommand, type CommandEnd, type CommandOptions } from "../support/run-command.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";

const atTerminal = fileURLToPath(new URL("programs/at_terminal.py", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

let folder: TestFolder;

beforeEach(() => {
  folder = makeTestFolder();
});

afterEach(async () => {
  const left = await folder.lastingLeftovers();
  folder.remove();
  expect(left).toEqual([]);
});

/** Runs the installed command line in the workspace. */
function pyExecutor(args: string[], options: CommandOptions = {}): Promise<CommandEnd> {
  const { cwd = folder.workspace, env, ...others } = options;
  const command = [process.execPath, inject("installed").cli, ...args];
  return runCommand(command, { ...others, cwd, env: { TMPDIR: folder.temp, ...env } });
}

describe("py-executor run", () => {
  test("runs a file, with the modules beside the working directory", async () => {
    writeFileSync(join(folder.workspace, "greetings.py"), "WORD = 'hello'\n");
    writeFileSync(join(folder.workspace, "main.py"), "import greetings\nprint(greetings.WORD)\n");
    expect(await pyExecutor(["run", "main.py"])).toMatchObject({
      code: 0,
      stdout: "hello\n",
      stderr: "",
    });
  });

  test("runs the code of -c", async () => {
    const { code, stdout } = await pyExecutor(["run", "-c", `print("it's $HOME")`]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "it's $HOME\n" });
  });

  test("runs what comes in on stdin for -", async () => {
    const stdin = "for n in range(3):\n    print(n)\n";
    expect(await pyExecutor(["run", "-"], { stdin })).toMatchObject({
      code: 0,
      stdout: "0\n1\n2\n",
    });
  });

  test("shows the last expression's value", async () => {
    const { stdout } = await pyExecutor(["run", "-c", "print('printed')\n6 * 7"]);
    expect(stdout).toBe("printed\n42\n");
  });

  test.each([
    { how: "a clean end", snippet: "pass", expected: 0 },
    { how: "sys.exit(7)", snippet: "import sys; sys.exit(7)", expected: 7 },
    { how: "an uncaught error", snippet: "1 / 0", expected: 1 },
    { how: "SIGTERM", snippet: "import os; os.kill(os.getpid(), 15)", expected: 128 + 15 },
  ])("gives the exit code that a shell would give after $how", async ({ snippet, expected }) => {
    expect((await pyExecutor(["run", "-c", snippet])).code).toBe(expected);
  });

  test("shows a traceback on stderr and nothing of it on stdout", async () => {
    const { stdout, stderr } = await pyExecutor(["run", "-c", "print('so far')\n1 / 0"]);
    expect(stdout).toBe("so far\n");
    expect(stderr).toMatch(/^Traceback [^]*ZeroDivisionError: division by zero\n$/);
  });

  test("answers as the tool does with --json, and still gives the exit code", async () => {
    const { code, stdout } = await pyExecutor(["run", "--json", "-c", "print('x')\nexit(3)"]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      stdout: "x\n",
      stderr: "",
      exit_code: 3,
      success: false,
      status: "error",
      executable: expect.stringMatching(/python/),
    });
  });

  test("works in the folder that --cwd names", async () => {
    const show = "import os; print(os.getcwd())";
    const cwd = join(folder.workspace, "below");
    mkdirSync(cwd);
    const { stdout } = await pyExecutor(["run", "-c", show, "--cwd", cwd]);
    expect(stdout).toBe(`${cwd}\n`);
  });

  test("ends with 124 at the time that --timeout allows, as timeout(1) does", async () => {
    const wait = "import time; print('began', flush=True); time.sleep(60)";
    const { code, stdout, stderr } = await pyExecutor(["run", "-c", wait, "--timeout", "1"]);
    expect({ code, stdout }).toEqual({ code: 124, stdout: "began\n" });
    expect(stderr).toContain("Error: Process timed out after 1s");
  });

  test.each([
    { wrong: "nothing to run", args: [], says: "run needs FILE, -c CODE, or -" },
    { wrong: "two things to run", args: ["a.py", "-c", "pass"], says: "run takes one of" },
    { wrong: "a file that isn't there", args: ["missing.py"], says: "missing.py" },
    {
      wrong: "a timeout that is no number",
      args: ["-c", "pass", "--timeout", "soon"],
      says: "soon",
    },
    { wrong: "a folder that isn't there", args: ["-c", "pass", "--cwd", "gone"], says: "`cwd`" },
  ])("refuses $wrong, with 2 and a reason", async ({ args, says }) => {
    const { code, stdout, stderr } = await pyExecutor(["run", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
  });
});

describe("py-executor", () => {
  test("says its version through the program that npm made", async () => {
    const program = join(inject("installed").bin, "py-executor");
    expect(await runCommand([program, "--version"])).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
  });

  test("lists commands and options for --help", async () => {
    const { code, stdout } = await pyExecutor(["--help"]);
    expect(code).toBe(0);
    for (const word of ["serve", "run", "doctor", "--workspace", "--python", "--max-runs"]) {
      expect(stdout).toContain(word);
    }
  });

  test.each([
    { wrong: "flag", args: ["--no-such-flag"] },
    { wrong: "command", args: ["no-such-command"] },
    { wrong: "flag of run", args: ["run", "-c", "pass", "--no-such-flag"] },
  ])("refuses an unknown $wrong, and points to --help", async ({ args }) => {
    const { code, stdout, stderr } = await pyExecutor(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/no-such-(flag|command)/);
    expect(stderr).toContain("--help");
  });

  test("refuses an option that can't be, and names it", async () => {
    const { code, stderr } = await pyExecutor(["--max-runs", "none"]);
    expect(code).toBe(2);
    expect(stderr).toContain("maxRuns");
  });

  test("takes an option from the environment, a flag going before it", async () => {
    const env = { PY_EXECUTOR_MAX_TIMEOUT: "1" };
    const wait = ["run", "-c", "import time; time.sleep(3); print('done')", "--timeout", "20"];
    expect((await pyExecutor(wait, { env })).code).toBe(124);
    expect((await pyExecutor([...wait, "--max-timeout", "30"], { env })).stdout).toBe("done\n");
  });

  test("ends when it is started without a client and stdin is at its end", async () => {
    expect(await pyExecutor([])).toMatchObject({ code: 0, stdout: "" });
  });

  test("says at a terminal what it is and how to connect it, on stderr, and ends by Ctrl-C", async () => {
    const command = [venvPython, atTerminal, process.execPath, inject("installed").cli];
    const { stdout } = await runCommand(command, {
      cwd: folder.workspace,
      env: { TMPDIR: folder.temp },
    });
    const end = JSON.parse(stdout);
    expect(end).toMatchObject({ ended: true, stdout: "" });
    expect(end.stderr).toContain("is an MCP server");
    expect(end.stderr).toContain("claude mcp add py-executor");
    expect(end.stderr).toContain("mcpServers");
  });
});

describe("py-executor doctor", () => {
  test("says which Python runs code, and that it works", async () => {
    const { code, stdout } = await pyExecutor(["doctor", "--python", venvPython]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Python: ${venvPython} (named by the \`--python\` option)`);
    expect(stdout).toMatch(/ok +runs code: version 3\.\d+/);
    expect(stdout).not.toContain("FAIL");
  });

  test("fails where there is no Python, and says what to do", async () => {
    const { code, stdout } = await pyExecutor(["doctor"], { env: { PATH: folder.workspace } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL +Python/);
    expect(stdout).toContain("Install Python 3.9 or newer");
  });
});
