/** What runs show, with either worker, in sessions, in copies of them and in maps. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Display, RunResult } from "../../src/index.ts";
import { createExecutor, type Executor, type PythonSession } from "../../src/index.ts";
import { libraries } from "../support/libraries.ts";
import { python } from "../support/python-source.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { WORKERS } from "../support/workers.ts";

const PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2], label='a')\n";
/** Pieces of displays as the runtime sends them, written by the code itself. */
const FORGER = python`
  import os
  def fields(*pairs):
      return b"".join(len(part).to_bytes(4, "big") + part for pair in pairs for part in pair)
  def send(number, payload, start=0, room=1_000_000):
      for at in range(0, len(payload), room):
          report = [(b"display", number), (b"at", b"%d" % (start + at)), (b"piece", payload[at : at + room])]
          if at + room >= len(payload):
              report.append((b"last", b"1"))
          data = fields(*report)
          data = len(data).to_bytes(4, "big") + data
          while data:
              data = data[os.write(511, data):]
  def forge(*pairs):
      send(b"7", fields((b"kind", b"display"), *pairs))
`;

const texts = ({ displays = [] }: RunResult): (string | undefined)[] =>
  displays.map(({ text }) => text);

function only({ displays = [], stderr, notes }: RunResult): Display {
  const [display] = displays;
  if (display === undefined || displays.length > 1)
    throw new Error(`displays: ${JSON.stringify({ displays, stderr, notes })}`);
  return display;
}

describe.each(WORKERS)("with the $name worker", ({ options }) => {
  let folder: TestFolder;
  let executor: Executor;
  const run = (code: string, more: { timeout?: number } = {}): Promise<RunResult> =>
    executor.run({ code, ...more });
  /** Runs one cell after the other. */
  const inSession = async (
    use: (
      cell: (code: string, timeout?: number) => Promise<RunResult>,
      session: PythonSession,
    ) => Promise<void>,
  ): Promise<void> => {
    const session = await executor.openSession();
    try {
      await use(
        (code, timeout) => session.run({ code, ...(timeout === undefined ? {} : { timeout }) }),
        session,
      );
    } finally {
      session.close();
    }
  };

  beforeAll(() => {
    folder = makeTestFolder();
    executor = createExecutor({ workspace: folder.workspace, ...options, ...libraries.options });
  });
  afterAll(async () => {
    await executor.close();
    expect(await folder.lastingLeftovers()).toEqual([]);
    folder.remove();
  });

  test("a run that shows nothing has no displays", async () => {
    expect(await run("print(1)\n[1]")).not.toHaveProperty("displays");
  });

  test("display shows values in their order, and the last value beside its text", async () => {
    const code = python`
      class Table:
          def _repr_html_(self): return "<table></table>"
          def __repr__(self): return "Table!"
      display({"a": 1}, "x")
      print("between")
      Table()
    `;
    const result = await run(code);
    expect(result).toMatchObject({ stdout: "between\n", result: "Table!" });
    expect(texts(result)).toEqual(["{'a': 1}", "'x'", "Table!"]);
    expect(result.displays?.map(({ source }) => source)).toEqual(["display", "display", "result"]);
  });

  test("displays are cleared and replaced", async () => {
    const code = python`
      handle = display("gone")
      handle = display("first", display_id="x")
      display("second")
      handle.update("first, replaced")
    `;
    expect(texts(await run(code))).toEqual(["'gone'", "'first, replaced'", "'second'"]);
  });

  test("threads show at once, and nothing is mixed", async () => {
    const code = python`
      import threading
      def show(name):
          for number in range(6):
              display({"text/plain": f"{name}-{number}", "text/html": name * 50_000}, raw=True)
      threads = [threading.Thread(target=show, args=(name,)) for name in "abcdefgh"]
      for thread in threads: thread.start()
      for thread in threads: thread.join()
    `;
    const result = await run(code);
    const expected = "abcdefgh"
      .split("")
      .flatMap((name) => [0, 1, 2, 3, 4, 5].map((n) => `${name}-${n}`));
    expect(new Set(texts(result))).toEqual(new Set(expected));
    expect(result.displays).toHaveLength(expected.length);
  });

  test("what was shown before the deadline, an error or a crash is there", async () => {
    expect(texts(await run("display(1)\nwhile True: pass", { timeout: 1 }))).toEqual(["1"]);
    expect(texts(await run("display(1)\n1/0"))).toEqual(["1"]);
    const crashed = await run("import os\ndisplay(1)\nos.kill(os.getpid(), 9)");
    expect({ texts: texts(crashed), signal: crashed.signal }).toEqual({
      texts: ["1"],
      signal: "SIGKILL",
    });
  });

  test("a child that the code forks prints, and shows nothing", async () => {
    const code = python`
      import os, sys
      if os.fork() == 0:
          display("child")
          sys.stdout.flush()
          os._exit(0)
      os.wait()
      display("parent")
    `;
    const result = await run(code);
    expect({ stdout: result.stdout, texts: texts(result) }).toEqual({
      stdout: "child\n",
      texts: ["'parent'"],
    });
  });

  test.each([
    ["raises", "raise ValueError('no')"],
    ["ends the program", "raise SystemExit(3)"],
    ["recurses", "return self._repr_html_()"],
    ["returns nonsense", "return 3 + 4j"],
  ])("a result that %s when it is asked leaves the run as it is", async (_, body) => {
    const code = `class A:\n    def __repr__(self): return "A!"\n    def _repr_html_(self): ${body}\nA()`;
    expect(await run(code)).toMatchObject({ status: "ok", result: "A!" });
  });

  test("a result whose representation never ends is ended by the deadline", async () => {
    const code =
      "class A:\n    def _repr_html_(self):\n        while True: pass\nprint('out')\nA()";
    expect(await run(code, { timeout: 1 })).toMatchObject({ status: "timeout", stdout: "out\n" });
  });

  test("a result that has any attribute, or whose type can't be asked, is its repr", async () => {
    const proxy =
      "class P:\n    def __getattr__(self, name): return lambda *a, **k: self\n    def __repr__(self): return 'P!'\nP()";
    expect(await run(proxy)).toMatchObject({ status: "ok", result: "P!" });
    const typed = python`
      class M(type):
          @property
          def __module__(cls): raise RuntimeError
      class A(metaclass=M):
          def __repr__(self): return "A!"
      A()
    `;
    expect(await run(typed)).toMatchObject({ status: "ok", exitCode: 0 });
  });

  test("what is too large is left out with a note", async () => {
    const code =
      "class A:\n    def _repr_png_(self): return b'x' * (1 << 28)\ndisplay(A())\nprint('after')";
    const result = await run(code);
    expect(result.stdout).toBe("after\n");
    expect(only(result).notes).toContainEqual(
      expect.stringMatching(/^Left out: image\/png of 268435456 bytes/),
    );
  });

  describe.runIf(process.platform === "linux")("forged displays", () => {
    test("are shown as any others, within bounds", async () => {
      const result = await run(`${FORGER}\nforge((b"=text/plain", b"forged"), (b"=a/b", b"x"))`);
      expect(only(result)).toMatchObject({ text: "forged", mimeTypes: ["text/plain", "a/b"] });
    });

    test.each([
      ["millions of fields", "send(b'1', b'\\0' * 40_000_000)", []],
      ["nested metadata", "forge((b'=text/plain', b'x'), (b'metadata', b'[' * 20_000_000))", ["x"]],
      [
        "more than there may be",
        "send(b'1', b'x' * 60_000_000)\nforge((b'=text/plain', b'x'))",
        ["x"],
      ],
      ["the end of one that never began", "send(b'1', b'x', start=5)", []],
      [
        "thousands",
        "for _ in range(3000): forge((b'=text/plain', b'x'))",
        Array.from({ length: 50 }, () => "x"),
      ],
      ["rubbish", "os.write(511, os.urandom(4000))", []],
    ])("that are %s do no harm", async (_, body, shown) => {
      const result = await run(`${FORGER}\n${body}`);
      expect(result.status).toBe("ok");
      expect(texts(result)).toEqual(shown);
      expect(texts(await run("display('next')"))).toEqual(["'next'"]);
    });
  });

  test("code may have closed the way of displays", async () => {
    const result = await run("import os\nos.close(511)\ndisplay('x')\nprint('on')");
    expect(result).toMatchObject({ status: "ok", stdout: "on\n" });
    expect(result).not.toHaveProperty("displays");
  });

  test("in a session, each cell has its own displays", async () => {
    await inSession(async (cell) => {
      expect(texts(await cell("display('one')"))).toEqual(["'one'"]);
      expect(await cell("x = 2")).not.toHaveProperty("displays");
      expect(texts(await cell("display(x)"))).toEqual(["2"]);
      expect(texts(await cell("display(3)\n1/0"))).toEqual(["3"]);
    });
  });

  test("copies of a session show in their own results", async () => {
    await inSession(async (cell, session) => {
      await cell("x = 'of the session'");
      const results = await session.runBatch({ codes: ["display(x, 1)", "display(x, 2)\n3"] });
      expect(results.map(texts)).toEqual([
        ["'of the session'", "1"],
        ["'of the session'", "2"],
      ]);
      const copy = await session.fork();
      const { displays } = await copy.run({ code: "display(x)" });
      copy.close();
      expect(displays).toHaveLength(1);
    });
  });

  test("each chunk of a map shows in its result", async () => {
    const mapped = await executor.runMap({
      code: "display(items)\nitems",
      items: [1, 2, 3, 4],
      chunks: 2,
    });
    expect(mapped.result).toEqual([1, 2, 3, 4]);
    expect(mapped.results.map(texts)).toEqual([["[1, 2]"], ["[3, 4]"]]);
  });

  describe("of libraries", () => {
    test("a figure that is left open is a picture, chart data and words", async ({ skip }) => {
      skip(libraries.missing !== undefined, libraries.missing);
      const display = only(await run(PLOT));
      expect(display).toMatchObject({
        source: "figure",
        text: 'Figure 640x480\naxes: line "a" (3)',
        chart: {
          axes: [{ series: [{ type: "line", label: "a", count: 3, x: [0, 1, 2], y: [1, 3, 2] }] }],
        },
        picture: { mimeType: "image/png", width: 640, height: 480 },
      });
      expect(display.picture?.bytes.subarray(1, 4).toString()).toBe("PNG");
    });

    test("a figure is shown once, also if the code fails after it", async ({ skip }) => {
      skip(libraries.missing !== undefined, libraries.missing);
      expect(only(await run(`${PLOT}plt.show()`)).source).toBe("figure");
      expect(only(await run(`${PLOT}1/0`)).source).toBe("figure");
    });

    test("a table as the last value is compact text and CSV", async ({ skip }) => {
      skip(libraries.missing !== undefined, libraries.missing);
      const display = only(
        await run("import pandas\npandas.DataFrame({'a': [1, 2], 'é': ['x', None]})"),
      );
      expect(display).toMatchObject({ source: "result", mimeTypes: ["text/plain", "text/csv"] });
      expect(display.text).toContain("2 rows x 2 columns");
      expect(display.artifact).toMatch(/\.csv$/);
    });

    test("IPython's functions show, clear and replace", async ({ skip }) => {
      skip(libraries.missing !== undefined, libraries.missing);
      const code = python`
        from IPython.display import Markdown, HTML, clear_output, display, update_display
        display("gone")
        clear_output()
        display(Markdown("# m"), HTML("<b>h</b>"))
        display("a", display_id="x")
        update_display("b", display_id="x")
      `;
      expect(texts(await run(code))).toEqual(["# m", "<b>h</b>", "'b'"]);
    });

    test("figures of a session are shown by the cell that has left them open, and then closed", async ({
      skip,
    }) => {
      skip(libraries.missing !== undefined, libraries.missing);
      await inSession(async (cell) => {
        expect(only(await cell(PLOT)).source).toBe("figure");
        const next = await cell("len(plt.get_fignums())");
        expect(next.result).toBe("0");
        expect(next).not.toHaveProperty("displays");
      });
    });

    test("a session outlives a cell that is out of time with figures that take long to draw", async ({
      skip,
    }) => {
      skip(libraries.missing !== undefined, libraries.missing);
      await inSession(async (cell) => {
        await cell("import time, matplotlib.pyplot as plt\nkept = 5");
        const slow =
          "figure = plt.figure()\nfigure.savefig = lambda *a, **k: time.sleep(60)\nplt.plot([1])\n";
        const late = await cell(`${slow}time.sleep(60)`, 2);
        expect(late).toMatchObject({ status: "timeout", session: { isInterrupted: true } });
        // drawn at the end of this one, which is out of time by that, and not tried again
        expect(await cell("kept", 2)).toMatchObject({
          status: "timeout",
          session: { isInterrupted: true },
        });
        expect(await cell("kept, plt.get_fignums()")).toMatchObject({
          status: "ok",
          result: "(5, [])",
        });
      });
    });
  });
});
