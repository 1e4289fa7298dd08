/** Claim: code writes the workspace and its own temporary folder, and in the workspace nothing that others start. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { atEachLevel, testClaim } from "../support/containment/claim.ts";
import type { ContainedServer } from "../support/containment/contained-server.ts";
import { LEVELS } from "../support/containment/levels.ts";

const PYTHON_OF_ALL = "/usr/bin/python3";
/** Without namespaces nothing of a folder that may be written can be kept from it, and metadata are not files. */
const NEED_NAMESPACES = [
  ...["the rights of a file", "the times of a file", "the owner of a file"],
  "the attributes of a file",
  ...["hooks/post-checkout", "config", "a new hook", "its hooks, moved away"].map(
    (name) => `of a repository in the workspace: ${name}`,
  ),
  "of a repository in the workspace: all of it, moved away",
  "of the editor and the agent in the workspace",
  ...["a package", "its Python", "all of it, moved away"].map(
    (name) => `of the environment in the workspace: ${name}`,
  ),
];

/** Where the environment in the workspace has its packages. */
function packagesOf(server: ContainedServer): string {
  const [version = ""] = readdirSync(join(server.workspace, ".venv", "lib"));
  return join(server.workspace, ".venv", "lib", version, "site-packages");
}

describe("what is outside of the workspace, or started by others, can't be changed", () => {
  testClaim({
    attack: "files-write",
    prepare: (server) => {
      const { workspace, outside } = server;
      execFileSync("git", ["init", "--quiet", workspace], { stdio: "pipe" });
      execFileSync(PYTHON_OF_ALL, ["-m", "venv", "--without-pip", join(workspace, ".venv")]);
      server.write(join(workspace, ".git", "hooks", "post-checkout"), "#!/bin/sh\n");
      server.write(join(workspace, ".mcp.json"), "{}");
      server.write(join(workspace, ".vscode", "tasks.json"), "{}");
      server.write(join(outside, "remove.txt"), "kept");
      server.write(join(outside, "truncate.txt"), "kept");
    },
    more: (server) => {
      const [own = ""] = readdirSync(server.temp);
      const kept = join(server.temp, own, "kept");
      server.write(kept, "kept");
      server.giveAway();
      return { kept, packages: packagesOf(server) };
    },
    needNamespaces: NEED_NAMESPACES,
  });
});

describe("what is written in a temporary folder", () => {
  atEachLevel(LEVELS, {}, (level, server) => {
    const isControl = level.strength === "off";
    test(`is ${isControl ? "" : "not "}seen outside`, async ({ skip }) => {
      skip(level.missing !== undefined, level.missing);
      const { secret } = server();
      const paths = ["/tmp", "/var/tmp", "/dev/shm"].map((folder) => join(folder, secret));
      onTestFinished(() => {
        for (const path of paths) rmSync(path, { force: true });
      });
      await server().run(`
for path in ${JSON.stringify(paths)}:
    try:
        open(path, "w").close()
    except OSError:
        pass
`);
      expect(paths.filter((path) => existsSync(path))).toEqual(isControl ? paths : []);
    });
  });
});

describe("a folder outside of the workspace that a run works in", () => {
  atEachLevel(LEVELS, {}, (level, server) => {
    const isControl = level.strength === "off";
    test(`can be read, and ${isControl ? "" : "not "}written`, async ({ skip }) => {
      skip(level.missing !== undefined, level.missing);
      const { outside, secret } = server();
      const code = "print(open('keep.txt').read(), flush=True)\nopen('new.txt', 'w')";
      const { stdout } = await server().run(code, { cwd: outside });
      expect(stdout).toBe(`${secret}\n`);
      expect(existsSync(join(outside, "new.txt"))).toBe(isControl);
      expect(readFileSync(join(outside, "keep.txt"), "utf8")).toBe(secret);
    });
  });
});
