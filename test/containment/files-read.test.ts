/** Claim: code reads what its user can read, but no credentials, whatever way it takes to them. */
import { readdirSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { atEachLevel, testClaim } from "../support/containment/claim.ts";
import type { ContainedServer } from "../support/containment/contained-server.ts";
import { LEVELS } from "../support/containment/levels.ts";

const LATER = [".pypirc", ".config/gh/hosts.yml", ".ssh/id_new", ".docker/config.json"];
const REPLACED = [".netrc", ".aws/credentials"];
/** In which the server opens places ahead; if it takes longer, the next runs are in places that know better. */
const PAUSE_MS = 500;

testClaim({
  attack: "files-read",
  more: (server) => {
    const [own = ""] = readdirSync(server.temp);
    const kept = join(server.temp, own, "kept");
    server.write(kept, server.secret);
    server.giveAway();
    return { kept };
  },
  needNamespaces: ["the names of what is hidden"],
  also: ({ strength, missing }, server) => {
    const isControl = strength === "off";
    const can = isControl ? "can" : "can't";

    test(`credentials that come while the server runs ${can} be read`, async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { home, secret } = server();
      for (const path of LATER) server().write(join(home, path), secret);
      server().giveAway();
      for (const found of await readInManyPlaces(server(), LATER)) {
        expect(found).toEqual(isControl ? LATER : []);
      }
    });
  },
});

/** As they are named before they take the place of the credentials, which is how programs write those. */
const unfinished = REPLACED.map((path) => `${path}.new`);

atEachLevel(
  LEVELS,
  {
    prepare: (server) => {
      for (const path of unfinished) server.write(join(server.home, path), server.secret);
    },
  },
  ({ strength, missing }, server) => {
    const isControl = strength === "off";
    test(`credentials that take the place of others ${isControl ? "can" : "can't"} be read`, async ({
      skip,
    }) => {
      skip(missing !== undefined, missing);
      const { home } = server();
      const now = new Date();
      for (const path of unfinished) utimesSync(join(home, path), now, now);
      await readInManyPlaces(server(), []); // places are opened while the files have other names
      await sleep(PAUSE_MS);
      for (const path of REPLACED) renameSync(join(home, `${path}.new`), join(home, path));
      for (const found of await readInManyPlaces(server(), REPLACED)) {
        expect(found).toEqual(isControl ? REPLACED : []);
      }
    });
  },
);

/**
 * Which of some files in HOME can be read, in several runs: the first ones in places as old as the server, the later ones
 * in places that are opened when the files are there, since each run leaves something behind.
 */
async function readInManyPlaces(
  server: ContainedServer,
  paths: readonly string[],
): Promise<string[][]> {
  const code = `
import os, tempfile, time
tempfile.mkstemp(dir=os.path.dirname(tempfile.gettempdir()))
for path in ${JSON.stringify(paths)}:
    try:
        open(os.path.join(${JSON.stringify(server.home)}, path)).read()
        print(path)
    except OSError:
        pass
time.sleep(0.1)
`;
  const found: string[][] = [];
  for (let round = 0; round < 3; round += 1) {
    const runs = await Promise.all(Array.from({ length: 4 }, () => server.run(code)));
    found.push(...runs.map(({ stdout = "" }) => stdout.split("\n").filter(Boolean)));
  }
  return found;
}
