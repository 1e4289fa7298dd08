import { expect, inject, onTestFinished, test } from "vitest";
import { npmProgram } from "../../scripts/process.mjs";
import { assertSuccess, runCommand } from "../support/run-command.ts";
import { makeTestFolder } from "../support/test-folder.ts";

/** The Inspector needs a newer Node than we do: npm brings one along. */
const PACKAGES = ["--package=node@24", "--package=@modelcontextprotocol/inspector@2.12.0"];
const DOWNLOAD_PATIENCE_MS = 110_000;

test.for(["legacy", "modern"])(
  "the Inspector's command line calls a tool in its %s era",
  async (era, { skip }) => {
    const folder = makeTestFolder();
    onTestFinished(() => folder.remove());
    const inspector = [...npmProgram(), "exec", "--yes", "--prefer-offline", ...PACKAGES, "--"];
    const server = [process.execPath, inject("installed").cli, "--workspace", folder.workspace];
    const command = [...inspector, "mcp-inspector", "--cli", ...server, "--protocol-era", era];
    command.push("--method", "tools/call", "--tool-name", "run_python");
    command.push("--tool-arg", `code=print("it's $HOME")`);
    const end = await runCommand(command, {
      cwd: folder.workspace,
      env: { TMPDIR: folder.temp },
      withinMs: DOWNLOAD_PATIENCE_MS,
    });
    skip(end.stderr.includes("npm error"), "missing: the Inspector, which npm could not download");
    assertSuccess(end);
    const { content } = JSON.parse(end.stdout);
    expect(JSON.parse(content[0].text)).toMatchObject({ stdout: "it's $HOME\n", success: true });
  },
);
