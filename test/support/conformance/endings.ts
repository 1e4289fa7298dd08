import { describe, expect, test } from "vitest";
import type { ExecutorUnderTest } from "../executor.ts";
import { python } from "../python-source.ts";

/** How a snippet ends is told as `python file.py` would have ended. */
export function endsLikeAScript(given: () => ExecutorUnderTest): void {
  describe("exit codes", () => {
    test.each([
      ["nothing at all", "", 0],
      ["only a comment", "   \n\n# nothing to do\n", 0],
      ["sys.exit()", "import sys; sys.exit()", 0],
      ["sys.exit(3)", "import sys; sys.exit(3)", 3],
      ["sys.exit(-1), of which the kernel keeps a byte", "import sys; sys.exit(-1)", 255],
      ["sys.exit with a text", "import sys; sys.exit('no luck')", 1],
      ["SystemExit in the middle", "raise SystemExit(4)\nprint('not reached')", 4],
      ["an uncaught exception", "{}['key']", 1],
      ["a syntax error", "def broken(:\n", 1],
      ["os._exit(7)", "import os; os._exit(7)", 7],
    ])("%s", async (_, code, exitCode) => {
      const result = await given().run(code);
      const status = exitCode === 0 ? "ok" : "error";
      expect(result).toMatchObject({ exitCode, status, success: exitCode === 0, stdout: "" });
      expect(result.signal).toBeUndefined();
    });

    test("a text given to sys.exit is on stderr, with nothing else", async () => {
      const { stderr } = await given().run("import sys; sys.exit('no luck')");
      expect(stderr).toBe("no luck\n");
    });

    test("what was flushed before os._exit is kept, and atexit callbacks don't run", async () => {
      const { stdout, exitCode } = await given().run(python`
        import atexit, os, sys
        atexit.register(print, "not to be seen")
        sys.stdout.write("before"); sys.stdout.flush()
        os._exit(7)
      `);
      expect({ stdout, exitCode }).toEqual({ stdout: "before", exitCode: 7 });
    });

    test("threads end first, then atexit callbacks run, and the exit code of the script stands", async () => {
      const { stdout, exitCode } = await given().run(python`
        import atexit, threading, time
        atexit.register(print, "callback")
        threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
        raise SystemExit(4)
      `);
      expect({ stdout, exitCode }).toEqual({ stdout: "thread\ncallback\n", exitCode: 4 });
    });

    test("a daemon thread doesn't keep the run up", async () => {
      const code =
        "import threading, time\nthreading.Thread(target=time.sleep, args=(50,), daemon=True).start()";
      const { status } = await given().run(code, { timeout: 20 });
      expect(status).toBe("ok");
    });
  });

  describe("signals", () => {
    test.each([
      ["SIGKILL", 9],
      ["SIGTERM", 15],
      ["SIGABRT", 6],
      ["SIGINT", 2],
      ["SIGUSR1", 10],
    ])("a run that ends by %s is no success and names it", async (signal, number) => {
      const result = await given().run(python`
        import os, signal
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        print("before", flush=True)
        os.kill(os.getpid(), ${number})
        signal.pause()
      `);
      const expected = {
        status: "signal",
        exitCode: -number,
        signal,
        success: false,
        stdout: "before\n",
      };
      expect(result).toMatchObject(expected);
    });

    test("a segmentation fault in C code is told as SIGSEGV", async () => {
      const code = "import ctypes\nprint('before', flush=True)\nctypes.string_at(0)";
      const { status, signal, exitCode, stdout } = await given().run(code);
      expect({ status, signal, exitCode, stdout }).toEqual({
        status: "signal",
        signal: "SIGSEGV",
        exitCode: -11,
        stdout: "before\n",
      });
    });

    test("an uncaught KeyboardInterrupt ends the run by SIGINT, traceback included", async () => {
      const { exitCode, signal, stderr } = await given().run("raise KeyboardInterrupt");
      expect({ exitCode, signal }).toEqual({ exitCode: -2, signal: "SIGINT" });
      expect(stderr).toMatch(/KeyboardInterrupt\s*$/);
    });
  });

  describe("tracebacks", () => {
    test("name the lines of the code as it was sent, with their text, and no frame of the runner", async () => {
      const { stdout, stderr } = await given().run(python`
        def share(total, count):
            return total / count

        print(__file__)
        share(3, 0)
      `);
      const frames = stderr.replaceAll(stdout.trim(), "FILE").split("\n");
      const withoutCarets = frames.filter((line) => !/^\s*[~^]+$/.test(line));
      expect(withoutCarets).toEqual([
        "Traceback (most recent call last):",
        '  File "FILE", line 5, in <module>',
        "    share(3, 0)",
        '  File "FILE", line 2, in share',
        "    return total / count",
        "ZeroDivisionError: division by zero",
        "",
      ]);
    });

    test("of a syntax error show the line", async () => {
      const { stdout, stderr, exitCode } = await given().run("print('not run')\nx = = 1\n");
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
      expect(stderr).toMatch(/line 2\n {4}x = = 1\n[^]*SyntaxError: invalid syntax\n$/);
      expect(stderr).not.toContain("Traceback");
    });

    test("deep recursion ends in RecursionError, and goes deeper when the limit is lifted", async () => {
      const { stdout, exitCode } = await given().run(python`
        import sys
        def depth(n):
            return 0 if n == 0 else 1 + depth(n - 1)
        try:
            depth(5000)
        except RecursionError:
            print("too deep")
        sys.setrecursionlimit(20000)
        print(depth(5000))
      `);
      expect({ stdout, exitCode }).toEqual({ stdout: "too deep\n5000\n", exitCode: 0 });
    });
  });

  describe("code that meddles with the interpreter", () => {
    test("whatever it patches, the exit code is that of the process", async () => {
      const { exitCode, stdout } = await given().run(python`
        import atexit, builtins, inspect, io, json, marshal, os, sys
        for frame in inspect.stack():
            for scope in (frame.frame.f_globals, frame.frame.f_locals):
                for name in ("ending", "exit_code", "fields", "reports", "result"):
                    if name in scope:
                        scope[name] = 0
        json.dumps = marshal.dumps = lambda *args, **options: b"forged"
        builtins.print = lambda *args, **options: None
        sys.exit = lambda *args: os._exit(0)
        sys.stdout = io.StringIO()
        sys.excepthook = lambda *args: os.write(1, b"hook\n")
        atexit.register(os.write, 1, b"callback\n")
        raise SystemExit(9)
      `);
      expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: "callback\n" });
    });

    test.each([
      "isinstance",
      "len",
      "str",
      "int",
      "type",
      "vars",
      "hasattr",
      "getattr",
      "__import__",
    ])("it may replace %s for the whole process", async (name) => {
      const code = `import builtins\nbuiltins.${name} = None\nraise SystemExit(9)`;
      const { exitCode, stderr } = await given().run(code);
      expect(exitCode).toBe(9);
      expect(stderr).not.toContain("py_executor_runtime");
    });

    test("closing all descriptors loses nothing that was printed, and the run ends", async () => {
      const { stdout, status, exitCode } = await given().run(
        "import os\nprint('printed', flush=True)\nos.closerange(0, 4096)\n",
        { timeout: 20 },
      );
      expect(stdout).toBe("printed\n");
      expect(status).not.toBe("timeout");
      expect([0, 1, 120]).toContain(exitCode); // 120: streams that could not be flushed
    });

    test("closing sys.stdout and sys.stderr is no failure", async () => {
      const result = await given().run("import sys\nsys.stdout.close(); sys.stderr.close()");
      expect(result).toMatchObject({ status: "ok", stdout: "", stderr: "" });
    });

    test("using up all descriptors hurts only the run itself", async () => {
      const { stdout } = await given().run(python`
        import os, resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
        try:
            while True:
                os.open(os.devnull, os.O_RDONLY)
        except OSError as error:
            print(error.strerror)
      `);
      expect(stdout).toBe("Too many open files\n");
      expect(await given().run("print(open('/dev/null').read() == '')")).toMatchObject({
        stdout: "True\n",
      });
    });
  });
}
