import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Capture, endOfLastCharacter, startOfFirstCharacter } from "../../../src/output/capture.ts";
import type { OutputFile } from "../../../src/output/output-store.ts";

/** Where a capture keeps its longer text, in memory. */
class RecordedFile implements OutputFile {
  readonly uri = "run://test/stdout";
  readonly pieces: Buffer[] = [];
  skipped = 0;

  write(bytes: Buffer): void {
    this.pieces.push(Buffer.from(bytes));
  }

  skip(bytes: number): void {
    this.skipped += bytes;
  }

  get content(): Buffer {
    return Buffer.concat(this.pieces);
  }
}

/** A capture that notes how often it asked for a file. */
function captureOf(limit: number, pieces: readonly Buffer[] = []) {
  const files: RecordedFile[] = [];
  const capture = new Capture("stdout", limit, () => {
    const file = new RecordedFile();
    files.push(file);
    return file;
  });
  for (const piece of pieces) capture.add(piece);
  return { capture, files };
}

function showOf(limit: number, ...texts: readonly (string | Buffer)[]) {
  return captureOf(limit, texts.map(bytesOf)).capture.show();
}

function bytesOf(text: string | Buffer): Buffer {
  return typeof text === "string" ? Buffer.from(text) : text;
}

const MARK = /\n\[… (\d+) of (\d+) bytes of stdout not shown …\]\n/;

/** What stands before the mark and after it, and the numbers in it. */
function partsOf(text: string) {
  const [head, hidden, total, tail] = text.split(MARK);
  return { head, tail, hidden: Number(hidden), total: Number(total) };
}

describe("a stream within the limit", () => {
  test("nothing is nothing", () => {
    expect(captureOf(10).capture.show()).toEqual({
      text: "",
      totalBytes: 0,
      shownBytes: 0,
      isCut: false,
    });
  });

  test("exactly the limit is shown whole, one byte more is cut", () => {
    expect(showOf(10, "0123456789")).toEqual({
      text: "0123456789",
      totalBytes: 10,
      shownBytes: 10,
      isCut: false,
    });
    expect(showOf(10, "0123456789", "x")).toEqual({
      text: "01234\n[… 1 of 11 bytes of stdout not shown …]\n6789x",
      totalBytes: 11,
      shownBytes: 10,
      isCut: true,
    });
  });

  test("opens no file", () => {
    expect(captureOf(10, [Buffer.from("01234"), Buffer.from("56789")]).files).toEqual([]);
  });
});

describe("a stream beyond the limit", () => {
  test("the mark names the stream", () => {
    const capture = new Capture("stderr", 2, () => undefined);
    capture.add(Buffer.from("abc"));
    expect(capture.show().text).toBe("a\n[… 1 of 3 bytes of stderr not shown …]\nc");
  });

  test("an odd limit gives the byte over to the beginning", () => {
    expect(showOf(5, "abcdefgh").text).toBe("abc\n[… 3 of 8 bytes of stdout not shown …]\ngh");
  });

  test("a limit of one byte leaves no room for the end", () => {
    expect(showOf(1, "abc").text).toBe("a\n[… 2 of 3 bytes of stdout not shown …]\n");
  });

  test("a giant line is cut in its middle", () => {
    const line = Buffer.concat([Buffer.from("<"), Buffer.alloc(1_000_000, "x"), Buffer.from(">")]);
    const { text, totalBytes, shownBytes } = showOf(1000, line);
    expect(totalBytes).toBe(1_000_002);
    expect(shownBytes).toBe(1000);
    expect(text.startsWith("<xxx")).toBe(true);
    expect(text.endsWith("xxx>")).toBe(true);
    expect(text).toHaveLength(
      1000 + "\n[… 999002 of 1000002 bytes of stdout not shown …]\n".length,
    );
  });

  test("many small pieces are shown as one large one is", () => {
    const text = Array.from({ length: 20_000 }, (_, index) => String(index)).join("\n");
    const small = [...Buffer.from(text)].map((byte) => Buffer.of(byte));
    expect(captureOf(3000, small).capture.show()).toEqual(showOf(3000, text));
  });

  test("the file holds all of it, is opened once, and only when it is needed", () => {
    const { capture, files } = captureOf(4, [Buffer.from("abcd")]);
    expect(files).toHaveLength(0);
    for (const letter of "efgh") capture.add(Buffer.from(letter));
    expect(files).toHaveLength(1);
    expect(capture.file).toBe(files[0]);
    expect(files[0]?.content.toString()).toBe("abcdefgh");
  });

  test("a file that could not be opened is not tried again, since it would have a hole", () => {
    let tries = 0;
    const capture = new Capture("stdout", 2, () => {
      tries += 1;
      return undefined;
    });
    for (const letter of "abcdef") capture.add(Buffer.from(letter));
    expect(tries).toBe(1);
    expect(capture.file).toBeUndefined();
    expect(capture.show().text).toContain("4 of 6 bytes");
  });
});

describe("characters", () => {
  test.each([
    ["é", 2],
    ["€", 3],
    ["😀", 4],
  ])("%s is not cut in two, wherever the limit falls", (character, size) => {
    const text = character.repeat(40);
    for (let limit = 2; limit < 40 * size; limit += 1) {
      const { text: shown, shownBytes } = showOf(limit, text);
      const { head = "", tail = "" } = partsOf(shown);
      expect(shown).not.toContain("\ufffd");
      expect(head).toBe(character.repeat(Math.floor(Math.ceil(limit / 2) / size)));
      expect(tail).toBe(character.repeat(Math.floor(Math.floor(limit / 2) / size)));
      expect(shownBytes).toBe(Buffer.byteLength(head + tail));
    }
  });

  test("a character in pieces is put together", () => {
    const [first = 0, ...others] = Buffer.from("😀");
    expect(showOf(10, Buffer.of(first), Buffer.from(others)).text).toBe("😀");
  });

  test("bytes that are no UTF-8 become U+FFFD and cost nothing around them", () => {
    expect(showOf(10, Buffer.of(0x61, 0xff, 0x62)).text).toBe("a\ufffdb");
    expect(showOf(4, Buffer.from("abcd\xff\xfeefgh", "latin1")).text).toBe(
      "ab\n[… 6 of 10 bytes of stdout not shown …]\ngh",
    );
  });

  test("a run of stray continuation bytes is shown, not dropped", () => {
    const { head, tail } = partsOf(showOf(20, Buffer.alloc(100, 0x80)).text);
    expect(head).toBe("\ufffd".repeat(10));
    expect(tail).toBe("\ufffd".repeat(7));
  });

  test.each([
    ["ends in a whole character", "a€", 4],
    ["lacks one byte of three", "a\xe2\x82", 1],
    ["lacks two bytes of three", "a\xe2", 1],
    ["lacks one byte of four", "a\xf0\x9f\x98", 1],
    ["has a stray continuation byte", "a\x80", 2],
    ["has nothing but continuation bytes", "\x80\x80\x80\x80\x80", 5],
    ["is empty", "", 0],
  ])("the last character of a buffer that %s", (_, bytes, end) => {
    const buffer = bytes.includes("€") ? Buffer.from(bytes) : Buffer.from(bytes, "latin1");
    expect(endOfLastCharacter(buffer)).toBe(end);
  });

  test.each([
    ["begins with a whole character", "€a", 0],
    ["begins with one byte of a character's rest", "\x82a", 1],
    ["begins with three of them", "\x9f\x98\x80a", 3],
    ["begins with more than a character can have", "\x80\x80\x80\x80", 3],
    ["is empty", "", 0],
  ])("the first character of a buffer that %s", (_, bytes, start) => {
    const buffer = bytes.includes("€") ? Buffer.from(bytes) : Buffer.from(bytes, "latin1");
    expect(startOfFirstCharacter(buffer)).toBe(start);
  });
});

describe("output of which only the end is known", () => {
  test("is counted, and its end shown", () => {
    const { capture, files } = captureOf(6, [Buffer.from("abcdefgh")]);
    capture.skip(1000, Buffer.from("xyz"));
    expect(capture.show()).toEqual({
      text: "abc\n[… 1002 of 1008 bytes of stdout not shown …]\nxyz",
      totalBytes: 1008,
      shownBytes: 6,
      isCut: true,
    });
    expect(files[0]?.content.toString()).toBe("abcdefgh");
    expect(files[0]?.skipped).toBe(1000);
  });

  test("follows on what came before if all of it is known", () => {
    const { capture } = captureOf(8, [Buffer.from("abcdefgh")]);
    capture.skip(2, Buffer.from("ij"));
    expect(capture.show().text).toBe("abcd\n[… 2 of 10 bytes of stdout not shown …]\nghij");
  });

  test("is not put beside what came before as if it followed on it", () => {
    const { capture } = captureOf(8, [Buffer.from("abcdefgh")]);
    capture.skip(100, Buffer.from("yz"));
    expect(capture.show().text).toBe("abcd\n[… 102 of 108 bytes of stdout not shown …]\nyz");
  });

  test("leads to a file too, where what came before did not", () => {
    const { capture, files } = captureOf(4, [Buffer.from("abcd")]);
    capture.skip(100, Buffer.from("yz"));
    expect(files).toHaveLength(1);
    expect(files[0]?.content.toString()).toBe("abcd");
    expect(files[0]?.skipped).toBe(100);
  });
});

describe("any stream in any pieces", () => {
  const limit = fc.integer({ min: 1, max: 60 });
  const text = fc
    .array(fc.constantFrom("a", "b", "\n", "\0", "é", "€", "😀", "\r\n"), { maxLength: 80 })
    .map((characters) => characters.join(""));
  const invalid = fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes));
  const cuts = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 12 });

  /** The bytes in pieces that end at these places. */
  function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
    const ends = [...places.filter((place) => place < bytes.length), bytes.length].toSorted(
      (a, b) => a - b,
    );
    return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
  }

  test("is whole when it fits, and else its true beginning and end with the rest counted", () => {
    fc.assert(
      fc.property(text, cuts, limit, (written, places, bound) => {
        const bytes = Buffer.from(written);
        const shown = captureOf(bound, cutAt(bytes, places)).capture.show();
        expect(shown.totalBytes).toBe(bytes.length);
        expect(shown.isCut).toBe(bytes.length > bound);
        if (!shown.isCut) {
          expect(shown.text).toBe(written);
          expect(shown.shownBytes).toBe(bytes.length);
          return;
        }
        const { head = "", tail = "", hidden, total } = partsOf(shown.text);
        expect(written.startsWith(head)).toBe(true);
        expect(written.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head + tail)).toBe(shown.shownBytes);
        expect(hidden + shown.shownBytes).toBe(total);
        expect(total).toBe(bytes.length);
        expect(shown.shownBytes).toBeLessThanOrEqual(bound);
        expect(shown.shownBytes).toBeGreaterThanOrEqual(bound - 6); // a part of a character at both cuts
      }),
    );
  });

  test("invalid bytes change neither the counts nor what a file gets", () => {
    fc.assert(
      fc.property(invalid, cuts, limit, (bytes, places, bound) => {
        const { capture, files } = captureOf(bound, cutAt(bytes, places));
        const shown = capture.show();
        expect(shown.totalBytes).toBe(bytes.length);
        expect(shown.isCut).toBe(bytes.length > bound);
        expect(shown.shownBytes).toBeLessThanOrEqual(Math.min(bound, bytes.length));
        if (shown.isCut) expect(files.map((file) => file.content)).toEqual([bytes]);
        else expect(shown.text).toBe(bytes.toString());
      }),
    );
  });

  test("does not depend on the pieces", () => {
    fc.assert(
      fc.property(invalid, cuts, limit, (bytes, places, bound) => {
        const inPieces = captureOf(bound, cutAt(bytes, places)).capture.show();
        expect(inPieces).toEqual(captureOf(bound, [bytes]).capture.show());
      }),
    );
  });
});
