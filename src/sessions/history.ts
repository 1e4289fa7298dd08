import { VERSION } from "../version.ts";

/** Kept of one session: the newest cells, up to this many, and this many characters of code and output. */
const MAX_CELLS = 1000;
const MAX_CHARS = 4_000_000;
/** Of one stream of a cell, its beginning. */
const MAX_OUTPUT_CHARS = 20_000;

/** A cell that was run in a session, and what came of it. */
export interface Cell {
  code: string;
  /** When it began, in milliseconds of the epoch. */
  startedAt: number;
  durationMs: number;
  /** How it ended: a status of a run. */
  status: string;
  stdout: string;
  stderr: string;
  /** The repr of its last value. */
  result: string | undefined;
}

/** What was run in a session, to keep or to replay. */
export class History {
  readonly #cells: Cell[] = [];
  #dropped = 0;
  #chars = 0;

  get length(): number {
    return this.#cells.length;
  }

  add(cell: Cell): void {
    const kept = { ...cell, stdout: start(cell.stdout), stderr: start(cell.stderr) };
    this.#cells.push(kept);
    this.#chars += charsOf(kept);
    while (this.#cells.length > MAX_CELLS || (this.#chars > MAX_CHARS && this.#cells.length > 1)) {
      const oldest = this.#cells.shift();
      if (oldest !== undefined) this.#chars -= charsOf(oldest);
      this.#dropped += 1;
    }
  }

  /** The same cells for a session that is forked now. */
  copy(): History {
    const copy = new History();
    copy.#cells.push(...this.#cells);
    copy.#dropped = this.#dropped;
    copy.#chars = this.#chars;
    return copy;
  }

  /** As a Python file; `# %%` begins a cell, as editors and Jupytext know it. */
  toPython(id: string): string {
    const cells = this.#cells.map((cell, index) => {
      const { code, status, startedAt, durationMs } = cell;
      const when = new Date(startedAt).toISOString();
      const number = this.#dropped + index + 1;
      return `# %% [${number}] ${when}, ${status} after ${durationMs} ms\n${code.replace(/\n*$/, "\n")}`;
    });
    const dropped = this.#dropped === 0 ? "" : `# The first ${this.#dropped} cells are not kept.\n`;
    return [`# What was run in the session ${id} of py-executor.\n${dropped}`, ...cells].join("\n");
  }

  /** As a Jupyter notebook (nbformat 4.5). */
  toNotebook(): string {
    const notebook = {
      cells: this.#cells.map((cell, index) => toNotebookCell(cell, this.#dropped + index + 1)),
      metadata: {
        kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
        language_info: { name: "python", file_extension: ".py", mimetype: "text/x-python" },
        py_executor: { version: VERSION, dropped_cells: this.#dropped },
      },
      nbformat: 4,
      nbformat_minor: 5,
    };
    return `${JSON.stringify(notebook, undefined, 1)}\n`;
  }
}

function toNotebookCell(
  { code, status, stdout, stderr, result }: Cell,
  number: number,
): Record<string, unknown> {
  const streams = Object.entries({ stdout, stderr }).filter(([, text]) => text !== "");
  return {
    cell_type: "code",
    id: `cell-${number}`,
    execution_count: number,
    // so that what replays the notebook goes on after a cell that failed, as the session did
    metadata: status === "ok" ? {} : { tags: ["raises-exception"] },
    source: linesOf(code),
    outputs: [
      ...streams.map(([name, text]) => ({ output_type: "stream", name, text: linesOf(text) })),
      ...(result === undefined
        ? []
        : [
            {
              output_type: "execute_result",
              execution_count: number,
              data: { "text/plain": linesOf(result) },
              metadata: {},
            },
          ]),
    ],
  };
}

/** As notebooks store text: each line with its end. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function start(text: string): string {
  if (text.length <= MAX_OUTPUT_CHARS) return text;
  const kept = text.slice(0, MAX_OUTPUT_CHARS).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept}\n[… ${text.length - kept.length} characters not kept …]\n`;
}

function charsOf({ code, stdout, stderr, result }: Cell): number {
  return code.length + stdout.length + stderr.length + (result?.length ?? 0);
}
