import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { packageProgram, root } from "../../scripts/process.mjs";
import { assertSuccess, runCommand } from "../support/run-command.ts";

/** What a user of the library might write; it prints what it found as JSON. */
const PROGRAM = `import {
  chunkByCount,
  chunkBySize,
  createExecutor,
  PyExecutorError,
  suggestBatchSize,
  type ErrorCode,
  type Executor,
  type ExecutorOptions,
  type RunResult,
  type RunStatus,
} from "py-executor";

const options: ExecutorOptions = { maxTimeout: 10, allowEnv: ["GREETING"] };
const executor: Executor = createExecutor(options);

async function errorCodeOf(request: Promise<unknown>): Promise<ErrorCode | undefined> {
  try {
    await request;
  } catch (error) {
    if (error instanceof PyExecutorError) return error.code;
    throw error;
  }
  return undefined;
}

let streamed = "";
const one: RunResult = await executor.run(
  { code: "import os\\nprint(os.environ['GREETING'])\\n6 * 7", timeout: 5 },
  { onOutput: (_stream, text) => (streamed += text) },
);
const status: RunStatus = one.status;
const many = await executor.runBatch({ codes: ["print(1)", "1 / 0"], maxWorkers: 2 });
const refused = await errorCodeOf(executor.run({ code: "pass", cwd: "missing" }));
await executor.close();
const closed = await errorCodeOf(executor.run({ code: "pass" }));

console.log(
  JSON.stringify({
    status,
    stdout: one.stdout,
    result: one.result,
    streamed,
    exitCodes: many.map(({ exitCode }) => exitCode),
    refused,
    closed,
    chunks: chunkByCount([1, 2, 3, 4, 5], 2),
    texts: chunkBySize("a = 1\\nb = 2\\n", 6),
    size: suggestBatchSize(3, "low"),
  }),
);
`;

test("the installed library is typed, runs code, and refuses by error codes", async () => {
  const { folder } = inject("installed");
  const project = mkdtempSync(join(folder, "library-"));
  writeFileSync(join(project, "program.ts"), PROGRAM);
  // The declarations of the package are checked as well: skipLibCheck is off unless asked for.
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
  const options = ["--strict", "--target", "es2023", "--module", "nodenext", ...types];
  const tsc = packageProgram("typescript", "tsc");
  const compiled = await runCommand([...tsc, ...options, "program.ts"], { cwd: project });
  assertSuccess(compiled);

  const ran = await runCommand([process.execPath, "program.js"], {
    cwd: project,
    env: { GREETING: "hello" },
  });
  assertSuccess(ran);
  expect(ran.stderr).toBe("");
  expect(JSON.parse(ran.stdout)).toEqual({
    status: "ok",
    stdout: "hello\n",
    result: "42",
    streamed: "hello\n",
    exitCodes: [0, 1],
    refused: "invalid_argument",
    closed: "closed",
    chunks: [
      [1, 2, 3],
      [4, 5],
    ],
    texts: ["a = 1", "b = 2\n"],
    size: 3,
  });
});
