/** Claim: a folder that a caller names, or that the operator shows, uncovers nothing that is hidden in it. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { atEachLevel } from "../support/containment/claim.ts";
import { LEVELS } from "../support/containment/levels.ts";
import { literal, python } from "../support/python-source.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** The servers' TMPDIR, in which they have their own folders, below a temporary folder. */
const temporary = mkdtempSync("/tmp/py-executor-test-");
chmodSync(temporary, 0o1777);
afterAll(() => rmSync(temporary, { recursive: true }));

atEachLevel(LEVELS, {}, ({ strength, missing, isRoot }, server) => {
  const isControl = strength === "off";

  test(`code ${isControl ? "reads" : "can't read"} credentials in the folder that a caller names`, async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    const { home, secret } = server();
    const secrets = [join(home, ".netrc"), join(home, ".config", "gh", "hosts.yml")];
    for (const path of secrets) server().write(path, secret);
    server().giveAway();
    if (isRoot) secrets.push("/etc/shadow");
    for (const cwd of [home, join(home, ".config"), "/etc", "/"]) {
      const { stdout } = await server().run(readingAny(secrets), { cwd });
      expect(stdout).toBe(isControl ? secrets.map((path) => `${path}\n`).join("") : "");
    }
  });
});

describe.each([
  // without templates, whose sockets are another reason to refuse the folder
  { name: "a caller names the folder", args: ["--worker", "spawn"], cwd: temporary },
  { name: "the operator shows the folder", args: ["--allow-read", temporary], cwd: undefined },
])("$name", ({ args, cwd }) => {
  atEachLevel(
    LEVELS,
    { args, env: { TMPDIR: temporary } },
    ({ missing, strength, uid }, server) => {
      const isControl = strength === "off";
      test(`the server's own folder in it ${isControl ? "is" : "isn't"} reached`, async ({
        skip,
      }) => {
        skip(missing !== undefined, missing);
        const [own = ""] = readdirSync(temporary);
        const kept = join(temporary, own, "kept");
        server().write(kept, server().secret);
        lchownSync(kept, uid, uid);
        const code = `${readingAny([kept])}\n${connectingBelow(join(temporary, own))}`;
        const { stdout = "" } = await server().run(code, cwd === undefined ? {} : { cwd });
        if (isControl) expect(stdout).toContain(kept);
        else expect(stdout).toBe("");
      });
    },
  );
});

atEachLevel(
  LEVELS.filter(({ strength }) => strength !== "off"),
  { args: ["--allow-read", "/tmp,/var/tmp,/run"] },
  ({ missing }, server) => {
    test("temporary folders that the operator shows can be read, and there is another one to write", async ({
      skip,
    }) => {
      skip(missing !== undefined, missing);
      const path = join(temporary, "shown.txt");
      server().write(path, "shown", 0o644);
      const code = `${readingAny([path])}\nimport tempfile\ntempfile.TemporaryFile().write(b"own")`;
      expect(await server().run(code)).toMatchObject({ stdout: `${path}\n`, exit_code: 0 });
    });
  },
);

describe.each(LEVELS)("$name", ({ strength, missing, uid, prefix, env }) => {
  const isHidden = strength === "full"; // without namespaces nothing of the workspace can be kept from code
  test(`credentials in a workspace ${isHidden ? "can't" : "can"} be read`, ({ skip }) => {
    skip(missing !== undefined, missing);
    const home = mkdtempSync(join(temporary, "home-"));
    const names = [".netrc", ".ssh/id_test", ".claude/.credentials.json"];
    for (const name of names) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), "secret");
    }
    for (const path of ["", ".ssh", ".claude", ...names]) lchownSync(join(home, path), uid, uid);
    const args = ["run", "--sandbox", strength === "off" ? "off" : "auto", "-c", readingAny(names)];
    const [program = "", ...rest] = [...prefix, process.execPath, CLI, ...args];
    const variables = { ...process.env, ...env, HOME: home, TMPDIR: "/var/tmp" };
    const { stdout } = spawnSync(program, rest, {
      cwd: home,
      env: variables,
      encoding: "utf8",
    });
    expect(stdout).toBe(isHidden ? "" : `${names.join("\n")}\n`);
  });
});

/** Prints the paths of those files that can be read. */
function readingAny(paths: readonly string[]): string {
  return python`
    for path in ${JSON.stringify(paths)}:
        try:
            open(path).read()
            print(path)
        except OSError:
            pass
  `;
}

/** Prints the paths of those sockets in a folder, with all that is in it, that can be connected to. */
function connectingBelow(folder: string): string {
  return python`
    import glob, os, socket, stat
    for path in glob.glob(${literal(`${folder}/**`)}, recursive=True):
        try:
            if stat.S_ISSOCK(os.stat(path).st_mode):
                with socket.socket(socket.AF_UNIX) as visitor:
                    visitor.connect(path)
                print(path)
        except OSError:
            pass
  `;
}
