import { createForkWorker, type ForkWorkerOptions } from "./fork-worker.ts";
import { createSpawnWorker } from "./spawn-worker.ts";
import type { Worker } from "./worker.ts";

/** How runs start. `auto` forks where that is known to work. */
export type WorkerKind = "auto" | "fork" | "spawn";

/**
 * Makes the worker of a kind. Forking needs Linux: only there is a fork of a threadless interpreter with libraries
 * loaded known to be sound, and only there can orphans be adopted.
 */
export function createWorker({
  kind,
  ...options
}: Omit<ForkWorkerOptions, "fallback"> & { kind: WorkerKind }): Worker {
  const spawn = createSpawnWorker(options);
  const isForking = kind === "fork" || (kind === "auto" && process.platform === "linux");
  return isForking ? createForkWorker({ ...options, fallback: spawn }) : spawn;
}
