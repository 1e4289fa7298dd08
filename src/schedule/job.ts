import type { Environment } from "../workers/worker.ts";
import type { Input } from "./input.ts";
import type { ChunkEnd } from "./map.ts";
import type { Clamped } from "./request.ts";

/** One snippet whose request has been checked. */
export interface Job extends Input {
  code: string;
  cwd: string;
  timeout: Clamped;
  environment: Environment;
  shownBytes: number;
  notes: (string | undefined)[];
  bindings?: string;
  listBytes?: number;
}

/** How the run of a job has ended. */
export interface JobEnd extends ChunkEnd {
  runId: string;
  hasWrittenNothing: boolean;
}
