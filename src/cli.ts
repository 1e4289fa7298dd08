#!/usr/bin/env node
/** The command line: finds the command and loads only what it needs. */
// oxlint-disable-next-line import/no-unassigned-import -- it has to be first, and gives nothing
import "./cli/small-heap.ts";
import { parseCommandLine, usage } from "./cli/arguments.ts";
import { PyExecutorError } from "./errors.ts";
import { VERSION } from "./version.ts";

const EXIT_USAGE = 2;

async function main(argv: readonly string[]): Promise<number> {
  const line = parseCommandLine(argv, process.env);
  switch (line.command) {
    case "help":
      process.stdout.write(usage());
      return 0;
    case "version":
      process.stdout.write(`${VERSION}\n`);
      return 0;
    case "serve":
      return (await import("./cli/serve.ts")).serve(line.settings);
    case "run":
      return (await import("./cli/run.ts")).run(line.settings, line.run);
    case "doctor":
      return (await import("./cli/doctor.ts")).doctor(line.settings);
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof PyExecutorError)) throw error;
  process.stderr.write(`py-executor: ${error.message}\n`);
  process.exitCode = EXIT_USAGE;
}
// whatever a library still holds must not keep the process up once its work is done
process.exit();
