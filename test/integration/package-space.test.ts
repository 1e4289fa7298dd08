/** The folder of environments with packages: how large it gets, and what is removed from it. */
import { existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { evaluate, MIB, refusal, usePackages } from "../support/packages.ts";
import { makeWheel } from "../support/wheelhouse.ts";

const under = usePackages();

beforeAll(() => {
  for (const name of ["gamma", "delta", "epsilon"])
    makeWheel(under.wheels, { name, size: 2 * MIB });
  makeWheel(under.wheels, { name: "huge", size: 9 * MIB });
});

describe("the space for packages", () => {
  /** Room for two of 2 MiB; an environment has some files of its own besides. */
  const maxSpace = 5 * MIB;

  test("is kept by removing what was not used for the longest time", async () => {
    const environments = under.open({ maxSpace });
    for (const [name, minutesAgo] of [
      ["gamma", 20],
      ["delta", 10],
    ] as const) {
      (await under.provide(environments, [name])).release();
      const [key = ""] = under
        .readyKeys()
        .filter((one) => under.readReady(one).requirements[0] === name);
      utimesSync(join(under.cache, key, "ready.json"), 1, Date.now() / 1000 - 60 * minutesAgo);
    }
    (await under.provide(environments, ["gamma"])).release(); // used again: now delta is the older one
    (await under.provide(environments, ["epsilon"])).release();
    const kept = under.readyKeys().flatMap((key) => under.readReady(key).requirements);
    expect(kept.toSorted()).toEqual(["epsilon", "gamma"]);
  });

  test("is not made by removing what is in use", async () => {
    const environments = under.open({ maxSpace: 4 * MIB });
    const inUse = await under.provide(environments, ["gamma"]);
    const error = await refusal(under.provide(under.open({ maxSpace: 4 * MIB }), ["delta"]));
    expect(error.message).toMatch(/in use .* \(`--max-package-space`\)/);
    expect(under.readyKeys().map((key) => under.readReady(key).requirements)).toEqual([["gamma"]]);
    expect(evaluate(inUse, "import gamma; print(gamma.value)")).toBe("1");
    inUse.release();
    (await under.provide(environments, ["delta"])).release();
    expect(under.readyKeys().map((key) => under.readReady(key).requirements)).toEqual([["delta"]]);
  });

  test("does not take what is larger than all of it", async () => {
    const error = await refusal(under.provide(under.open({ maxSpace }), ["huge"]));
    expect(error.message).toMatch(/it takes \d+ MiB of at most 5 MiB \(`--max-package-space`\)/);
    expect(under.cached()).toEqual([]);
  });

  test("is freed of what nobody has used for a month", async () => {
    (await under.provide(under.open(), ["gamma"])).release();
    const [key = ""] = under.readyKeys();
    utimesSync(join(under.cache, key, "ready.json"), 1, Date.now() / 1000 - 31 * 24 * 3600);
    (await under.provide(under.open(), ["beta"])).release();
    expect(under.readyKeys().map((one) => under.readReady(one).requirements)).toEqual([["beta"]]);
    expect(existsSync(join(under.cache, key))).toBe(false);
  });

  test("is only this user's to enter", async () => {
    (await under.provide(under.open(), ["beta"])).release();
    const [key = ""] = under.readyKeys();
    expect(statSync(join(under.cache, key)).mode & 0o077).toBe(0);
  });
});
