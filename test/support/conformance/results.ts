import { describe, expect, test } from "vitest";
import type { ExecutorUnderTest } from "../executor.ts";
import { python } from "../python-source.ts";

/** The value of the last expression comes back beside the output, and changes nothing of it. */
export function tellsTheLastValue(given: () => ExecutorUnderTest): void {
  describe("the result", () => {
    test.each([
      ["an expression", "6 * 7", "42"],
      ["one after statements", "x = [1, 2]\nx", "[1, 2]"],
      ["one after a semicolon", "x = 'é'; x", "'é'"],
      ["one over several lines", "(\n  1 +\n  2\n)  # sum", "3"],
      ["a text after other statements", "pass\n'text'", "'text'"],
      ["a lambda's call that uses names of the module", "n = 3\n(lambda: n)()", "3"],
      ["a comprehension", "[i for i in range(3)]", "[0, 1, 2]"],
      ["with names from __future__", "from __future__ import annotations\n1", "1"],
      ["a lone surrogate", "chr(0xdcff)", "'\\udcff'"],
      ["an assignment expression", "(y := 5)", "5"],
      ["False", "1 > 2", "False"],
      ["Ellipsis", "...", "Ellipsis"],
    ])("is the repr of %s", async (_, code, expected) => {
      expect(await given().run(code)).toMatchObject({
        status: "ok",
        stdout: "",
        stderr: "",
        result: expected,
      });
    });

    test.each([
      ["print", "print('shown')", "shown\n"],
      ["an expression that is None", "None", ""],
      ["a statement", "x = 1", ""],
      ["an expression inside a block", "if True:\n  5", ""],
      ["a docstring alone", "'''About this.'''", ""],
      ["an expression before a statement", "5\nx = 1", ""],
      ["no code", "", ""],
    ])("is absent after %s", async (_, code, stdout) => {
      const answer = await given().run(code);
      expect(answer).toMatchObject({ status: "ok", stdout, stderr: "" });
      expect(answer).not.toHaveProperty("result");
    });

    test("is absent when the expression raises or the code exits", async () => {
      expect(await given().run("1 / 0")).not.toHaveProperty("result");
      expect(await given().run("import sys\nsys.exit(0)\n5")).not.toHaveProperty("result");
    });

    test("leaves the display hook, `_` and the traceback's line alone", async () => {
      const { stdout } = await given().run(python`
        import builtins, sys
        sys.displayhook = lambda value: print("hook", value)
        print(hasattr(builtins, "_"), "_" in globals())
        5
      `);
      expect(stdout).toBe("False False\n");
      const { stderr } = await given().run("a = 1\n\n\n(a\n  / 0)");
      expect(stderr).toMatch(/line [45], in <module>\n/);
    });

    test("whose repr raises is told, and is no failure of the run", async () => {
      const { status, result } = await given().run(python`
        class Shy:
            def __repr__(self):
                raise SystemExit(3)
        Shy()
      `);
      expect({ status, result }).toEqual({
        status: "ok",
        result: "<Shy object whose repr raised SystemExit>",
      });
    });

    test.each([
      ["a long text", "'x' * 50_000_000"],
      ["a large list", "list(range(5_000_000))"],
      ["a nested one", "[[0] * 1000] * 100_000"],
    ])("of %s is cut and says so", async (_, code) => {
      const { result, truncated, status } = await given().run(code, { timeout: 30 });
      expect(status).toBe("ok");
      expect(result?.length).toBe(20_000);
      expect(truncated?.result).toBe(true);
    });

    test("whose repr never ends runs into the deadline, with the output kept", async () => {
      const { status, stdout } = await given().run(
        python`
          print("printed")
          class Endless:
              def __repr__(self):
                  while True: pass
          Endless()
        `,
        { timeout: 1 },
      );
      expect({ status, stdout }).toEqual({ status: "timeout", stdout: "printed\n" });
    });
  });

  describe("a batch", () => {
    test("answers in the order of the codes, whichever ends first", async () => {
      const delays = [0.6, 0.0, 0.4, 0.2, 0.0];
      const codes = delays.map(
        (delay, i) => `import time\ntime.sleep(${delay})\nprint(${i})\n'value ${i}'`,
      );
      const results = await given().runBatch({ codes });
      expect(results.map(({ stdout }) => stdout)).toEqual(["0\n", "1\n", "2\n", "3\n", "4\n"]);
      expect(results.map(({ result }) => result)).toEqual(delays.map((_, i) => `'value ${i}'`));
    });

    test("gives each snippet its own verdict", async () => {
      const codes = [
        "print('fine')",
        "raise KeyError('k')",
        "import time\nprint('slow')\ntime.sleep(60)",
        "import os; os._exit(3)",
        "import os; os.kill(os.getpid(), 11)",
        "def broken(:",
        "print('last')",
      ];
      const results = await given().runBatch({ codes, timeout: 2 });
      expect(results.map(({ status, exitCode }) => [status, exitCode])).toEqual([
        ["ok", 0],
        ["error", 1],
        ["timeout", -1],
        ["error", 3],
        ["signal", -11],
        ["error", 1],
        ["ok", 0],
      ]);
      expect(results.map(({ stdout }) => stdout)).toEqual([
        "fine\n",
        "",
        "slow\n",
        "",
        "",
        "",
        "last\n",
      ]);
      expect(results[1]?.stderr).toContain("KeyError: 'k'");
      expect(results[5]?.stderr).toContain("SyntaxError");
    });

    test("never has more going on than the workers that were asked for", async () => {
      const code = python`
        import os, time
        os.makedirs("going-on", exist_ok=True)
        mine = f"going-on/{os.getpid()}-{time.time_ns()}"
        open(mine, "w").close()
        time.sleep(0.3)
        print(len(os.listdir("going-on")))
        os.remove(mine)
      `;
      const results = await given().runBatch({ codes: Array<string>(6).fill(code), maxWorkers: 2 });
      const counts = results.map(({ stdout }) => Number(stdout));
      expect(Math.max(...counts)).toBe(2);
    });

    test("of no snippet has no result", async () => {
      expect(await given().runBatch({ codes: [] })).toEqual([]);
    });

    test("that is cancelled ends all its snippets", async () => {
      const cancel = new AbortController();
      const codes = Array<string>(6).fill("print('on', flush=True)\nimport time\ntime.sleep(600)");
      const results = await given().runBatch(
        { codes, timeout: 50 },
        { signal: cancel.signal, onOutput: () => cancel.abort() },
      );
      expect(results.map(({ status }) => status)).toEqual(codes.map(() => "cancelled"));
    });
  });
}
