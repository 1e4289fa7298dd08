/** How a claim of containment is tested: the same attacks at every level, and once where nothing stops them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ContainedServer, type ContainedServerOptions } from "./contained-server.ts";
import { LEVELS, type Level } from "./levels.ts";

export interface Claim extends ContainedServerOptions {
  /** Program of `test/containment/attacks`. */
  readonly attack: string;
  /** Puts more into the folders before the server starts. */
  readonly prepare?: (server: ContainedServer) => Promise<void> | void;
  /** What the attack has to know besides; called when the server has run something. */
  readonly more?: (
    server: ContainedServer,
  ) => Promise<Record<string, unknown>> | Record<string, unknown>;
  /** Attacks that go through without namespaces, as the documentation says. */
  readonly needNamespaces?: readonly string[];
  /** More tests of the claim, with the same server. */
  readonly also?: (level: Level, server: () => ContainedServer) => void;
}

/** Calls a function for each level with a server of it, in a group of tests; levels that can't be had are skipped. */
export function atEachLevel(
  levels: readonly Level[],
  options: Pick<Claim, "prepare" | "args" | "env" | "prefix">,
  tests: (level: Level, server: () => ContainedServer) => void,
): void {
  describe.each(levels)("$name", (level) => {
    let server: ContainedServer | undefined;
    beforeAll(async () => {
      if (level.missing !== undefined) return;
      server = await ContainedServer.start(level, options);
      await server.run("pass");
    });
    afterAll(async () => {
      expect((await server?.close()) ?? []).toEqual([]);
    });
    tests(level, () => {
      if (server === undefined) throw new Error("the server could not be started");
      return server;
    });
  });
}

/** Tests that no attack goes through where something is contained, and that each of them does where nothing is. */
export function testClaim(claim: Claim): void {
  atEachLevel(LEVELS, claim, (level, server) => {
    const isControl = level.strength === "off";
    test(`${isControl ? "every" : "no"} attack goes through`, async ({ skip }) => {
      skip(level.missing !== undefined, level.missing);
      const more = await claim.more?.(server());
      const { done, refused } = await server().attack(claim.attack, more);
      if (isControl) {
        expect(refused).toEqual({});
        expect(done).not.toEqual([]);
      } else {
        const documented =
          level.strength === "without namespaces" ? (claim.needNamespaces ?? []) : [];
        expect(done.filter((name) => !documented.includes(name))).toEqual([]);
      }
    });
    claim.also?.(level, server);
  });
}
