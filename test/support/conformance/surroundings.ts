import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import type { ExecutorUnderTest } from "../executor.ts";
import { literal, python } from "../python-source.ts";

const SECRET = `secret-${crypto.randomUUID()}`;

/** What the server of these tests has to have among its variables when it starts: nothing of it is for the code. */
export const SERVERS_OWN: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: SECRET,
  DATABASE_URL: SECRET,
  MY_APP_CFG: SECRET,
  PY_EXECUTOR_TOKEN: SECRET,
  PYTHONSTARTUP: SECRET,
  PYTHONIOENCODING: "cp1252",
};

/** What a snippet finds around it: input, environment, its source file, its folders. */
export function runsInCleanSurroundings(given: () => ExecutorUnderTest): void {
  const newFolder = (name = "folder-"): string => mkdtempSync(join(given().folder.workspace, name));

  /** A run's files are removed when its answer is out. */
  const isSoonGone = (path: string): Promise<boolean> => eventually(() => !existsSync(path));

  describe("input", () => {
    test("is at its end, for the code and for its children", async () => {
      const { stdout } = await given().run(
        python`
          import subprocess, sys
          child = "import sys; print(repr(sys.stdin.read()))"
          subprocess.run([sys.executable, "-c", child])
          print(repr(sys.stdin.read()), sys.stdin.isatty())
          try:
              input("prompt> ")
          except EOFError:
              print("end of file")
        `,
        { timeout: 20 },
      );
      expect(stdout).toBe("''\n'' False\nprompt> end of file\n");
    });

    test("can't be asked of a terminal: there is none", async () => {
      const { stdout, stderr, exitCode } = await given().run(
        python`
          import getpass
          try:
              open("/dev/tty")
          except OSError:
              print("no terminal")
          try:
              getpass.getpass()
          except EOFError:
              print("no password")
          breakpoint()
        `,
        { timeout: 20 },
      );
      expect(stdout).toMatch(/^no terminal\nno password\n/);
      expect(stderr).toContain("BdbQuit");
      expect(exitCode).toBe(1);
    });
  });

  describe("the environment", () => {
    test("holds what programs need and none of the server's own", async () => {
      expect(process.env).toMatchObject(SERVERS_OWN);
      const { stdout } = await given().run(python`
        import os, subprocess
        print(subprocess.run(["env"], capture_output=True, text=True).stdout)
        print(dict(os.environ), open("/proc/self/environ").read(), open("/proc/self/cmdline").read())
        print([name for name in ("PATH", "HOME", "TMPDIR") if not os.environ.get(name)])
      `);
      expect(stdout).not.toContain(SECRET);
      expect(stdout).toMatch(/\n\[\]\n$/);
    });

    test("lets no encoding of the server through: text is UTF-8", async () => {
      const { stdout } = await given().run(
        "import sys\nprint('→ 季度', sys.stdout.encoding, sys.flags.utf8_mode)",
      );
      expect(stdout).toBe("→ 季度 utf-8 1\n");
    });

    test("and the arguments don't carry the code", async () => {
      const { stdout } = await given().run(python`
        ${"#" + " padding".repeat(1000)}
        import sys
        arguments = open("/proc/self/cmdline").read()
        print("padding padding" in arguments, len(arguments) < 4000, len(sys.argv))
      `);
      expect(stdout).toBe("False True 1\n");
    });
  });

  describe("the source file", () => {
    test("is there while the code runs, can't be read by others, and is gone afterwards", async () => {
      const { stdout } = await given().run(python`
        import os, stat
        print(__file__)
        print("private" if stat.S_IMODE(os.stat(os.path.dirname(__file__)).st_mode) == 0o700 else "open")
        print(oct(stat.S_IMODE(os.stat(__file__).st_mode)), open(__file__).read().splitlines()[0])
      `);
      const [file = "", ...rest] = stdout.trim().split("\n");
      expect(rest).toEqual(["private", "0o600 import os, stat"]);
      expect(await isSoonGone(dirname(file))).toBe(true);
    });

    test("has a name and a folder that hide no module", async () => {
      const { stdout } = await given().run(python`
        import code, os, pdb, random, sys
        name = os.path.splitext(os.path.basename(__file__))[0]
        print(name in sys.builtin_module_names, os.path.dirname(__file__) in sys.path)
        print(hasattr(code, "InteractiveConsole"), hasattr(random, "Random"))
      `);
      expect(stdout).toBe("False False\nTrue True\n");
    });

    test("may be deleted by the code", async () => {
      const { stdout, stderr, exitCode } = await given().run(
        "import os\nos.remove(__file__)\nprint('deleted')\n1 / 0",
      );
      expect({ stdout, exitCode }).toEqual({ stdout: "deleted\n", exitCode: 1 });
      expect(stderr).toMatch(/line 4, in <module>\n[^]*ZeroDivisionError/);
    });
  });

  describe("the temporary folder", () => {
    test("is the run's own, closed to others, and gone afterwards with all that is in it", async () => {
      const { stdout, exitCode } = await given().run(python`
        import os, stat, tempfile
        folder = tempfile.gettempdir()
        print(folder)
        print(os.environ["TMPDIR"] == folder, oct(stat.S_IMODE(os.stat(folder).st_mode)))
        deep = os.path.join(tempfile.mkdtemp(), "a", "b")
        os.makedirs(deep)
        open(os.path.join(deep, "file"), "w").write("x")
        os.chmod(deep, 0)
        os.chmod(os.path.dirname(deep), 0o500)
        os.mkfifo(os.path.join(folder, "pipe"))
        os.chmod(folder, 0o500)
      `);
      expect(exitCode).toBe(0);
      const [folder = "", facts] = stdout.trim().split("\n");
      expect(facts).toBe("True 0o700");
      expect(await isSoonGone(folder)).toBe(true);
      const next = await given().run(`import os\nprint(os.path.exists(${literal(folder)}))`);
      expect(next.stdout).toBe("False\n");
    });

    test("is not shared by runs at the same time", async () => {
      const code = "import tempfile, time\ntime.sleep(0.2)\nprint(tempfile.gettempdir())";
      const results = await given().runBatch({ codes: [code, code, code] });
      expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(3);
    });

    test("is removed without following links out of it", async () => {
      const kept = newFolder();
      writeFileSync(join(kept, "file"), "kept");
      await given().run(python`
        import os, tempfile
        os.symlink(${literal(kept)}, os.path.join(tempfile.gettempdir(), "link"))
        os.symlink(${literal(join(kept, "file"))}, os.path.join(tempfile.gettempdir(), "file"))
      `);
      expect(readFileSync(join(kept, "file"), "utf8")).toBe("kept");
    });

    test("may be deleted by the code", async () => {
      const { exitCode } = await given().run(
        "import shutil, tempfile\nshutil.rmtree(tempfile.gettempdir())",
      );
      expect(exitCode).toBe(0);
    });

    test("is gone as well after a failure, a deadline, a signal and a hard exit", async () => {
      const ends = [
        "1 / 0",
        "import time; time.sleep(60)",
        "os.kill(os.getpid(), 9)",
        "os._exit(0)",
      ];
      const codes = ends.map(
        (end) => `import os, tempfile\nprint(tempfile.mkdtemp(), __file__, flush=True)\n${end}`,
      );
      const results = await given().runBatch({ codes, timeout: 1 });
      const paths = results.flatMap(({ stdout }) => stdout.trim().split(" "));
      expect(paths).toHaveLength(8);
      await Promise.all(paths.map(isSoonGone));
      expect(paths.filter((path) => existsSync(path))).toEqual([]);
    });
  });

  describe("the working directory", () => {
    test("is used as given, with blanks, quotes and accents", async () => {
      const cwd = newFolder("a 'quoted' \"name\" $HOME é ");
      const { stdout } = await given().run(
        "import os, pathlib\npathlib.Path('made.txt').write_text('here')\nprint(os.getcwd())",
        { cwd },
      );
      expect(stdout).toBe(`${cwd}\n`);
      expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("here");
    });

    test("is where modules and data are found, and keeps the files that code writes", async () => {
      const cwd = newFolder();
      writeFileSync(join(cwd, "helpers.py"), "def greet(name): return 'hi ' + name");
      writeFileSync(join(cwd, "data.csv"), "a,b\n");
      const { stdout } = await given().run(
        python`
          import csv, os, sqlite3, sys, tempfile
          from helpers import greet
          print(greet(open("data.csv").read().strip()), sys.path[0] == os.getcwd())
          with open("résumé – v1.csv", "w", newline="", encoding="utf-8") as file:
              csv.writer(file).writerows([["nom", "âge"], ["Zoë", 7]])
          with sqlite3.connect("app.db") as database:
              database.execute("create table t(x)")
          os.rename("app.db", "app2.db")
        `,
        { cwd },
      );
      expect(stdout).toBe("hi a,b True\n");
      expect(readFileSync(join(cwd, "résumé – v1.csv"), "utf8")).toBe("nom,âge\r\nZoë,7\r\n");
      expect(readdirSync(cwd)).toContain("app2.db");
    });

    test("may be deleted by the code, and the next run is well", async () => {
      const cwd = newFolder();
      const { stdout } = await given().run("import os\nos.rmdir(os.getcwd())\nprint('deleted')", {
        cwd,
      });
      expect(stdout).toBe("deleted\n");
      expect(await given().run("import os; print(bool(os.getcwd()))")).toMatchObject({
        stdout: "True\n",
      });
    });

    test("holding modules named like the runner's or the standard library's own doesn't break a run", async () => {
      const cwd = newFolder();
      const names = [
        "py_executor_runtime",
        "encodings",
        "os",
        "signal",
        "marshal",
        "ctypes",
        "gc",
        "wire",
        "link",
      ];
      for (const name of names)
        writeFileSync(join(cwd, `${name}.py`), "raise SystemExit('hijacked')");
      mkdirSync(join(cwd, "select"));
      const { stdout, stderr, exitCode } = await given().run("print('runs')", { cwd });
      expect({ stdout, stderr, exitCode }).toEqual({ stdout: "runs\n", stderr: "", exitCode: 0 });
    });
  });
}
