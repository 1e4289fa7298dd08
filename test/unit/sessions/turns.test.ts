import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Turns, type EndTurn, type TurnKind } from "../../../src/sessions/turns.ts";

const never = new AbortController().signal;

/** Asks for turns and notes who has one. */
class Callers {
  readonly has = new Set<string>();
  readonly failures = new Map<string, unknown>();
  readonly #ends = new Map<string, EndTurn>();
  readonly #turns: Turns;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  async ask(name: string, kind: TurnKind, signal = never): Promise<void> {
    void this.#turns.take(kind, signal).then(
      (end) => {
        this.has.add(name);
        this.#ends.set(name, end);
      },
      (error: unknown) => this.failures.set(name, error),
    );
    await nextTurn();
  }

  async end(name: string): Promise<void> {
    this.has.delete(name);
    this.#ends.get(name)?.();
    await nextTurn();
  }
}

function make(maxWaiting = 10): { turns: Turns; callers: Callers; freed: () => number } {
  let count = 0;
  const turns = new Turns(maxWaiting, () => (count += 1));
  return { turns, callers: new Callers(turns), freed: () => count };
}

describe("turns", () => {
  test("that share go on at once; one alone waits for them, and those after it wait for that one", async () => {
    const { callers } = make();
    await callers.ask("s1", "shared");
    await callers.ask("s2", "shared");
    await callers.ask("a", "alone");
    await callers.ask("s3", "shared");
    expect([...callers.has]).toEqual(["s1", "s2"]);
    await callers.end("s1");
    await callers.end("s2");
    expect([...callers.has]).toEqual(["a"]);
    await callers.end("a");
    expect([...callers.has]).toEqual(["s3"]);
  });

  test("are given up by an aborted signal, and those behind go on", async () => {
    const { callers } = make();
    const patience = new AbortController();
    await callers.ask("s1", "shared");
    await callers.ask("a", "alone", patience.signal);
    await callers.ask("s2", "shared");
    patience.abort(new Error("enough"));
    await nextTurn();
    expect([...callers.has]).toEqual(["s1", "s2"]);
    expect(callers.failures.get("a")).toEqual(new Error("enough"));
  });

  test("are refused with the reason once closed, to those that wait and to those that come", async () => {
    const { turns, callers } = make();
    await callers.ask("a", "alone");
    await callers.ask("b", "alone");
    turns.close(new Error("gone"));
    await callers.ask("c", "shared");
    expect(callers.failures).toEqual(
      new Map([
        ["b", new Error("gone")],
        ["c", new Error("gone")],
      ]),
    );
    expect(turns.isReady("shared")).toBe(false);
  });

  test("tell when nobody has one or waits, and how many may wait", async () => {
    const { turns, callers, freed } = make(1);
    expect(turns.isReady("alone")).toBe(true);
    await callers.ask("a", "alone");
    expect(turns.isReady("shared")).toBe(false);
    await callers.ask("b", "alone");
    expect(turns.hasRoom).toBe(false);
    await callers.end("a");
    expect(freed()).toBe(0);
    await callers.end("b");
    await callers.end("b");
    expect([freed() > 0, turns.isFree]).toEqual([true, true]);
  });

  test("never let one alone go on beside another, and reach everyone", async () => {
    const kinds = fc.constantFrom<TurnKind>("alone", "shared");
    await fc.assert(
      fc.asyncProperty(
        fc.array(kinds, { maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        async (asked, picks) => {
          const { callers } = make(100);
          const kindOf = new Map<string, TurnKind>();
          for (const [index, kind] of asked.entries()) {
            kindOf.set(String(index), kind);
            await callers.ask(String(index), kind);
          }
          let reached = 0;
          while (callers.has.size > 0) {
            const running = [...callers.has];
            const alone = running.filter((name) => kindOf.get(name) === "alone");
            expect(alone.length === 0 || running.length === 1).toBe(true);
            const pick = running[picks.next().value % running.length] ?? "";
            reached += 1;
            await callers.end(pick);
          }
          expect(reached).toBe(asked.length);
        },
      ),
    );
  });
});
