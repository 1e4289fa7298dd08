import { describe, expect, test } from "vitest";
import { History, type Cell } from "../../../src/sessions/history.ts";

const CELL: Cell = {
  code: "x = 1\nx",
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  durationMs: 7,
  status: "ok",
  stdout: "",
  stderr: "",
  result: "1",
};

function historyOf(...cells: Partial<Cell>[]): History {
  const history = new History();
  for (const cell of cells) history.add({ ...CELL, ...cell });
  return history;
}

interface Notebook {
  nbformat: number;
  metadata: { py_executor: { dropped_cells: number } };
  cells: {
    id: string;
    execution_count: number;
    metadata: object;
    source: string[];
    outputs: { output_type: string; text?: string[]; data?: object }[];
  }[];
}

const notebookOf = (history: History): Notebook => JSON.parse(history.toNotebook()) as Notebook;

describe("the history of a session", () => {
  test("as a Python file has every cell as it was run, after a line that says how it ended", () => {
    const history = historyOf({}, { code: "1 / 0\n\n", status: "error", durationMs: 1 });
    expect(history.toPython("a")).toBe(
      "# What was run in the session a of py-executor.\n\n" +
        "# %% [1] 2026-01-02T03:04:05.000Z, ok after 7 ms\nx = 1\nx\n\n" +
        "# %% [2] 2026-01-02T03:04:05.000Z, error after 1 ms\n1 / 0\n",
    );
  });

  test("as a notebook has code, streams and values; what failed may fail again", () => {
    const history = historyOf(
      { stdout: "a\nb", stderr: "w\n" },
      { status: "error", result: undefined },
    );
    const { nbformat, cells } = notebookOf(history);
    expect(nbformat).toBe(4);
    expect(cells).toMatchObject([
      {
        id: "cell-1",
        execution_count: 1,
        metadata: {},
        source: ["x = 1\n", "x"],
        outputs: [
          { output_type: "stream", name: "stdout", text: ["a\n", "b"] },
          { output_type: "stream", name: "stderr", text: ["w\n"] },
          { output_type: "execute_result", data: { "text/plain": ["1"] } },
        ],
      },
      { id: "cell-2", metadata: { tags: ["raises-exception"] }, outputs: [] },
    ]);
  });

  test("is bounded: the oldest cells go, and the numbers stay", () => {
    const history = historyOf(...Array.from({ length: 1005 }, (_, n) => ({ code: `${n}` })));
    const { cells, metadata } = notebookOf(history);
    expect(cells).toHaveLength(1000);
    expect(cells[0]).toMatchObject({ id: "cell-6", source: ["5"] });
    expect(metadata.py_executor.dropped_cells).toBe(5);
    expect(history.toPython("a")).toContain("# The first 5 cells are not kept.\n");
  });

  test("is bounded in size: long output is cut, long code makes older cells go", () => {
    const noisy = notebookOf(historyOf({ stdout: "😀".repeat(30_000) }));
    expect(noisy.cells[0]?.outputs[0]?.text?.join("")).toMatch(
      /^(😀)+\n\[… \d+ characters not kept …\]\n$/u,
    );
    const long = Array.from({ length: 9 }, (_, n) => ({ code: String(n).repeat(1_000_000) }));
    const { cells } = notebookOf(historyOf(...long));
    expect(cells.map(({ execution_count: count }) => count)).toEqual([7, 8, 9]);
  });

  test("of a copy goes its own way", () => {
    const history = historyOf({});
    const copy = history.copy();
    copy.add({ ...CELL, code: "copy" });
    history.add({ ...CELL, code: "original" });
    expect([history.length, copy.length]).toEqual([2, 2]);
    expect(copy.toPython("a")).not.toContain("original");
    expect(history.toPython("a")).not.toContain("copy");
  });
});
