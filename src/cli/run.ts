import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { Settings } from "../config.ts";
import { createEngine } from "../engine.ts";
import { PyExecutorError } from "../errors.ts";
import type { RunResult } from "../execution.ts";
import { createLog } from "../observability/log.ts";
import { toWire } from "../tools/answer.ts";
import type { RunArguments } from "./arguments.ts";

/** As timeout(1) does. */
const EXIT_TIMEOUT = 124;
const EXIT_NOT_RUN = 2;
/** As shells do. */
const EXIT_SIGNAL_BASE = 128;

/** `py-executor run`: runs once, shows the output as it comes, and gives the snippet's exit code. */
export async function run(settings: Settings, options: RunArguments): Promise<number> {
  const { source, cwd, timeout, json } = options;
  const code = "code" in source ? source.code : readSource(source.file);
  const engine = createEngine(
    { ...settings, workspace: settings.workspace ?? process.cwd() },
    createLog(settings.logLevel),
  );
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => interrupt.abort());
  // whoever reads the output may stop reading, as head(1) does
  process.stdout.on("error", () => interrupt.abort());
  try {
    const onOutput = json
      ? undefined
      : (stream: "stdout" | "stderr", text: string): void => void process[stream].write(text);
    const result = await engine.run({ code, cwd, timeout }, { signal: interrupt.signal, onOutput });
    if (json) process.stdout.write(`${JSON.stringify(toWire(result))}\n`);
    else showRest(result);
    return exitCodeFor(result);
  } finally {
    await engine.close();
  }
}

/** What the output itself doesn't say. */
function showRest(result: RunResult): void {
  if (result.result !== undefined) process.stdout.write(`${result.result}\n`);
  if (result.signal !== undefined) process.stderr.write(`ended by ${result.signal}\n`);
  else if (result.status !== "ok" && result.status !== "error") {
    process.stderr.write(`${result.stderr.trimEnd().split("\n").at(-1) ?? ""}\n`);
  }
  for (const note of result.notes ?? []) process.stderr.write(`note: ${note}\n`);
}

function exitCodeFor({ status, exitCode }: RunResult): number {
  if (status === "timeout") return EXIT_TIMEOUT;
  if (status === "refused") return EXIT_NOT_RUN;
  if (status === "cancelled") return EXIT_SIGNAL_BASE + constants.signals.SIGINT;
  return exitCode < 0 ? EXIT_SIGNAL_BASE - exitCode : exitCode;
}

function readSource(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new PyExecutorError("invalid_option", `The file ${file} can't be read.`, {
      cause: error,
    });
  }
}
