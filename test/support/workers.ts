import type { ExecutorOptions } from "../../src/index.ts";

/** Every kind of worker there is; each has to keep the same promises. */
export const WORKERS: readonly { name: "fork" | "spawn"; options: ExecutorOptions }[] = [
  { name: "fork", options: { worker: "fork" } },
  { name: "spawn", options: { worker: "spawn" } },
];
