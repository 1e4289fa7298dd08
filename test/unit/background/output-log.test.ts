import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OutputLog } from "../../../src/background/output-log.ts";
import type { OutputStream } from "../../../src/execution.ts";

const pieces = fc.array(
  fc.record({
    stream: fc.constantFrom<OutputStream>("stdout", "stderr"),
    text: fc.string({ minLength: 1, maxLength: 30 }),
    index: fc.nat(2),
  }),
  { maxLength: 40 },
);

describe("OutputLog", () => {
  test("of nothing has nothing, whatever the cursor", () => {
    const log = new OutputLog(100);
    for (const cursor of [0, 7, -1, Number.MAX_SAFE_INTEGER]) {
      expect(log.since(cursor)).toEqual({ pieces: [], cursor: 0, skipped: 0 });
    }
  });

  test("joins what one source writes, and keeps sources apart in their order", () => {
    const log = new OutputLog(1000);
    log.add("stdout", "a", 0);
    log.add("stdout", "b\n", 0);
    log.add("stderr", "c", 0);
    log.add("stdout", "d", 1);
    expect(log.since(0).pieces).toEqual([
      { stream: "stdout", text: "ab\n", index: 0 },
      { stream: "stderr", text: "c", index: 0 },
      { stream: "stdout", text: "d", index: 1 },
    ]);
  });

  test("gives everything once to whoever goes on from the cursor, if nothing had to go", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (rounds) => {
        const log = new OutputLog(1_000_000);
        let cursor = 0;
        let seen = "";
        for (const round of rounds) {
          for (const { stream, text, index } of round) log.add(stream, text, index);
          const look = log.since(cursor);
          seen += look.pieces.map(({ text }) => text).join("");
          expect(look.skipped).toBe(0);
          ({ cursor } = look);
        }
        expect(seen).toBe(
          rounds
            .flat()
            .map(({ text }) => text)
            .join(""),
        );
      }),
    );
  });

  test("keeps no more than its bound, and counts what is gone", () => {
    fc.assert(
      fc.property(pieces, fc.integer({ min: 100, max: 500 }), (written, bound) => {
        const log = new OutputLog(bound);
        for (const { stream, text, index } of written) log.add(stream, text, index);
        const whole = written.map(({ text }) => text).join("");
        const look = log.since(0);
        const shown = look.pieces.map(({ text }) => text).join("");
        expect(shown.length).toBeLessThanOrEqual(bound);
        expect(whole.endsWith(shown)).toBe(true);
        expect(look).toMatchObject({ cursor: whole.length, skipped: whole.length - shown.length });
      }),
    );
  });

  test("keeps the end of a piece that is longer than all it may keep, with no character cut in two", () => {
    const log = new OutputLog(3);
    log.add("stdout", `x${"😀".repeat(10)}`, 0);
    expect(log.since(0)).toEqual({
      pieces: [{ stream: "stdout", text: "😀", index: 0 }],
      cursor: 21,
      skipped: 19,
    });
  });

  test("keeps as much as it may, however long the pieces are", () => {
    const log = new OutputLog(100_000);
    for (let round = 0; round < 5; round += 1) log.add("stdout", String(round).repeat(65_536), 0);
    const { pieces: kept, skipped } = log.since(0);
    const shown = kept.map(({ text }) => text).join("");
    expect(shown.length).toBeGreaterThan(99_000);
    expect(shown).toMatch(/^3+4+$/);
    expect(shown.length + skipped).toBe(5 * 65_536);
  });

  test("stays small however long one source writes", () => {
    const log = new OutputLog(10_000);
    for (let round = 0; round < 20_000; round += 1) log.add("stdout", "0123456789", 0);
    const { pieces: kept, skipped } = log.since(0);
    const shown = kept.map(({ text }) => text).join("");
    expect(shown.length).toBeGreaterThan(5000);
    expect(shown.length + skipped).toBe(200_000);
  });
});
