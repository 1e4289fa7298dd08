/** Claim: code writes the workspace and its own temporary folder, and in the workspace nothing that others start. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { atEachLevel, testClaim } from "../support/containment/claim.ts";
import type { ContainedServer } from "../support/containment/contained-server.ts";
import { LEVELS } from "../support/containment/levels.ts";
import { python } from "../support/python-source.ts";

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
  also: ({ strength, missing }, server) => {
    const isControl = strength === "off";

    test(`what is in a temporary folder is ${isControl ? "" : "not "}seen outside`, async ({
      skip,
    }) => {
      skip(missing !== undefined, missing);
      const { secret } = server();
      const paths = ["/tmp", "/var/tmp", "/dev/shm"].map((folder) => join(folder, secret));
      onTestFinished(() => {
        for (const path of paths) rmSync(path, { force: true });
      });
      const answer = await server().run(python`
        for path in ${JSON.stringify(paths)}:
            try:
                open(path, "w").close()
            except OSError:
                pass
      `);
      expect(answer).toMatchObject({ exit_code: 0 });
      expect(paths.filter((path) => existsSync(path))).toEqual(isControl ? paths : []);
    });

    test(`a folder that code works in can be read, and ${isControl ? "" : "not "}written`, async ({
      skip,
    }) => {
      skip(missing !== undefined, missing);
      const { base, secret } = server();
      const visited = join(base, "home", "visited");
      server().write(join(visited, "keep.txt"), secret);
      server().giveAway();
      const code = "print(open('keep.txt').read(), flush=True)\nopen('new.txt', 'w')";
      const { stdout } = await server().run(code, { cwd: visited });
      expect(stdout).toBe(`${secret}\n`);
      expect(existsSync(join(visited, "new.txt"))).toBe(isControl);
    });
  },
});

atEachLevel(
  LEVELS,
  {
    prepare: (server) => server.write(join(server.workspace, ".git"), "gitdir: elsewhere\n", 0o644),
  },
  ({ strength, missing }, server) => {
    const isKept = strength === "full";
    test(`the .git file of a worktree ${isKept ? "can't" : "can"} be changed`, async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { stdout } = await server().run(python`
        import os
        for way in (
            lambda: os.unlink(".git"),
            lambda: os.rename("new", ".git"),
            lambda: open(".git", "w"),
        ):
            open("new", "w").close()
            try:
                way()
                print("changed")
            except OSError:
                pass
      `);
      expect(stdout).toBe(isKept ? "" : "changed\nchanged\nchanged\n");
    });
  },
);
