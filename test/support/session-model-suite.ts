/**
 * Random sequences of all that can happen to sessions, of two clients at once, compared with a model of what each session
 * must contain. Some of them contained, in one file, and some not, in another: so that the two share the cores.
 *
 * SESSION_SEQUENCES says how many in all; SESSION_SEED repeats an earlier run, whose seed is in the name of the first test. A
 * failure names the seed of the portion that it was in.
 */
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readSettings } from "../../src/config.ts";
import { createEngine, type Engine } from "../../src/engine.ts";
import { createLog } from "../../src/observability/log.ts";
import { carryOut, gathered, spreadOut, type Sequence } from "./session-commands.ts";
import { IDLE_MS, MAX_SESSIONS } from "./session-model.ts";
import { makeTestFolder, type TestFolder } from "./test-folder.ts";

const IN_ALL = Number(process.env["SESSION_SEQUENCES"] ?? (process.env["CI"] ? 1000 : 60));
/** A place costs the kernel more where code is contained: so that both files take about as long. */
const CONTAINED = Math.ceil((IN_ALL * 3) / 8);
const SEED = Number(process.env["SESSION_SEED"] ?? Date.now() % 2 ** 31);
/** Seeds of sequences that have found a fault once, and how these were made then. */
const KEPT_SEEDS: readonly [number, Sequence][] = [[820424985, spreadOut]];
/** What one seed makes. */
const PORTION = 20;
/** On a slow machine there are fewer sequences. */
const PATIENCE_MS = 170_000;

/** @param isContained which of the two: the seeds go on from the contained ones to the others */
export function describeSessionModel(isContained: boolean): void {
  const sequences = isContained ? CONTAINED : IN_ALL - CONTAINED;
  const firstSeed = isContained ? SEED : SEED + CONTAINED;
  let folder: TestFolder;
  let engine: Engine;

  beforeAll(() => {
    // sessions that aren't used end when the model's time has come; how long Python takes is real
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    folder = makeTestFolder();
    vi.stubEnv("TMPDIR", folder.temp);
    const settings = {
      ...{ workspace: folder.workspace, maxSessions: MAX_SESSIONS, sessionIdle: IDLE_MS / 1000 },
      ...{ maxRuns: 4, ...(isContained ? {} : { sandbox: "off" }) },
    };
    engine = createEngine(readSettings(settings), createLog("silent"));
  });
  afterAll(async () => {
    vi.useRealTimers();
    await engine.close();
    vi.unstubAllEnvs();
    expect(await folder.lastingLeftovers()).toEqual([]);
    folder.remove();
  });

  const check = (seed: number, numRuns: number, kind: Sequence): Promise<void> =>
    fc.assert(
      fc.asyncProperty(kind, (sequence) => carryOut(engine, sequence)),
      { seed, numRuns },
    );

  describe("sessions are what the model says after any sequence of what can happen to them", () => {
    test(`${sequences} sequences, from seed ${firstSeed} on`, { timeout: 300_000 }, async () => {
      const giveUpAt = performance.now() + PATIENCE_MS;
      let done = 0;
      for (; done < sequences && performance.now() < giveUpAt; done += PORTION) {
        const count = Math.min(PORTION, sequences - done);
        const kind = done % (4 * PORTION) === 0 ? spreadOut : gathered;
        await expect(check(firstSeed + done, count, kind)).resolves.toBeUndefined();
      }
      if (done < sequences) console.warn(`${done} of ${sequences} sequences in ${PATIENCE_MS} ms`);
    });

    test.for(KEPT_SEEDS)(
      "seed %i, which has found a fault once",
      { timeout: 120_000 },
      async ([seed, kind]) => {
        await expect(check(seed, PORTION, kind)).resolves.toBeUndefined();
      },
    );
  });
}
