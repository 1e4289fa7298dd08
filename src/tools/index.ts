import type { Tool } from "./define-tool.ts";
import { runPython } from "./run-python.ts";
import { runPythonBatch } from "./run-python-batch.ts";

/** Every tool that the server offers, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [runPython, runPythonBatch];
