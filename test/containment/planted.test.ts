/** Claim: what code leaves in the workspace, to be started by the server or in the next run, is confined like the run itself. */
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { atEachLevel } from "../support/containment/claim.ts";
import type { ContainedServer } from "../support/containment/contained-server.ts";
import { LEVELS } from "../support/containment/levels.ts";
import { isAlive, processesMentioning } from "../support/processes.ts";
import { literal, python } from "../support/python-source.ts";

const CONFINED = LEVELS.filter(({ strength }) => strength !== "off");

/** Writes a program in the place of an environment's Python, by a run. */
async function plantPython(server: ContainedServer, folder: string, lines: string): Promise<void> {
  const answer = await server.run(python`
    import os
    os.makedirs(${literal(`${folder}/.venv/bin`)})
    path = ${literal(`${folder}/.venv/bin/python`)}
    with open(path, "w") as file:
        file.write(${literal(`#!/bin/sh\n${lines}\n`)})
    os.chmod(path, 0o755)
  `);
  expect(answer).toMatchObject({ exit_code: 0 });
}

atEachLevel(LEVELS, {}, ({ strength, missing }, server) => {
  const isControl = strength === "off";

  test(`a planted Python ${isControl ? "does what it likes" : "can do no more than a run"}`, async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    const { outside, home, client, workspace } = server();
    const folder = join(workspace, "planted");
    await plantPython(
      server(),
      folder,
      `touch ${outside}/escaped
       cat ${home}/.netrc >> ${workspace}/stolen
       cat /proc/${client.pid}/environ >> ${workspace}/variables
       kill -URG ${client.pid} && touch ${workspace}/signalled
       touch ${workspace}/started`,
    );
    await server().run("print('no')", { cwd: folder });
    expect(existsSync(join(workspace, "started"))).toBe(true);
    const found = ["stolen", "variables"].filter(
      (name) => existsSync(join(workspace, name)) && readFileSync(join(workspace, name)).length > 0,
    );
    expect({
      escaped: existsSync(join(outside, "escaped")),
      signalled: existsSync(join(workspace, "signalled")),
      found,
    }).toEqual(
      isControl
        ? { escaped: true, signalled: true, found: ["stolen", "variables"] }
        : { escaped: false, signalled: false, found: [] },
    );
    expect(isAlive(client.pid)).toBe(true);
    expect(await server().run("print('next')")).toMatchObject({ stdout: "next\n" });
  });

  test(`a planted start-up file ${isControl ? "does what it likes" : "can do no more than a run"}`, async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    const { outside, home, workspace, temp, client } = server();
    const folder = join(workspace, "startup");
    const answer = await server().run(python`
      import os, shutil, subprocess, sys, glob
      subprocess.run([sys.executable, "-m", "venv", "--without-pip", ${literal(`${folder}/.venv`)}], check=True)
      packages = glob.glob(${literal(`${folder}/.venv/lib/*/site-packages`)})[0]
      text = ${literal(startUpFile({ outside, home, workspace, temp, pid: client.pid, isControl }))}
      for name in ("sitecustomize.py", "usercustomize.py", "planted.py"):
          with open(os.path.join(packages, name), "w") as file:
              file.write(text)
      with open(os.path.join(packages, "planted.pth"), "w") as file:
          file.write("import planted\n")
    `);
    expect(answer).toMatchObject({ exit_code: 0 });
    await server().run("print('runs in it')", { cwd: folder });
    expect(existsSync(join(workspace, "planted-was-here"))).toBe(true);
    const told = readFileSync(join(workspace, "planted-was-here"), "utf8").trim().split(" ");
    const all = ["escaped", "saw", "signalled", "stolen", "variables"];
    const names = strength === "without namespaces" ? ["saw"] : []; // as the documentation says
    expect([...new Set(told.filter(Boolean))].toSorted()).toEqual(isControl ? all : names);
    expect(isAlive(client.pid)).toBe(true);
    expect(await server().run("print('next')")).toMatchObject({ stdout: "next\n" });
  });

  test(`a planted environment ${isControl ? "does what it likes" : "uncovers nothing"}, by whatever name its folder goes`, async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    const { base, home, workspace } = server();
    const secret = join(home, ".ssh", "id_test");
    await plantPython(
      server(),
      join(workspace, "named"),
      `cat ${secret} >> ${workspace}/uncovered`,
    );
    server().write(
      join(workspace, "named", ".venv", "pyvenv.cfg"),
      `home = ${join(secret, "bin")}\n`,
      0o644,
    );
    symlinkSync(home, join(base, "link"));
    server().giveAway();
    for (const folder of [workspace, join(base, "link", "work")]) {
      await server().run("print('no')", { cwd: join(folder, "named") });
    }
    const uncovered = readFileSync(join(workspace, "uncovered"), "utf8");
    if (isControl) expect(uncovered).toContain(server().secret);
    else expect(uncovered).toBe("");
  });
});

function startUpFile(place: {
  outside: string;
  home: string;
  workspace: string;
  temp: string;
  pid: number;
  isControl: boolean;
}): string {
  return python`
    import ctypes, glob, os, stat
    def _planted():
        found = []
        libc = ctypes.CDLL(None)
        home, netrc = ${literal(place.home)}, ${literal(`${place.home}/.netrc`)}
        def attempt(what, function):
            try:
                if function():
                    found.append(what)
            except OSError:
                pass
        def uncovered():
            libc.umount2(netrc.encode(), 2)
            return open(netrc).read()
        def uncovered_in_a_copy():
            tree = libc.syscall(428, -100, home.encode(), 1)
            return open(os.open(".netrc", os.O_RDONLY, dir_fd=tree)).read() if tree > 0 else False
        def made_writable():
            libc.mount(None, b"/", None, 32 | 4096, None)
            return open(home + "/planted", "w")
        def moved_away():
            seen = os.path.exists("/proc/${place.pid}")
            libc.mount(b"/proc", (home + "/work").encode(), None, 8192, None)
            libc.umount2(b"/proc", 2)
            return os.path.exists("/proc/${place.pid}") and not seen
        def other_interpreters():
            paths = glob.glob(${literal(`${place.temp}/*/*/*`)})
            return [path for path in paths if stat.S_ISSOCK(os.stat(path).st_mode)]
        attempt("saw", other_interpreters)
        attempt("escaped", lambda: open(${literal(`${place.outside}/planted`)}, "w"))
        attempt("stolen", lambda: open(netrc).read())
        attempt("variables", lambda: open("/proc/${place.pid}/environ").read())
        attempt("signalled", lambda: os.kill(${place.pid}, 0) is None)
        if ${place.isControl ? "False" : "True"}:
            for attack in (uncovered, uncovered_in_a_copy, made_writable, moved_away):
                attempt(attack.__name__, attack)
        with open(${literal(`${place.workspace}/planted-was-here`)}, "a") as file:
            file.write(" ".join(found) + " ")
    _planted()
  `;
}

atEachLevel(CONFINED, {}, ({ missing }, server) => {
  test("a planted Python that ignores all ends with the server, however that ends", async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    const { workspace, base, client } = server();
    const folder = join(workspace, "stubborn");
    await plantPython(
      server(),
      folder,
      `trap '' TERM HUP INT; touch ${workspace}/ready; while :; do sleep 0.2; done`,
    );
    void server()
      .run("print('no')", { cwd: folder })
      .catch(() => {});
    expect(await eventually(() => existsSync(join(workspace, "ready")))).toBe(true);
    client.kill("SIGKILL");
    await client.ended;
    await eventually(() => processesMentioning(base).length === 0, 15_000);
    expect(processesMentioning(base)).toEqual([]);
  });
});
