/** The sessions of a client, with a host that is played by the test. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PyExecutorError } from "../../../src/errors.ts";
import { Home } from "../../../src/sessions/home.ts";
import type { Session } from "../../../src/sessions/session.ts";
import { SessionStore } from "../../../src/sessions/session-store.ts";
import type {
  RunEnd,
  RunEvents,
  SessionHost,
  SessionRunEnd,
  SessionTask,
  Unforkable,
} from "../../../src/workers/worker.ts";

const EXIT: RunEnd = {
  ...{
    how: "exit",
    exitCode: 0,
    executable: "python",
    durationMs: 1,
    value: undefined,
    imports: [],
  },
};
const WELL: SessionRunEnd = { end: EXIT, names: ["x"], isSettled: false, isLost: false };
const TASK: SessionTask = { code: "x = 1", cwd: "", timeout: 5 };
const EVENTS: RunEvents = {
  signal: new AbortController().signal,
  onOutput: () => {},
  onSkipped: () => {},
  onShown: () => {},
};
const never = EVENTS.signal;

class PlayedHost implements SessionHost {
  readonly listeners = new Map<number, (end: RunEnd) => void>();
  readonly closedProcesses: number[] = [];
  isClosed = false;
  cell: () => Promise<SessionRunEnd> = async () => WELL;
  copy: SessionRunEnd | Unforkable = WELL;
  variables = "[]";

  runCell(): Promise<SessionRunEnd> {
    return this.cell();
  }
  async runCopy(): Promise<SessionRunEnd | Unforkable> {
    return this.copy;
  }
  async fork(): Promise<SessionRunEnd | Unforkable> {
    return this.copy;
  }
  async describe(): Promise<{ variables: string; memory: number }> {
    return { variables: this.variables, memory: 1 };
  }
  interrupt(): boolean {
    return true;
  }
  closeProcess(process: number): void {
    this.closedProcesses.push(process);
  }
  onEnd(process: number, listener: (end: RunEnd) => void): void {
    this.listeners.set(process, listener);
  }
  close(): void {
    this.isClosed = true;
  }
}

let store: SessionStore;
let host: PlayedHost;
let released = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  store = new SessionStore({ maxSessions: 3, idleMs: 1000 });
  host = new PlayedHost();
  released = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

/** A session with a process, of a host of its own, that has run one cell. */
async function begun(id: string): Promise<Session> {
  const session = store.enter(id);
  const endTurn = await session.take("alone", never);
  const environment = { python: "python", variables: {} };
  const home = new Home(host, environment, [], () => (released += 1));
  session.begin(home, home.enter());
  await session.runCell(TASK, EVENTS);
  endTurn();
  return session;
}

function errorOf(call: () => unknown): PyExecutorError {
  try {
    call();
  } catch (error) {
    if (error instanceof PyExecutorError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("the sessions of a client", () => {
  test("are found by their name, and a new name makes one", async () => {
    const a = await begun("a");
    expect(store.enter("a")).toBe(a);
    expect(store.find("a")).toBe(a);
    expect(store.ids).toEqual(["a"]);
    expect(errorOf(() => store.find("b")).message).toContain(
      'You have no session "b". Your sessions are a.',
    );
  });

  test.each(["", " ", "a b", "ä", "a/b", "../x", "x".repeat(65), "a\n"])(
    "have names of letters, digits and little else: not %j",
    (id) => {
      const error = errorOf(() => store.enter(id));
      expect([error.code, error.argument]).toEqual(["invalid_argument", "session"]);
      expect(error.message).toContain("1 to 64 letters");
      expect(error.message.length).toBeLessThan(300);
    },
  );

  test("are bounded, those included that have not begun", async () => {
    await begun("a");
    store.enter("b");
    const c = store.enter("c");
    const error = errorOf(() => store.enter("d"));
    expect(error.code).toBe("limit_exceeded");
    expect(error.message).toContain("3 sessions, which is the most (--max-sessions): a, b, c");
    store.leave(c); // it came to nothing
    expect(store.enter("d").id).toBe("d");
  });

  test("end when they are not used, and the next use is told once", async () => {
    await begun("a");
    vi.advanceTimersByTime(999);
    expect(store.ids).toEqual(["a"]);
    vi.advanceTimersByTime(1);
    expect(store.ids).toEqual([]);
    expect([host.closedProcesses, host.isClosed, released]).toEqual([[0], true, 1]);
    const error = errorOf(() => store.enter("a"));
    expect(error.code).toBe("session_lost");
    expect(error.session).toEqual({
      ...{ id: "a", state: "lost", lostNames: ["x"] },
      reason: "it was not used for 1 s (--session-idle)",
    });
    expect(error.message).toMatch(
      /The session "a" is lost: .* Lost with it: x\. Nothing was run\./,
    );
    expect(store.enter("a").hasBegun).toBe(false);
  });

  test("do not end while code runs, nor live longer for being looked at", async () => {
    const session = await begun("a");
    const endTurn = await session.take("alone", never);
    vi.advanceTimersByTime(5000);
    endTurn();
    vi.advanceTimersByTime(600);
    await store.list();
    vi.advanceTimersByTime(399);
    expect(store.ids).toEqual(["a"]);
    vi.advanceTimersByTime(1);
    expect(store.ids).toEqual([]);
  });

  test("are remembered when their process ends, and forgotten when the client has closed them", async () => {
    await begun("a");
    await begun("b");
    host.listeners.get(0)?.({ ...EXIT, exitCode: -9 });
    expect(store.ended.get("b")?.reason).toBe("its process was ended by SIGKILL");
    store.end("a");
    expect(store.ids).toEqual([]);
    expect(store.enter("a").hasBegun).toBe(false);
  });

  test("are remembered up to a bound", async () => {
    for (let n = 0; n < 70; n += 1) {
      await begun(`s${n}`);
      vi.advanceTimersByTime(1000);
    }
    expect(store.ended.size).toBe(64);
    expect(store.ended.has("s5")).toBe(false);
    expect(store.ended.has("s6")).toBe(true);
  });

  test("tell those that wait for one that it is gone", async () => {
    const session = await begun("a");
    const endTurn = await session.take("alone", never);
    const waiting = session.take("alone", never);
    store.end("a");
    await expect(waiting).rejects.toMatchObject({
      code: "session_lost",
      session: { reason: "it was closed" },
    });
    endTurn();
  });

  test("are lost with the code that took their process along; what was bound before is told", async () => {
    const session = await begun("a");
    const endTurn = await session.take("alone", never);
    host.cell = async () => ({
      ...{ end: { how: "timeout", executable: "python", durationMs: 1 } },
      ...{ names: undefined, isSettled: false, isLost: true },
    });
    expect(await session.runCell(TASK, EVENTS)).toMatchObject({ how: "timeout" });
    endTurn();
    expect(errorOf(() => store.find("a")).session).toMatchObject({
      lostNames: ["x"],
      reason: expect.stringContaining("at its deadline of 5 s") as string,
    });
  });

  test("that are closed while code runs cancel it", async () => {
    const session = await begun("a");
    await session.take("alone", never);
    let lose = (): void => {};
    host.cell = () =>
      new Promise((resolve) => {
        const end: RunEnd = { how: "failed", executable: "python", reason: "lost" };
        lose = () => resolve({ end, names: undefined, isSettled: false, isLost: true });
      });
    const end = session.runCell(TASK, EVENTS);
    store.end("a");
    lose();
    expect(await end).toMatchObject({ how: "cancelled" });
    expect(store.ended.size).toBe(0);
  });

  test("closed before their first code has begun don't leave their process behind", async () => {
    const session = store.enter("a");
    await session.take("alone", never);
    store.end("a");
    const home = new Home(host, { python: "python", variables: {} }, [], () => (released += 1));
    expect(errorOf(() => session.begin(home, home.enter())).code).toBe("session_lost");
    expect([host.isClosed, released]).toEqual([true, 1]);
  });

  test("fork into one with the same names and history, in the same host, which lives as long as one of them", async () => {
    const a = await begun("a");
    a.note("x = 1", 0, {
      ...{ status: "ok", stdout: "", stderr: "", exitCode: 0, success: true },
      ...{ executable: "python", durationMs: 1 },
    });
    const b = await store.fork("a", "b", never);
    expect(b.history.toPython("b")).toContain("x = 1");
    expect(await b.describe()).toMatchObject({ runCount: 1, names: ["x"] });
    store.end("a");
    expect([host.closedProcesses, host.isClosed]).toEqual([[0], false]);
    store.end("b");
    expect([host.closedProcesses, host.isClosed, released]).toEqual([[0, 1], true, 1]);
  });

  test("that can't be forked say why, and leave no copy behind", async () => {
    await begun("a");
    host.copy = { refused: "A thread runs." };
    await expect(store.fork("a", "b", never)).rejects.toMatchObject({
      code: "session_unforkable",
      message: expect.stringContaining('"a" can\'t be forked: A thread runs. Change') as string,
    });
    await expect(store.fork("a", "a", never)).rejects.toMatchObject({ argument: "as" });
    await expect(store.fork("x", "b", never)).rejects.toMatchObject({ argument: "session" });
    await expect(store.fork("a", "b/c", never)).rejects.toMatchObject({ argument: "as" });
    expect(store.ids).toEqual(["a"]);
    expect(await store.list()).toHaveLength(1);
  });

  test("say what is in them; what is no list of variables counts for nothing", async () => {
    const session = await begun("a");
    host.variables = JSON.stringify([
      { name: "x".repeat(500), type: "int", size: 28, shape: null, value: "1", more: 1 },
    ]);
    const info = await session.describe();
    expect(info).toMatchObject({ state: "idle", memory: 1, runCount: 1, names: ["x"] });
    expect(info.variables).toEqual([
      { name: "x".repeat(200), type: "int", size: 28, shape: null, value: "1" },
    ]);
    for (const forged of ["", "{}", '[{"name": 1}]', "[1"]) {
      host.variables = forged;
      expect((await session.describe()).variables).toEqual([]);
    }
    await session.take("alone", never);
    await nextTurn();
    expect((await session.describe()).variables).toBeUndefined();
  });

  test("take a bounded number of calls that wait", async () => {
    const session = await begun("a");
    await session.take("alone", never);
    const waiting = Array.from({ length: 100 }, () => session.take("alone", never));
    await expect(session.take("alone", never)).rejects.toMatchObject({ code: "busy" });
    store.close();
    const ends = await Promise.allSettled(waiting);
    expect(ends.every(({ status }) => status === "rejected")).toBe(true);
    expect(errorOf(() => store.enter("z")).code).toBe("closed");
  });
});
