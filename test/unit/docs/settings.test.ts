import { existsSync, readdirSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { parseCommandLine, usage } from "../../../src/cli/arguments.ts";
import { readSettings, settingsSchema, variableName } from "../../../src/config.ts";
import { policySettings } from "../../../src/sandbox/policy.ts";

const root = new URL("../../../", import.meta.url);
const settingsPage = read("docs/settings.md");
const containmentPage = read("docs/containment.md");

/** Defaults that the page puts into words, since they depend on the machine or are no single value. */
const DEFAULTS_IN_WORDS: Record<string, string> = {
  workspace: "see below",
  python: "see below",
  maxRuns: "cores, at least 4",
  maxCpuSeconds: "none",
  packages: "any, or listed",
};

/** A value of each option that takes only some words. */
const ONE_OF_SEVERAL: Record<string, string> = {
  worker: "spawn",
  logLevel: "error",
  sandbox: "strict",
  packages: "listed",
  allowBuild: "true",
  pythonEnv: "conda",
  allowNet: "example.com",
  maxMemory: "67108864",
};

/** One row of the table of options, without the marks of Markdown. */
interface Row {
  flag: string;
  variable: string;
  key: string;
  default: string;
  meaning: string;
}

function read(path: string): string {
  return readFileSync(new URL(path, root), "utf8");
}

function rowsOf(page: string): Row[] {
  return page
    .split("\n")
    .filter((line) => line.startsWith("| `--"))
    .map((line) => {
      const cells = line.split("|").slice(1, -1);
      const [flag = "", variable = "", key = "", fallback = "", meaning = ""] = cells.map((cell) =>
        cell.trim().replace(/^`([^`]*)`$/, "$1"),
      );
      return { flag, variable, key, default: fallback, meaning };
    });
}

/** The page's code blocks of one language. */
function codeBlocks(page: string, language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"));
  return [...blocks].map(([, code = ""]) => code);
}

function isAccepted(line: string): boolean {
  try {
    parseCommandLine(line.split(" "), {});
    return true;
  } catch {
    return false;
  }
}

const rows = rowsOf(settingsPage);
const keys = Object.keys(settingsSchema.shape);

describe("docs/settings.md", () => {
  test("lists every option, and none that there isn't, in the order of --help", () => {
    expect(rows.map(({ key }) => key)).toEqual(keys);
  });

  test.each(rows)("gives $key the names that the server takes", ({ flag, variable, key }) => {
    expect(variable).toBe(variableName(key));
    expect(usage()).toContain(`  ${flag} `);
    const value = ONE_OF_SEVERAL[key] ?? "7";
    const line = parseCommandLine(["serve", flag, value], {});
    const parsed: Record<string, unknown> = { ...("settings" in line ? line.settings : {}) };
    expect([parsed[key]].flat().join()).toBe(value);
  });

  test.each(rows)("gives $key its default", (row) => {
    const defaults: Record<string, unknown> = readSettings({});
    expect(row.default).toBe(DEFAULTS_IN_WORDS[row.key] ?? (String(defaults[row.key]) || "none"));
  });

  test.each(rows)("says what $key means", ({ meaning }) => {
    expect(meaning).not.toBe("");
  });

  test("shows a settings file that the server takes", () => {
    const [file = ""] = codeBlocks(settingsPage, "json");
    expect(() => readSettings(JSON.parse(file))).not.toThrow();
  });
});

describe("docs/containment.md", () => {
  test("shows a settings file that the server takes", () => {
    const [file = ""] = codeBlocks(containmentPage, "json");
    expect(() => readSettings(JSON.parse(file))).not.toThrow();
  });

  test.each(Object.keys(policySettings))("has an example of %s", (key) => {
    const { flag } = rows.find((row) => row.key === key) ?? { flag: key };
    expect(codeBlocks(containmentPage, "sh").join("")).toContain(flag);
  });

  test("names all that a run may not change in its workspace", () => {
    const spec = read("src/sandbox/spec.ts");
    const [, list = ""] = /^const PROTECTED = \[(.*?)^\];/ms.exec(spec) ?? [];
    const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => `\`${name}\``);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !containmentPage.includes(name))).toEqual([]);
  });
});

describe("SECURITY.md", () => {
  const named: string[] = read("SECURITY.md").match(/[\w/-]+\.test\.ts/g) ?? [];
  const attacks = readdirSync(new URL("test/containment/", root)).filter((name) =>
    name.endsWith(".test.ts"),
  );

  test("names only tests that there are", () => {
    const missing = named.filter(
      (name) => !attacks.includes(name) && !existsSync(new URL(name, root)),
    );
    expect(missing).toEqual([]);
  });

  test("names every test that attacks a claim", () => {
    expect(attacks.filter((name) => !named.includes(name))).toEqual([]);
  });
});

describe("the documentation", () => {
  const names = readdirSync(new URL("docs/", root)).filter((name) => name.endsWith(".md"));
  const pages = ["README.md", ...names.map((name) => `docs/${name}`)];

  test.each(pages)("%s names no variable that the server doesn't read", (page) => {
    const named = read(page).match(/\bPY_EXECUTOR_[A-Z_]+[A-Z]\b/g) ?? [];
    expect(keys.map(variableName)).toEqual(expect.arrayContaining(named));
  });

  test.each(pages)("%s shows no command line that the program refuses", (page) => {
    const lines = codeBlocks(read(page), "sh")
      .flatMap((code) => code.split("\n"))
      .flatMap(
        (line) => /^(?:npx -y )?py-executor (?<args>[^'"|]*)$/.exec(line)?.groups?.["args"] ?? [],
      );
    const refused = lines.filter((line) => !isAccepted(line));
    expect(refused).toEqual([]);
  });
});
