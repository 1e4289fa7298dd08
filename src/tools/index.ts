import type { Settings } from "../config.ts";
import type { Tool } from "./define-tool.ts";
import { createCancelRun } from "./cancel-run.ts";
import { createGetRun } from "./get-run.ts";
import { createRunPython } from "./run-python.ts";
import { createRunPythonBatch } from "./run-python-batch.ts";
import { createRunPythonMap } from "./run-python-map.ts";
import { createSession } from "./session.ts";

/** Every tool that the server offers, in the order in which they are listed. */
export function createTools(settings: Settings): readonly Tool[] {
  return [
    createRunPython(settings),
    createRunPythonBatch(settings),
    createRunPythonMap(settings),
    createSession(settings),
    createGetRun(),
    createCancelRun(),
  ];
}
