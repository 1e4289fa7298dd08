import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { EnvironmentCache } from "../../../src/workers/environment-cache.ts";
import type { Environment } from "../../../src/workers/worker.ts";
import { eventually } from "../../support/eventually.ts";

interface Kept {
  readonly python: string;
  isCurrent: boolean;
}

/** Long enough that a test is over before. */
const LONG_MS = 60_000;

function environment(python: string, variables: Record<string, string> = {}): Environment {
  return { python, variables };
}

function cacheOf(idleMs = LONG_MS): { cache: EnvironmentCache<Kept>; made: Kept[]; ended: Kept[] } {
  const [made, ended]: [Kept[], Kept[]] = [[], []];
  const cache = new EnvironmentCache<Kept>({
    idleMs,
    make: ({ python }) => {
      const kept = { python, isCurrent: true };
      made.push(kept);
      return kept;
    },
    isCurrent: (kept) => kept.isCurrent,
    end: (kept) => ended.push(kept),
  });
  return { cache, made, ended };
}

const names = (list: readonly Kept[]): string[] => list.map(({ python }) => python);

describe("equal environments", () => {
  test("share what is kept, whichever object they are", () => {
    const { cache, made } = cacheOf();
    const [first, second] = [environment("a", { X: "1" }), environment("a", { X: "1" })];
    expect(cache.keyOf(first)).toBe(cache.keyOf(second));
    expect(cache.use(first)).toBe(cache.use(second));
    expect(made).toHaveLength(1);
  });

  test.each([
    ["interpreter", environment("b", { X: "1" })],
    ["value", environment("a", { X: "2" })],
    ["variable", environment("a", { Y: "1" })],
    ["variable more", environment("a", { X: "1", Y: "1" })],
  ])("are no longer equal with another %s", (_what, other) => {
    const { cache } = cacheOf();
    const one = environment("a", { X: "1" });
    expect(cache.keyOf(other)).not.toBe(cache.keyOf(one));
    expect(cache.use(other)).not.toBe(cache.use(one));
  });

  test("are compared once: later the object itself will do", () => {
    const { cache } = cacheOf();
    let looks = 0;
    const watched: Environment = {
      python: "a",
      get variables() {
        looks += 1;
        return {};
      },
    };
    for (let i = 0; i < 3; i += 1) cache.use(watched);
    expect(looks).toBe(1);
  });
});

describe("what is kept", () => {
  test("is of the four environments that were used last", () => {
    const { cache, made, ended } = cacheOf();
    for (const name of ["a", "b", "c", "d"]) cache.use(environment(name));
    cache.use(environment("a"));
    expect(ended).toEqual([]);
    cache.use(environment("e"));
    expect(names(ended)).toEqual(["b"]);
    cache.use(environment("f"));
    expect(names(ended)).toEqual(["b", "c"]);
    for (const name of ["a", "d", "e", "f"]) cache.use(environment(name));
    expect(names(made)).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(names(ended)).toEqual(["b", "c"]);
  });

  test("is made anew when it isn't what it would be now, and the old one is ended", () => {
    const { cache, made, ended } = cacheOf();
    const old = cache.use(environment("a"));
    old.isCurrent = false;
    const fresh = cache.use(environment("a"));
    expect(fresh).not.toBe(old);
    expect(ended).toEqual([old]);
    expect(cache.use(environment("a"))).toBe(fresh);
    expect(made).toHaveLength(2);
  });

  test("is ended when it is dropped, once", () => {
    const { cache, ended } = cacheOf();
    const kept = cache.use(environment("a"));
    cache.drop(environment("a"));
    cache.drop(environment("a"));
    cache.drop(environment("never used"));
    expect(ended).toEqual([kept]);
    expect(cache.use(environment("a"))).not.toBe(kept);
  });

  test("is ended when all is, once", () => {
    const { cache, ended } = cacheOf();
    for (const name of ["a", "b"]) cache.use(environment(name));
    cache.clear();
    cache.clear();
    expect(names(ended)).toEqual(["a", "b"]);
  });

  test("leaves no trace of a failure to make it", () => {
    const { made, ended } = cacheOf();
    let isWorking = false;
    const cache = new EnvironmentCache<number>({
      idleMs: LONG_MS,
      make: () => {
        if (!isWorking) throw new Error("not now");
        return 1;
      },
      isCurrent: () => true,
      end: () => {},
    });
    expect(() => cache.use(environment("a"))).toThrow("not now");
    isWorking = true;
    expect(cache.use(environment("a"))).toBe(1);
    expect([made, ended]).toEqual([[], []]);
  });
});

describe("an environment that isn't used", () => {
  test("is given up after the idle time, once", async () => {
    const { cache, ended } = cacheOf(20);
    const kept = cache.use(environment("a"));
    expect(await eventually(() => ended.length > 0)).toBe(true);
    await sleep(50);
    expect(ended).toEqual([kept]);
    expect(cache.use(environment("a"))).not.toBe(kept);
    cache.clear();
  });

  test("is kept while it is used again and again", async () => {
    const { cache, ended } = cacheOf(1000);
    const kept = cache.use(environment("a"));
    const startedAt = performance.now();
    while (performance.now() - startedAt < 1500) {
      expect(cache.use(environment("a"))).toBe(kept);
      await sleep(20);
    }
    expect(ended).toEqual([]);
    cache.clear();
  });

  test("that was dropped is not ended again, nor is its successor before its own time", async () => {
    const idleMs = 200;
    const { cache, ended } = cacheOf(idleMs);
    const old = cache.use(environment("a"));
    await sleep(150);
    cache.drop(environment("a"));
    const usedAt = performance.now();
    const fresh = cache.use(environment("a"));
    expect(await eventually(() => ended.includes(fresh))).toBe(true);
    expect(performance.now() - usedAt).toBeGreaterThanOrEqual(idleMs - 1); // timers round
    expect(ended).toEqual([old, fresh]);
  });
});
