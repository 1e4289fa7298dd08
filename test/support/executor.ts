import { createExecutor } from "../../src/index.ts";
import type {
  BatchOptions,
  BatchRequest,
  ExecutorOptions,
  PythonSession,
  RunOptions,
  RunRequest,
  RunResult,
} from "../../src/index.ts";
import { makeTestFolder, type TestFolder } from "./test-folder.ts";

/** An executor with folders of its own. */
export interface ExecutorUnderTest {
  readonly folder: TestFolder;
  /** Runs a snippet in the workspace. */
  run(code: string, request?: Omit<RunRequest, "code">, options?: RunOptions): Promise<RunResult>;
  runBatch(request: BatchRequest, options?: BatchOptions): Promise<RunResult[]>;
  openSession(): Promise<PythonSession>;
  /** Closes the executor; returns what is left of it then, which should be nothing, and removes the folders. */
  close(): Promise<string[]>;
}

export function startExecutor(options: ExecutorOptions = {}): ExecutorUnderTest {
  const folder = makeTestFolder();
  const executor = withTemp(folder.temp, () =>
    createExecutor({ workspace: folder.workspace, ...options }),
  );
  return {
    folder,
    run: (code, request, runOptions) => executor.run({ code, ...request }, runOptions),
    openSession: () => executor.openSession(),
    runBatch: (request, batchOptions) => executor.runBatch(request, batchOptions),
    close: async () => {
      await executor.close();
      const left = folder.leftovers();
      folder.remove();
      return left;
    },
  };
}

/** Calls a function that looks for the temporary folder while it is this one. */
function withTemp<Result>(temp: string, make: () => Result): Result {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = temp;
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
