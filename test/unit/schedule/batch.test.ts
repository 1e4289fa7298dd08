import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mapInOrder } from "../../../src/schedule/batch.ts";

const items = fc.array(fc.integer(), { maxLength: 12 });
const workers = fc.integer({ min: 1, max: 6 });

describe("mapInOrder", () => {
  test("of nothing is nothing, and calls nothing", async () => {
    let calls = 0;
    const results = await mapInOrder([], 4, async () => (calls += 1));
    expect(results).toEqual([]);
    expect(calls).toBe(0);
  });

  test("hands each item on with its place", async () => {
    const results = await mapInOrder(["a", "b", "c"], 2, async (item, index) => `${index}${item}`);
    expect(results).toEqual(["0a", "1b", "2c"]);
  });

  test("keeps a result that is undefined in its place", async () => {
    const results = await mapInOrder([1, 2], 1, async (item) => (item === 1 ? undefined : item));
    expect(results).toEqual([undefined, 2]);
  });

  test("gives results in the order of the items, in whatever order they come", async () => {
    await fc.assert(
      fc.asyncProperty(items, workers, fc.scheduler(), async (values, bound, scheduler) => {
        const square = scheduler.scheduleFunction(async (value: number) => value * value);
        const results = await scheduler.waitFor(mapInOrder(values, bound, square));
        expect(results).toEqual(values.map((value) => value * value));
      }),
    );
  });

  test("has never more than the bound under way, and begins them in order", async () => {
    await fc.assert(
      fc.asyncProperty(items, workers, fc.scheduler(), async (values, bound, scheduler) => {
        const pause = scheduler.scheduleFunction(async () => {});
        const begun: number[] = [];
        let underWay = 0;
        let most = 0;
        const run = async (_: number, index: number) => {
          begun.push(index);
          underWay += 1;
          most = Math.max(most, underWay);
          await pause();
          underWay -= 1;
        };
        await scheduler.waitFor(mapInOrder(values, bound, run));
        expect(begun).toEqual([...values.keys()]);
        expect(most).toBe(Math.min(bound, values.length));
      }),
    );
  });

  test("fails with the first failure, begins nothing after it, and leaves nothing under way", async () => {
    const failing = fc.record({
      length: fc.integer({ min: 1, max: 12 }),
      wrong: fc.array(fc.nat(11), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(failing, workers, fc.scheduler(), async (batch, bound, scheduler) => {
        const wrong = batch.wrong.map((index) => index % batch.length);
        const pause = scheduler.scheduleFunction(async () => {});
        const failures: Error[] = [];
        let underWay = 0;
        let hasBegunLate = false;
        const run = async (_: unknown, index: number) => {
          hasBegunLate ||= failures.length > 0;
          underWay += 1;
          await pause();
          underWay -= 1;
          if (!wrong.includes(index)) return;
          const failure = new Error(`item ${index}`);
          failures.push(failure);
          throw failure;
        };
        const mapped = mapInOrder(Array.from({ length: batch.length }), bound, run);
        const outcome = await scheduler.waitFor(mapped.catch((error: unknown) => error));
        expect(outcome).toBe(failures[0]);
        expect(underWay).toBe(0);
        expect(hasBegunLate).toBe(false);
      }),
    );
  });

  test("passes on what was thrown, even if that is undefined", async () => {
    const failing = mapInOrder([1], 1, () => Promise.reject(undefined));
    await expect(failing).rejects.toBeUndefined();
  });
});
