import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PyExecutorError } from "../../../src/errors.ts";
import { Admission, type Flow, type Place } from "../../../src/schedule/admission.ts";

const never = new AbortController().signal;

/** Asks for places, and notes by name who has got one. */
function observed(limits: { maxRunning: number; maxWaiting: number }) {
  const admission = new Admission(limits);
  const admitted: string[] = [];
  const places = new Map<string, Place>();
  const refusals = new Map<string, unknown>();
  return {
    admission,
    /** Those who have got a place, in the order in which they got it. */
    admitted,
    refusals,
    ask: (name: string, flow: Flow, signal: AbortSignal = never): void => {
      admission.admit(flow, signal).then(
        (place) => {
          admitted.push(name);
          places.set(name, place);
        },
        (error: unknown) => refusals.set(name, error),
      );
    },
    release: (name: string) => places.get(name)?.release(),
  };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof PyExecutorError ? error.code : undefined;
}

describe("places", () => {
  test("are given at once while there are any", async () => {
    const { ask, admitted } = observed({ maxRunning: 2, maxWaiting: 5 });
    for (const name of ["a", "b", "c"]) ask(name, Symbol(name));
    await setImmediate();
    expect(admitted).toEqual(["a", "b"]);
  });

  test("go to the next when they are released", async () => {
    const { ask, admitted, release } = observed({ maxRunning: 1, maxWaiting: 5 });
    for (const name of ["a", "b", "c"]) ask(name, Symbol(name));
    await setImmediate();
    release("a");
    await setImmediate();
    expect(admitted).toEqual(["a", "b"]);
  });

  test("released twice are given once", async () => {
    const { ask, admitted, release } = observed({ maxRunning: 1, maxWaiting: 5 });
    for (const name of ["a", "b", "c"]) ask(name, Symbol(name));
    await setImmediate();
    release("a");
    release("a");
    await setImmediate();
    expect(admitted).toEqual(["a", "b"]);
  });

  test("released while nobody waits are there for the next", async () => {
    const { ask, admitted, release } = observed({ maxRunning: 1, maxWaiting: 0 });
    ask("a", Symbol("a"));
    await setImmediate();
    release("a");
    ask("b", Symbol("b"));
    await setImmediate();
    expect(admitted).toEqual(["a", "b"]);
  });

  test("are not taken by a newcomer from those who wait", async () => {
    const { ask, admitted, release } = observed({ maxRunning: 1, maxWaiting: 5 });
    ask("a", Symbol("a"));
    ask("b", Symbol("b"));
    await setImmediate();
    release("a");
    ask("newcomer", Symbol("newcomer"));
    await setImmediate();
    expect(admitted).toEqual(["a", "b"]);
  });
});

describe("requests take turns", () => {
  test("one with many runs does not make another wait for all of them", async () => {
    const { ask, admitted, release } = observed({ maxRunning: 1, maxWaiting: 100 });
    const [large, small] = [Symbol("large"), Symbol("small")];
    for (const name of ["L1", "L2", "L3", "L4"]) ask(name, large);
    for (const name of ["s1", "s2"]) ask(name, small);
    for (const name of ["L1", "L2", "s1", "L3", "s2"]) {
      await setImmediate();
      release(name);
    }
    await setImmediate();
    expect(admitted).toEqual(["L1", "L2", "s1", "L3", "s2", "L4"]);
  });
});

describe("a full queue", () => {
  test("refuses at once, and says how many run and wait", async () => {
    const { ask, admitted, refusals } = observed({ maxRunning: 2, maxWaiting: 1 });
    for (const name of ["a", "b", "c", "d"]) ask(name, Symbol(name));
    await setImmediate();
    expect(admitted).toEqual(["a", "b"]);
    expect([...refusals.keys()]).toEqual(["d"]);
    expect(refusals.get("d")).toMatchObject({
      code: "busy",
      message:
        "The server is busy: 2 runs are going on and 1 are waiting, which is the most it takes. " +
        "Nothing was run; try again in a moment.",
    });
  });

  test("has room again when one that waited is admitted, or gives up", async () => {
    const { ask, refusals, release } = observed({ maxRunning: 1, maxWaiting: 1 });
    const giveUp = new AbortController();
    ask("a", Symbol("a"));
    ask("b", Symbol("b"));
    await setImmediate();
    release("a");
    ask("c", Symbol("c"), giveUp.signal);
    ask("refused", Symbol("refused"));
    giveUp.abort();
    ask("d", Symbol("d"));
    await setImmediate();
    expect([...refusals.keys()].toSorted()).toEqual(["c", "refused"]);
  });
});

describe("giving up", () => {
  const reason = new Error("no longer wanted");

  test("while waiting rejects with the reason, and the others move up", async () => {
    const { ask, admitted, refusals, release } = observed({ maxRunning: 1, maxWaiting: 5 });
    const giveUp = new AbortController();
    const flow = Symbol("flow");
    ask("a", flow);
    ask("b", flow, giveUp.signal);
    ask("c", flow);
    await setImmediate();
    giveUp.abort(reason);
    await setImmediate();
    expect(refusals.get("b")).toBe(reason);
    release("a");
    await setImmediate();
    expect(admitted).toEqual(["a", "c"]);
  });

  test("before asking takes no place", async () => {
    const { ask, admitted, refusals } = observed({ maxRunning: 1, maxWaiting: 5 });
    ask("a", Symbol("a"), AbortSignal.abort(reason));
    ask("b", Symbol("b"));
    await setImmediate();
    expect(refusals.get("a")).toBe(reason);
    expect(admitted).toEqual(["b"]);
  });

  test("after being admitted changes nothing: the place has to be released", async () => {
    const { ask, admitted, refusals, release } = observed({ maxRunning: 1, maxWaiting: 5 });
    const giveUp = new AbortController();
    ask("a", Symbol("a"), giveUp.signal);
    ask("b", Symbol("b"));
    await setImmediate();
    giveUp.abort(reason);
    await setImmediate();
    expect(admitted).toEqual(["a"]);
    release("a");
    await setImmediate();
    expect(admitted).toEqual(["a", "b"]);
    expect(refusals.size).toBe(0);
  });

  test("in the moment of being admitted loses neither the place nor another one's turn", async () => {
    const { ask, admitted, refusals, release } = observed({ maxRunning: 1, maxWaiting: 5 });
    const giveUp = new AbortController();
    const flow = Symbol("flow");
    ask("a", flow);
    ask("b", flow, giveUp.signal);
    ask("c", flow);
    await setImmediate();
    release("a");
    giveUp.abort(reason);
    await setImmediate();
    expect(admitted).toEqual(["a", "b"]);
    release("b");
    await setImmediate();
    expect(admitted).toEqual(["a", "b", "c"]);
    expect(refusals.size).toBe(0);
  });
});

describe("closing", () => {
  test("turns away those who wait and those who come", async () => {
    const { admission, ask, admitted, refusals } = observed({ maxRunning: 1, maxWaiting: 5 });
    for (const name of ["a", "b", "c"]) ask(name, Symbol(name));
    await setImmediate();
    admission.close();
    ask("late", Symbol("late"));
    await setImmediate();
    expect(admitted).toEqual(["a"]);
    expect([...refusals.keys()].toSorted()).toEqual(["b", "c", "late"]);
    expect(new Set([...refusals.values()].map(codeOf))).toEqual(new Set(["closed"]));
  });

  test("leaves places that were given: releasing them is harmless", async () => {
    const { admission, ask, release } = observed({ maxRunning: 1, maxWaiting: 5 });
    ask("a", Symbol("a"));
    await setImmediate();
    admission.close();
    admission.close();
    expect(() => release("a")).not.toThrow();
  });
});

/** What admission should do, said as simply as possible: flows in a ring, each with those of it who wait. */
class Model {
  readonly admitted: string[] = [];
  readonly refused = new Map<string, "busy" | "aborted">();
  readonly running = new Set<string>();
  ring: { flow: number; names: string[] }[] = [];
  readonly #limits: { maxRunning: number; maxWaiting: number };

  constructor(limits: { maxRunning: number; maxWaiting: number }) {
    this.#limits = limits;
  }

  get waiting(): string[] {
    return this.ring.flatMap(({ names }) => names);
  }

  ask(name: string, flow: number): void {
    const known = this.ring.find((each) => each.flow === flow);
    if (this.running.size < this.#limits.maxRunning) this.#admit(name);
    else if (this.waiting.length >= this.#limits.maxWaiting) this.refused.set(name, "busy");
    else if (known === undefined) this.ring.push({ flow, names: [name] });
    else known.names.push(name);
  }

  release(name: string): void {
    this.running.delete(name);
    const next = this.ring.shift();
    if (next === undefined) return;
    const [first = "", ...others] = next.names;
    if (others.length > 0) this.ring.push({ flow: next.flow, names: others });
    this.#admit(first);
  }

  giveUp(name: string): void {
    if (!this.waiting.includes(name)) return;
    this.refused.set(name, "aborted");
    this.ring = this.ring
      .map(({ flow, names }) => ({ flow, names: names.filter((other) => other !== name) }))
      .filter(({ names }) => names.length > 0);
  }

  #admit(name: string): void {
    this.running.add(name);
    this.admitted.push(name);
  }
}

describe("whatever happens in whatever order", () => {
  const action = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("ask" as const), which: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("release" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("give up" as const), which: fc.nat() }) },
  );
  const limits = fc.record({
    maxRunning: fc.integer({ min: 1, max: 3 }),
    maxWaiting: fc.integer({ min: 0, max: 6 }),
  });

  test("the same ones run, wait and are refused as in a simple model", async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(action, { maxLength: 60 }), async (bounds, actions) => {
        const model = new Model(bounds);
        const real = observed(bounds);
        const flows = [Symbol("0"), Symbol("1"), Symbol("2"), Symbol("3")];
        const controllers = new Map<string, AbortController>();
        for (const [index, { kind, which }] of actions.entries()) {
          if (kind === "ask") {
            const name = `${index}`;
            const controller = new AbortController();
            controllers.set(name, controller);
            model.ask(name, which);
            real.ask(name, flows[which] ?? Symbol("none"), controller.signal);
          } else {
            const names = [...(kind === "release" ? model.running : controllers.keys())];
            const name = names[which % names.length];
            if (name === undefined) continue;
            if (kind === "release") {
              model.release(name);
              real.release(name);
            } else {
              model.giveUp(name);
              controllers.get(name)?.abort("aborted");
            }
          }
          await setImmediate();
          expect(real.admitted).toEqual(model.admitted);
          const refused = [...real.refusals].map(([name, error]) => [name, codeOf(error) ?? error]);
          expect(refused).toEqual([...model.refused]);
        }
      }),
    );
  });
});
