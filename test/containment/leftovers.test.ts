/** Claim: the next run finds nothing of the one before, but what that has written in the workspace. */
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { atEachLevel } from "../support/containment/claim.ts";
import { LEVELS } from "../support/containment/levels.ts";
import { processesMentioning } from "../support/processes.ts";

/** All runs in one place, one after the other. */
const ONE_PLACE = ["--max-runs", "1"];
/** Without containment too, processes are ended, and each run is a fork of its own. */
const ALWAYS = [
  "a daemon",
  "a daemon with a name of its own",
  "an abstract socket",
  "a port",
  "the modification of a module in the shared memory of the template",
];

atEachLevel(LEVELS, { args: ONE_PLACE }, ({ strength, missing }, server) => {
  const isControl = strength === "off";

  test(`a run finds ${isControl ? "what" : "nothing that"} another one has left`, async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    const mark = `left-${randomBytes(5).toString("hex")}`;
    const key = randomBytes(3).readUIntBE(0, 3) + 1;
    const more = { mark, key, port: 20_000 + (key % 10_000), processors: availableParallelism() };
    const dropped = await server().attack("leftovers-drop", more);
    const ended = processesMentioning(server().base).filter(({ command }) => command === mark);
    const found = await server().attack("leftovers-find", more);
    await server().run(tidy(mark, key));
    expect(ended).toEqual([]);
    expect(found.done.filter((name) => ALWAYS.includes(name))).toEqual([]);
    if (isControl) {
      const lasting = dropped.done.filter((name) => !ALWAYS.includes(name));
      expect(lasting.length).toBeGreaterThan(5);
      expect(found.done).toEqual(expect.arrayContaining(lasting));
    } else {
      expect(found.done).toEqual([]);
      // and the one before could do what any program does
      expect(dropped.done).toContain("a file in the folder of temporary folders");
    }
  });
});

atEachLevel(
  LEVELS.filter(({ strength }) => strength !== "off"),
  { args: ONE_PLACE },
  ({ missing }, server) => {
    test("a run that does nothing but to bind its supervisor to a processor leaves nothing of it", async ({
      skip,
    }) => {
      skip(missing !== undefined, missing);
      const count = "import os\nprint(len(os.sched_getaffinity(0)))";
      const before = await server().run(count);
      await server().run("import os\nos.sched_setaffinity(os.getppid(), {0})");
      expect((await server().run(count)).stdout).toBe(before.stdout);
    });
  },
);

/** Removes what is left where nothing is contained. */
function tidy(mark: string, key: number): string {
  return `
import ctypes, os
libc = ctypes.CDLL(None)
for folder in ("/tmp", "/var/tmp", "/run", "/dev/shm", "/dev/mqueue", os.path.dirname(os.environ["TMPDIR"])):
    for name in ("${mark}", "sem.${mark}"):
        try:
            os.unlink(f"{folder}/{name}")
        except OSError:
            pass
libc.shmctl(libc.shmget(${key}, 0, 0), 0, None)
libc.semctl(libc.semget(${key}, 0, 0), 0, 0)
libc.msgctl(libc.msgget(${key}, 0), 0, None)
libc.mq_unlink(b"/${mark}")
`;
}
