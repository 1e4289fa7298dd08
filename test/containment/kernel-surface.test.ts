/** Claim: code has no rights beyond its user's, can't gain any, and reaches few of the kernel's less trodden parts. */
import { chmodSync, copyFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll } from "vitest";
import { testClaim } from "../support/containment/claim.ts";

/** Makes a System V segment that outlives it; prints its number. Removes it, given that number. */
const SEGMENT = `
import ctypes, sys
libc = ctypes.CDLL(None)
if len(sys.argv) > 1:
    libc.shmctl(int(sys.argv[1]), 0, None)
else:
    print(libc.shmget(0, 4096, 0o1666))
`;
const segment = execFileSync("python3", ["-c", SEGMENT], { encoding: "utf8" }).trim();
afterAll(() => void execFileSync("python3", ["-c", SEGMENT, segment]));

testClaim({
  attack: "kernel-surface",
  more: ({ workspace }) => {
    // made after the folders were given to the server's user, so that its owner is the one who runs the tests
    const giver = join(workspace, "giver");
    copyFileSync("/usr/bin/id", giver);
    chmodSync(giver, 0o4755);
    return { giver, segment: Number(segment) };
  },
  needNamespaces: ["the list of the host's System V memory"],
});
