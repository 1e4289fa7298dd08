import { setTimeout as sleep } from "node:timers/promises";

const INTERVAL_MS = 20;

/**
 * Waits until something holds; returns whether it came to that. For what ends a little after the event that ends it.
 *
 * @param withinMs generous: it is spent only when a test fails
 */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs;
  while (performance.now() < giveUpAt) {
    if (await holds()) return true;
    await sleep(INTERVAL_MS);
  }
  return holds();
}
