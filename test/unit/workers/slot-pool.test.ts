import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NotStartedError, type RunConnection } from "../../../src/workers/run-connection.ts";
import { SlotPool } from "../../../src/workers/slot-pool.ts";
import { encodeFields } from "../../../src/workers/wire.ts";
import type { RunEvents, Task } from "../../../src/workers/worker.ts";
import { eventually } from "../../support/eventually.ts";
import { PeerServer } from "../../support/socket-peer.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

const READY = encodeFields("A", { executable: "/opt/python" });
const ENDED = encodeFields("X", { end: "exit", exit_code: 0, duration_ms: 1 });
const LIMITS = { forwardBytes: 1000, tailBytes: 100, resultChars: 50 };
const TASK: Task = {
  code: "",
  cwd: "/",
  timeout: 10,
  environment: { python: "/opt/python", variables: {} },
};
const events = (signal = new AbortController().signal): RunEvents => ({
  signal,
  onOutput: () => {},
  onSkipped: () => {},
  onShown: () => {},
});

let folder: TestFolder;
const pools: SlotPool[] = [];
const templates: PeerServer[] = [];

beforeEach(() => {
  folder = makeTestFolder();
});
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
  for (const template of templates.splice(0)) template.close();
  folder.remove();
});

/** A template whose slots are ready when they are opened and again after each run. */
async function templateWith({ isReady = true } = {}): Promise<PeerServer> {
  const template = await PeerServer.listen(folder.temp, {
    onFrame: ({ socket }, { kind }) => {
      if (kind === "L" && isReady) socket.write(READY);
      if (kind === "R") socket.write(Buffer.concat([ENDED, READY]));
    },
  });
  templates.push(template);
  return template;
}

function poolOf(template: PeerServer, maxSlots: number): SlotPool {
  const pool = new SlotPool(template.path, maxSlots);
  pools.push(pool);
  return pool;
}

/** Slots that are open at the template's end. */
const openIn = (template: PeerServer): number =>
  template.peers.filter(({ hasEnded }) => !hasEnded).length;

/** How it goes with something that may wait for ever. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  return Promise.race([
    promise.then(
      () => "settled",
      (error: unknown) => (error instanceof NotStartedError ? "not started" : String(error)),
    ),
    sleep(100).then(() => "waiting"),
  ]);
}

describe("a slot", () => {
  test("is a connection that says what it is for", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 2);
    await pool.acquire();
    const { kind, payload } = await (await template.peer()).received();
    expect([kind, payload.length]).toEqual(["L", 0]);
    expect(template.peers).toHaveLength(1);
  });

  test("is used again by the next run", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 4);
    for (let i = 0; i < 3; i += 1) {
      const slot = await pool.acquire();
      expect(await slot.run(TASK, LIMITS, events())).toMatchObject({ how: "exit" });
      pool.release(slot);
      await slot.ready;
    }
    expect(template.peers).toHaveLength(1);
  });

  test("is not given to two runs", async () => {
    const pool = poolOf(await templateWith(), 3);
    const slots = await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
    expect(new Set(slots).size).toBe(3);
  });

  test("is not given on before it has cleaned up after its run", async () => {
    const template = await PeerServer.listen(folder.temp, {
      onFrame: ({ socket }, { kind }) => socket.write(kind === "L" ? READY : ENDED),
    });
    templates.push(template);
    const pool = poolOf(template, 1);
    const slot = await pool.acquire();
    await slot.run(TASK, LIMITS, events());
    pool.release(slot);
    const next = pool.acquire();
    expect(await stateOf(next)).toBe("waiting");
    template.peers[0]?.socket.write(READY);
    expect(await next).toBe(slot);
  });

  test("whose run never began is given on at once", async () => {
    const pool = poolOf(await templateWith(), 1);
    const slot = await pool.acquire();
    await slot.run(TASK, LIMITS, events(AbortSignal.abort()));
    pool.release(slot);
    expect(await pool.acquire()).toBe(slot);
  });

  test("that went away while nobody used it is not given to anybody", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 1);
    pool.keepAhead(1);
    const { socket } = await template.peer();
    expect(await eventually(() => pool.busyCount === 0)).toBe(true);
    socket.destroy();
    await sleep(50); // the pool sees it
    const slot = await pool.acquire();
    expect(slot.isOpen).toBe(true);
    expect(await slot.run(TASK, LIMITS, events())).toMatchObject({ how: "exit" });
  });

  test("that went away a moment ago is not given to anybody either", async () => {
    const pool = poolOf(await templateWith(), 1);
    const slot = await pool.acquire();
    pool.release(slot);
    expect(await eventually(() => pool.busyCount === 0)).toBe(true);
    slot.close();
    const next = await pool.acquire();
    expect([next === slot, next.isOpen]).toEqual([false, true]);
  });

  test("that was lost with its run makes room for another", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 1);
    const slot = await pool.acquire();
    const next = pool.acquire();
    expect(await stateOf(next)).toBe("waiting");
    slot.close(); // as cancelling does
    pool.release(slot);
    expect((await next).isOpen).toBe(true);
    expect(template.peers).toHaveLength(2);
  });
});

describe("runs that wait for a slot", () => {
  test("get one in the order in which they came", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 2);
    const slots = await Promise.all([pool.acquire(), pool.acquire()]);
    const order: string[] = [];
    const waiting = ["first", "second", "third"].map(async (name) => {
      const slot = await pool.acquire();
      order.push(name);
      pool.release(slot);
    });
    await sleep(50);
    expect(order).toEqual([]);
    expect(template.peers).toHaveLength(2);
    for (const slot of slots) pool.release(slot);
    await Promise.all(waiting);
    expect(order).toEqual(["first", "second", "third"]);
    expect(template.peers).toHaveLength(2);
  });

  test("are told when the template is gone, however many they are", async () => {
    const pool = new SlotPool(`${folder.temp}/nobody`, 2);
    pools.push(pool);
    const waiting = Array.from({ length: 5 }, () => stateOf(pool.acquire()));
    expect(await Promise.all(waiting)).toEqual(Array(5).fill("not started"));
  });

  test("are told when the template goes away, however many they are", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 2);
    await Promise.all([pool.acquire(), pool.acquire()]);
    const waiting = Array.from({ length: 5 }, () => stateOf(pool.acquire()));
    template.close();
    expect(await Promise.all(waiting)).toEqual(Array(5).fill("not started"));
  });

  test("are told when the pool is closed, however many they are", async () => {
    const pool = poolOf(await templateWith(), 2);
    await Promise.all([pool.acquire(), pool.acquire()]);
    const waiting = Array.from({ length: 5 }, () => stateOf(pool.acquire()));
    pool.close();
    expect(await Promise.all(waiting)).toEqual(Array(5).fill("not started"));
    expect(await stateOf(pool.acquire())).toBe("not started");
  });

  test("get the slots that there are when the template has no more to give", async () => {
    let opened = 0;
    const template = await PeerServer.listen(folder.temp, {
      onFrame: ({ socket }, { kind }) => {
        if (kind !== "L") return;
        if ((opened += 1) === 1) socket.write(READY);
        else socket.destroy();
      },
    });
    templates.push(template);
    const pool = poolOf(template, 3);
    const slot = await pool.acquire();
    const others = [pool.acquire(), pool.acquire()];
    // one slot is left, for which one run may wait
    const states = await Promise.all(others.map(stateOf));
    expect(states).toEqual(["not started", "waiting"]);
    pool.release(slot);
    expect(await others[1]).toBe(slot);
  });
});

describe("slots ahead of runs", () => {
  test("are as many as are asked for, within the bound", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 3);
    pool.keepAhead(2);
    await template.peer(1);
    pool.keepAhead(9);
    await template.peer(2);
    await sleep(50);
    expect(template.peers).toHaveLength(3);
  });

  test("outlast the others, which are given up when nobody has needed them for a while", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 4);
    pool.keepAhead(1);
    const slots = await Promise.all(Array.from({ length: 4 }, () => pool.acquire()));
    expect(openIn(template)).toBe(4);
    for (const slot of slots) pool.release(slot);
    expect(await eventually(() => openIn(template) === 1)).toBe(true);
    await sleep(600);
    expect(openIn(template)).toBe(1);
    const again = await Promise.all(Array.from({ length: 4 }, () => pool.acquire()));
    expect(again.every(({ isOpen }) => isOpen)).toBe(true);
    expect(openIn(template)).toBe(4);
  });

  test("are given up when none is wanted any more", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 2);
    pool.keepAhead(2);
    await template.peer(1);
    pool.keepAhead(0);
    expect(await eventually(() => openIn(template) === 0)).toBe(true);
  });

  test("are never given up under a run", async () => {
    const template = await templateWith();
    const pool = poolOf(template, 2);
    const slot = await pool.acquire();
    const other: RunConnection = await pool.acquire();
    pool.release(other);
    expect(await eventually(() => openIn(template) === 1)).toBe(true);
    await sleep(500);
    expect(slot.isOpen).toBe(true);
    expect(pool.busyCount).toBe(1);
  });
});

test("a pool counts the slots that are not free", async () => {
  const template = await templateWith();
  const pool = poolOf(template, 3);
  expect(pool.busyCount).toBe(0);
  const slots = await Promise.all([pool.acquire(), pool.acquire()]);
  expect(pool.busyCount).toBe(2);
  for (const slot of slots) pool.release(slot);
  expect(await eventually(() => pool.busyCount === 0)).toBe(true);
});

test("closing ends all slots, also those that are just being opened, and may be repeated", async () => {
  const template = await templateWith();
  const pool = poolOf(template, 3);
  const slot = await pool.acquire();
  pool.keepAhead(3);
  pool.close();
  pool.close();
  expect(slot.isOpen).toBe(false);
  expect(await eventually(() => openIn(template) === 0)).toBe(true);
  pool.keepAhead(3);
  await sleep(50);
  expect(openIn(template)).toBe(0);
});
