/** Claim: code sees the variables that it needs and those that were named, and none of the server's others. */
import { expect, test } from "vitest";
import { testClaim } from "../support/containment/claim.ts";

testClaim({
  attack: "environment",
  env: { PY_EXECUTOR_MAX_QUEUED: "17", NAMED: "told" },
  args: ["--allow-env", "NAMED"],
  also: ({ missing }, server) => {
    test("a variable that was named is there", async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { stdout } = await server().run("import os\nprint(os.environ['NAMED'])");
      expect(stdout).toBe("told\n");
    });
  },
});
