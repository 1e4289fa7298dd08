import { createForkWorker, type ForkWorkerOptions } from "./fork-worker.ts";
import { PrivateFolders } from "./private-folders.ts";
import { createSpawnWorker } from "./spawn-worker.ts";
import type { Places, Worker } from "./worker.ts";

/** How runs start. `auto` forks where that is known to work. */
export type WorkerKind = "auto" | "fork" | "spawn";

/**
 * Makes the worker of a kind. Forking needs Linux: only there is a fork of a threadless interpreter with libraries
 * loaded known to be sound, and only there can orphans be adopted.
 */
export function createWorker({
  kind,
  ...given
}: Omit<ForkWorkerOptions, "fallback" | "places"> & {
  kind: WorkerKind;
  places: Omit<Places, "folders">;
}): Worker {
  const folders = new PrivateFolders(given.places.root);
  const options = { ...given, places: { ...given.places, folders } };
  const spawn = createSpawnWorker(options);
  const isForking = kind === "fork" || (kind === "auto" && process.platform === "linux");
  return isForking ? createForkWorker({ ...options, fallback: spawn }) : spawn;
}
