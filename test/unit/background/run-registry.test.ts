import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/deferred.ts";
import { LiveRun } from "../../../src/background/live-run.ts";
import { RunRegistry } from "../../../src/background/run-registry.ts";

/** Work that ends when it is told to, or when it is cancelled. */
function work(): {
  run: LiveRun<string>;
  finish: (answer: string) => void;
  fail: (e: Error) => void;
} {
  let finish: (answer: string) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const run = new LiveRun<string>(
    "run_python",
    ({ signal }) =>
      new Promise((resolve, reject) => {
        [finish, fail] = [resolve, reject];
        signal.addEventListener("abort", () => resolve("cut off"));
      }),
    1000,
  );
  return { run, finish: (answer) => finish(answer), fail: (error) => fail(error) };
}

async function ended(run: LiveRun<string>): Promise<LiveRun<string>> {
  await run.ended;
  return run;
}

describe("a live run", () => {
  test("is queued until its work says that it runs, and finished with the work's answer", async () => {
    const gate = deferred<void>();
    const run = new LiveRun<string>(
      "run_python",
      async ({ onState }) => {
        await gate.promise;
        onState("running");
        await sleep(20);
        return "done";
      },
      1000,
    );
    expect(run.state).toBe("queued");
    gate.resolve();
    await run.accepted();
    expect(run.state).toBe("running");
    expect(await ended(run)).toMatchObject({ state: "finished", outcome: { answer: "done" } });
  });

  test("that has ended stays as it is when it is cancelled", async () => {
    const { run, finish } = work();
    finish("done");
    (await ended(run)).cancel();
    expect(run).toMatchObject({ state: "finished", outcome: { answer: "done" } });
  });

  test("is cancelled with what its work makes of that", async () => {
    const { run } = work();
    run.cancel();
    expect(await ended(run)).toMatchObject({ state: "cancelled", outcome: { answer: "cut off" } });
  });

  test("is finished with what its work throws", async () => {
    const { run, fail } = work();
    fail(new Error("no"));
    expect(await ended(run)).toMatchObject({ state: "finished", outcome: { error: Error("no") } });
  });

  test("is waited for no longer than said, and not after the one who waits is gone", async () => {
    const { run, finish } = work();
    expect(await run.endsWithin(10)).toBe(false);
    const gone = new AbortController();
    const waiting = run.endsWithin(60_000, gone.signal);
    gone.abort();
    expect(await waiting).toBe(false);
    expect(await run.endsWithin(60_000, gone.signal)).toBe(false);
    const patient = run.endsWithin(60_000);
    finish("done");
    expect(await patient).toBe(true);
  });
});

describe("a registry", () => {
  test("gives each run an id of its own, which nobody can guess", () => {
    const registry = new RunRegistry<string>();
    const runs = Array.from({ length: 32 }, () => work().run);
    const ids = runs.map((run) => registry.keep(run));
    expect(new Set(ids).size).toBe(32);
    for (const id of ids) expect(id).toMatch(/^[\w-]{16}$/);
    expect(ids.map((id) => registry.find(id))).toEqual(runs);
    registry.close();
  });

  test("knows nothing of another's runs", () => {
    const [one, other] = [new RunRegistry<string>(), new RunRegistry<string>()];
    const id = one.keep(work().run);
    expect(() => other.find(id)).toThrow(/no run with the `id`/);
    one.close();
  });

  test("names an id that nobody has no longer than is good", () => {
    const long = "x".repeat(100_000);
    expect(() => new RunRegistry<string>().find(long)).toThrow(/^.{1,400}$/);
  });

  test("is full of runs whose end nobody has been told, and says what to do", async () => {
    const registry = new RunRegistry<string>({ maxRuns: 2 });
    const [first, second, third] = [work(), work(), work()];
    const id = registry.keep(first.run);
    registry.keep(second.run);
    first.finish("1");
    await first.run.ended;
    expect(() => registry.keep(third.run)).toThrow(
      /2 runs in the background.*get_run.*cancel_run/s,
    );
    registry.noteTold(id);
    expect(registry.hasRoom).toBe(true);
    registry.keep(third.run);
    expect(() => registry.find(id)).toThrow("You have no run");
    registry.close();
  });

  test("forgets a run some time after its end, and not before", async () => {
    const registry = new RunRegistry<string>({ keptMs: 50 });
    const { run, finish } = work();
    const id = registry.keep(run);
    await sleep(100);
    expect(registry.find(id)).toBe(run);
    finish("done");
    await run.ended;
    expect(registry.find(id)).toBe(run);
    await sleep(150);
    expect(() => registry.find(id)).toThrow("You have no run");
  });

  test("ends its runs when it is closed, also one that comes late", async () => {
    const registry = new RunRegistry<string>();
    const [early, late] = [work().run, work().run];
    const id = registry.keep(early);
    registry.close();
    registry.keep(late);
    expect((await ended(early)).state).toBe("cancelled");
    expect((await ended(late)).state).toBe("cancelled");
    expect(() => registry.find(id)).toThrow("You have no run");
  });
});
