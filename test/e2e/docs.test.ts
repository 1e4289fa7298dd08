import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { root } from "../../scripts/process.mjs";
import { findExamples, type Example } from "../support/doc-examples.ts";
import { assertSuccess, runCommand, type CommandEnd } from "../support/run-command.ts";
import { makeTestFolder } from "../support/test-folder.ts";

const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
const examples = pages
  .filter((page) => page.endsWith(".md"))
  .flatMap((page) => findExamples(page, readFileSync(join(root, page), "utf8")));

/** Our own program at the start of a command, perhaps with variables, or at the end of a pipe. */
const OUR_COMMAND = /^(.*\| *)?(\w+=\S* )*(npx -y )?py-executor( |$)/;

/** Runs lines of shell as a reader would, with the installed program on PATH. */
function runShell(script: string): Promise<CommandEnd> {
  const folder = makeTestFolder();
  onTestFinished(() => folder.remove());
  return runCommand(["sh", "-e", "-c", script], {
    cwd: folder.workspace,
    env: {
      TMPDIR: folder.temp,
      PATH: [inject("installed").bin, process.env["PATH"]].join(delimiter),
    },
  });
}

/** What comments beside lines say that these print, if all of them say so. */
function promisedOutput(lines: readonly string[]): string | undefined {
  const promises = lines.map((line) => /[)'] +# (.+)$/.exec(line)?.[1]);
  const all = promises.filter((promise) => promise !== undefined);
  return all.length > 0 && all.length === lines.length ? `${all.join("\n")}\n` : undefined;
}

async function runPython(code: string): Promise<void> {
  const folder = makeTestFolder();
  onTestFinished(() => folder.remove());
  const command = [process.execPath, inject("installed").cli, "run", "-"];
  const env = { TMPDIR: folder.temp };
  const end = await runCommand(command, { cwd: folder.workspace, stdin: code, env });
  assertSuccess(end);
  const promised = promisedOutput(code.split("\n").filter((line) => line.startsWith("print(")));
  if (promised !== undefined) expect(end.stdout).toBe(promised);
}

async function runScript(code: string): Promise<void> {
  const project = mkdtempSync(join(inject("installed").folder, "docs-"));
  writeFileSync(join(project, "example.js"), (await transform(code, { loader: "ts" })).code);
  assertSuccess(await runCommand([process.execPath, "example.js"], { cwd: project }));
}

/** The lines that use our program, without `npx`, which would fetch a published package. */
function ourCommands(script: string): string[] {
  return script
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => OUR_COMMAND.test(line))
    .map((line) => line.replace("npx -y py-executor", "py-executor"));
}

/** What there is to check of a block; undefined if it is only to be read. */
function checkOf({ language, code }: Example): (() => Promise<void>) | undefined {
  switch (language) {
    case "python":
      return () => runPython(code);
    case "json":
      return async () => void JSON.parse(code);
    case "js":
    case "ts":
      return code.includes(`from "py-executor"`) ? () => runScript(code) : undefined;
    case "sh": {
      const commands = ourCommands(code);
      if (commands.length === 0) return undefined;
      return async () => {
        const end = await runShell(commands.join("\n"));
        assertSuccess(end);
        const promised = promisedOutput(commands);
        if (promised !== undefined) expect(end.stdout).toBe(promised);
      };
    }
    default:
      return undefined;
  }
}

const checked = examples.flatMap((example) => {
  const check = checkOf(example);
  return check === undefined ? [] : [{ ...example, check }];
});

test.each(["python", "json", "js", "sh"])("the pages have examples in %s", (language) => {
  expect(checked.filter((example) => example.language === language)).not.toEqual([]);
});

describe("an example of the documentation does what it says", () => {
  for (const { place, language, exemption, check } of checked) {
    test(`${place} (${language})`, async ({ skip }) => {
      if (exemption !== undefined) skip(exemption);
      await expect(check()).resolves.toBeUndefined();
    });
  }
});
