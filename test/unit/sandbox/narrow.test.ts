import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { narrow, type Wish } from "../../../src/sandbox/narrow.ts";
import { netAllows, type Net, type NetRule } from "../../../src/sandbox/net-rules.ts";
import { isWithin } from "../../../src/sandbox/path-sets.ts";
import type { Limits, Policy } from "../../../src/sandbox/policy.ts";

const SEED = 20_260_518;

const limits: Limits = {
  memoryBytes: 1000,
  processes: 10,
  openFiles: 20,
  fileBytes: 3000,
  tempBytes: 4000,
  cpuSeconds: null,
};
const policy: Policy = {
  sandbox: "auto",
  net: [{ host: "*.a.com" }, { host: "b.com", port: 443 }],
  readable: ["/srv/secrets"],
  writable: ["/srv/out", "/data"],
  limits,
};

describe("a wish", () => {
  test("for nothing changes nothing", () => {
    expect(narrow(policy, {})).toEqual(policy);
    expect(narrow(policy, { net: undefined, readable: undefined, limits: {} })).toEqual(policy);
  });

  test("for more is what was allowed before", () => {
    const more: Wish = {
      sandbox: "off",
      net: "all",
      readable: ["/"],
      writable: ["/", "/etc"],
      limits: { memoryBytes: 1e12, processes: 0, openFiles: NaN, fileBytes: -1, cpuSeconds: null },
    };
    expect(narrow(policy, more)).toEqual(policy);
  });

  test("for less is granted", () => {
    const less: Wish = {
      sandbox: "strict",
      net: [{ host: "x.a.com", port: 80 }, { host: "b.com" }, { host: "c.com" }],
      readable: [],
      writable: ["/data/x", "/other"],
      limits: { memoryBytes: 5, processes: 2.9, cpuSeconds: 0.5 },
    };
    expect(narrow(policy, less)).toEqual({
      sandbox: "strict",
      net: [
        { host: "x.a.com", port: 80 },
        { host: "b.com", port: 443 },
      ],
      readable: [],
      writable: ["/data/x"],
      limits: { ...limits, memoryBytes: 5, processes: 2, cpuSeconds: 1 },
    });
  });

  test.each(["/data/../etc", "data", "/data2", "/dat"])("to write %j opens nothing", (path) => {
    expect(narrow(policy, { writable: [path] }).writable).toEqual([]);
  });

  test("for no hosts, or for others only, is no network", () => {
    expect(narrow(policy, { net: [] }).net).toBe("none");
    expect(narrow(policy, { net: "none" }).net).toBe("none");
    expect(narrow(policy, { net: [{ host: "a.com" }] }).net).toBe("none");
  });
});

describe("any policy, narrowed by any wish,", () => {
  const name = fc.constantFrom("a.com", "x.a.com", "x.y.a.com", "b.com", "::1", "192.0.2.7");
  const port = fc.constantFrom(80, 443);
  const ruleHost = fc.oneof(name, fc.constantFrom("*.a.com", "*.y.a.com", "*.com"));
  const rule = fc.record(
    { host: ruleHost, port },
    { requiredKeys: ["host"] },
  ) as fc.Arbitrary<NetRule>;
  const net: fc.Arbitrary<Net> = fc.oneof(
    fc.constantFrom("none" as const, "all" as const),
    fc.array(rule, { maxLength: 4 }),
  );
  const path = fc
    .array(fc.constantFrom("a", "b", "ab"), { maxLength: 3 })
    .map((names) => `/${names.join("/")}`);
  const wishedPath = fc.oneof(path, fc.constantFrom("/a/../b", "a", "", "/a/", "/..", "/a//b"));
  const number = fc.integer({ min: 1, max: 100 });
  const anyNumber = fc.oneof(number, fc.double(), fc.constantFrom(0, -1, NaN, Infinity, null));
  const sandbox = fc.constantFrom("auto" as const, "strict" as const, "off" as const);
  const counts = {
    memoryBytes: number,
    processes: number,
    openFiles: number,
    fileBytes: number,
    tempBytes: number,
  };
  const anyPolicy: fc.Arbitrary<Policy> = fc.record({
    sandbox,
    net,
    readable: fc.array(path, { maxLength: 3 }),
    writable: fc.array(path, { maxLength: 3 }),
    limits: fc.record({ ...counts, cpuSeconds: fc.oneof(number, fc.constant(null)) }),
  });
  const anyWish = fc.record(
    {
      sandbox,
      net,
      readable: fc.array(wishedPath, { maxLength: 3 }),
      writable: fc.array(wishedPath, { maxLength: 3 }),
      limits: fc.dictionary(fc.constantFrom(...Object.keys(limits)), anyNumber),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Wish>;
  const isOpen = (folders: readonly string[], asked: string): boolean =>
    folders.some((folder) => isWithin(asked, folder));

  test("lets code reach exactly what both allow", () => {
    fc.assert(
      fc.property(anyPolicy, anyWish, name, port, (own, wish, host, at) => {
        const both = netAllows(own.net, host, at) && netAllows(wish.net ?? own.net, host, at);
        expect(netAllows(narrow(own, wish).net, host, at)).toBe(both);
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });

  test("opens no path that the policy doesn't open", () => {
    fc.assert(
      fc.property(anyPolicy, anyWish, path, (own, wish, asked) => {
        const made = narrow(own, wish);
        for (const what of ["readable", "writable"] as const) {
          if (isOpen(made[what], asked)) expect(isOpen(own[what], asked)).toBe(true);
          const wished = wish[what];
          if (wished === undefined) expect(made[what]).toEqual(own[what]);
          else if (isOpen(made[what], asked)) expect(isOpen(wished, asked)).toBe(true);
          expect(made[what].every((folder) => /^\/$|^(\/\w+)+$/.test(folder))).toBe(true);
        }
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });

  test("has no limit above the policy's and no weaker containment", () => {
    const strength = ["off", "auto", "strict"];
    fc.assert(
      fc.property(anyPolicy, anyWish, (own, wish) => {
        const made = narrow(own, wish);
        expect(strength.indexOf(made.sandbox)).toBeGreaterThanOrEqual(
          strength.indexOf(own.sandbox),
        );
        for (const [key, bound] of Object.entries<number | null>({ ...own.limits })) {
          const limit = Object.entries<number | null>({ ...made.limits }).find(
            ([k]) => k === key,
          )?.[1];
          expect(limit ?? Infinity).toBeLessThanOrEqual(bound ?? Infinity);
          expect(limit === null || Number.isSafeInteger(limit)).toBe(true);
          expect(limit ?? 1).toBeGreaterThanOrEqual(1);
        }
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });
});
