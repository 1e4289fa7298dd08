// @ts-check
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @typedef {import("./client.mjs").Server} Server
 * @typedef {import("./workloads.mjs").Workload} Workload
 * @typedef {{ name: string, start: () => Promise<Server> }} Contender
 * @typedef {{ contender: Contender, server: Server }} Running
 * @typedef {{ median: number, p95: number, samples: number[] }} Figures
 */

const WARM_UP_CALLS = 5;
/** A server that learns from the calls may get ready for more of them now. */
const WARM_UP_PAUSE_MS = 300;
/** What a server tidies up after its answer is not to slow the other one. */
const PAUSE_MS = 10;
const STARTS = 8;
const FEWEST_CALLS = 5;
/** Of workloads that take long, only every third call is made. */
const SLOW_SHARE = 1 / 3;

/**
 * Measures a workload with all contenders in turn, call by call, so that whatever else the machine does meets all.
 *
 * @param {Workload} workload
 * @param {readonly Running[]} running
 * @param {number} calls
 * @returns {Promise<Figures[]>} in the order of `running`
 */
export async function measure(workload, running, calls) {
  /** @type {number[][]} */
  const samples = running.map(() => []);
  if (!workload.starts && !workload.single) await warmUp(workload, running);
  for (let round = 0; round < rounds(workload, calls); round += 1) {
    for (const [index, one] of running.entries()) {
      samples[index]?.push(await sampleOf(workload, one));
      await sleep(PAUSE_MS);
    }
  }
  return samples.map(summary);
}

/**
 * @param {Workload} workload
 * @param {readonly Running[]} running
 */
async function warmUp(workload, running) {
  for (let round = 0; round < WARM_UP_CALLS; round += 1) {
    for (const one of running) await sampleOf(workload, one);
  }
  await sleep(WARM_UP_PAUSE_MS);
}

/**
 * @param {Workload} workload
 * @param {number} calls
 */
function rounds({ starts, single, slow }, calls) {
  if (single) return 1;
  if (starts) return STARTS;
  return slow ? Math.max(FEWEST_CALLS, Math.ceil(calls * SLOW_SHARE)) : calls;
}

/**
 * @param {Workload} workload
 * @param {Running} running
 * @returns {Promise<number>}
 */
async function sampleOf({ once, starts }, { contender, server }) {
  try {
    if (!starts) return await timed(() => once(server));
    /** @type {Server | undefined} */
    let fresh;
    try {
      return await timed(async () => {
        fresh = await contender.start();
        await once(fresh);
      });
    } finally {
      await fresh?.end();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${contender.name}: ${reason}`, { cause: error });
  }
}

/**
 * @param {() => Promise<number | void>} action
 * @returns {Promise<number>} what it returned, or else the milliseconds that it took
 */
async function timed(action) {
  const startedAt = performance.now();
  const value = await action();
  return value ?? performance.now() - startedAt;
}

/**
 * @param {readonly number[]} samples
 * @returns {Figures}
 */
function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ index) => sorted[index] ?? Number.NaN;
  const last = sorted.length - 1;
  return {
    median: (at(Math.floor(last / 2)) + at(Math.ceil(last / 2))) / 2,
    p95: at(Math.ceil(0.95 * sorted.length) - 1),
    samples: [...samples],
  };
}
