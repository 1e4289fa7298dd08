/** What bounds sessions: time, number, places, and whose they are. */
import { describe, expect, test } from "vitest";
import { readSettings } from "../../src/config.ts";
import { createEngine } from "../../src/engine.ts";
import { createExecutor } from "../../src/index.ts";
import { createLog } from "../../src/observability/log.ts";
import { eventually } from "../support/eventually.ts";
import { makeTestFolder } from "../support/test-folder.ts";

describe("sessions", () => {
  test("take no place while they are idle, and one while they run", async () => {
    const folder = makeTestFolder();
    const executor = createExecutor({ workspace: folder.workspace, maxRuns: 1 });
    try {
      const [a, b] = [await executor.openSession(), await executor.openSession()];
      expect((await executor.run({ code: "1" })).result).toBe("1");
      const order: string[] = [];
      const one = a.run({ code: "import time\ntime.sleep(0.3)" }).then(() => order.push("a"));
      await eventually(async () => (await a.describe()).state === "running");
      const two = b.run({ code: "1" }).then(() => order.push("b"));
      await Promise.all([one, two]);
      expect(order).toEqual(["a", "b"]);
    } finally {
      await executor.close();
      folder.remove();
    }
  });

  test("end when they are not used", async () => {
    const folder = makeTestFolder();
    const executor = createExecutor({ workspace: folder.workspace, sessionIdle: 0.3 });
    try {
      const session = await executor.openSession();
      const pid = Number((await session.run({ code: "x = 1\nimport os\nos.getpid()" })).result);
      expect(pid).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 600));
      await expect(session.run({ code: "x" })).rejects.toMatchObject({
        session: { lostNames: ["x"], reason: "it was not used for 0.3 s (--session-idle)" },
      });
    } finally {
      await executor.close();
      expect(await folder.lastingLeftovers()).toEqual([]);
      folder.remove();
    }
  });

  test("are none where the operator allows none", async () => {
    const folder = makeTestFolder();
    const executor = createExecutor({ workspace: folder.workspace, maxSessions: 0 });
    try {
      await expect(executor.openSession()).rejects.toThrow("no sessions (--max-sessions 0)");
    } finally {
      await executor.close();
      folder.remove();
    }
  });
});

describe("another client", () => {
  test("can't see, name, fork, end or exhaust sessions that aren't its own", async () => {
    const folder = makeTestFolder();
    const settings = { workspace: folder.workspace, maxSessions: 2 };
    const engine = createEngine(readSettings(settings), createLog("silent"));
    try {
      const [mine, theirs] = [engine.openStore(), engine.openStore()];
      await engine.run({ code: "secret = 42", session: "a" }, { sessions: mine });
      await engine.run({ code: "1", session: "b" }, { sessions: mine });
      const missing = { code: "invalid_argument", argument: "session" };
      const codes = ["secret"];
      await expect(
        engine.runBatch({ codes, session: "a" }, { sessions: theirs }),
      ).rejects.toMatchObject(missing);
      await expect(theirs.fork("a", "c", new AbortController().signal)).rejects.toMatchObject(
        missing,
      );
      expect(() => theirs.end("a")).toThrow('You have no session "a". You have no sessions.');
      expect(await theirs.list()).toEqual([]);
      const own = await engine.run(
        { code: "'secret' in globals()", session: "a" },
        { sessions: theirs },
      );
      expect([own.result, own.session]).toEqual([
        "False",
        { id: "a", state: "created", runCount: 1 },
      ]);
      theirs.close();
      const [copy] = await engine.runBatch({ codes, session: "a" }, { sessions: mine });
      expect(copy?.result).toBe("42");
    } finally {
      await engine.close();
      folder.remove();
    }
  });
});
