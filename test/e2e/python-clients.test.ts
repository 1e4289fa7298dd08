import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { prepareOlderClient, venvPython } from "../../scripts/python.mjs";
import { assertSuccess, runCommand } from "../support/run-command.ts";
import { makeTestFolder } from "../support/test-folder.ts";

const program = fileURLToPath(new URL("programs/mcp_conversation.py", import.meta.url));
const version = execFileSync(venvPython, ["-c", "import sys; print(sys.version_info >= (3, 10))"]);
const isSupported = version.toString().trim() === "True";

const clients = [
  { name: "1.x", preparePython: prepareOlderClient, protocol: "2025-11-25" },
  { name: "2.x", preparePython: async () => venvPython, protocol: "2026-07-28" },
];

describe.each(clients)(
  "the installed server and Python's mcp $name",
  ({ preparePython, protocol }) => {
    let python = venvPython;

    beforeAll(async () => {
      if (isSupported) python = await preparePython();
    });

    test("hold a conversation and part without a trace", async ({ skip }) => {
      skip(!isSupported, "Python's mcp needs CPython 3.10 or newer");
      const folder = makeTestFolder();
      onTestFinished(() => folder.remove());
      const server = [process.execPath, inject("installed").cli, "--workspace", folder.workspace];
      const end = await runCommand([python, program, ...server], {
        env: { TMPDIR: folder.temp },
      });
      assertSuccess(end);
      expect(JSON.parse(end.stdout)).toMatchObject({
        protocol,
        tools: expect.arrayContaining(["run_python", "run_python_batch"]),
        run: {
          stdout: `Hello 'world' with "quotes" and $variables\n`,
          exit_code: 0,
          success: true,
        },
        batch: { results: [{ stdout: "1\n" }, { stdout: "2\n" }] },
        refused: { success: false, error: expect.stringContaining("`cwd`") },
      });
      expect(await folder.lastingLeftovers()).toEqual([]);
    });
  },
);
