import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { captureRun } from "../../../src/output/capture-run.ts";
import { OutputStore } from "../../../src/output/output-store.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

let folder: TestFolder;
let store: OutputStore;

beforeEach(() => {
  folder = makeTestFolder();
  store = new OutputStore({ root: folder.temp, maxBytesEach: 100, maxBytesInAll: 1000 });
});
afterEach(() => {
  store.close();
  folder.remove();
});

/** What a run writes, as a listener hears it. */
function listen(shownBytes = 10) {
  const heard: string[] = [];
  const { streams, events } = captureRun(store, shownBytes, (stream, text) => {
    heard.push(`${stream}: ${text}`);
  });
  return { heard, streams, events };
}

describe("captureRun", () => {
  test("keeps the streams apart", () => {
    const { events, streams } = listen();
    events.onOutput("stdout", Buffer.from("out"));
    events.onOutput("stderr", Buffer.from("err"));
    expect(streams.stdout.show().text).toBe("out");
    expect(streams.stderr.show().text).toBe("err");
  });

  test("keeps what is too long for the answer under the name of its stream", () => {
    const { events, streams } = listen();
    events.onOutput("stderr", Buffer.from("x".repeat(50)));
    const { uri = "" } = streams.stderr.file ?? {};
    expect(uri).toMatch(/^run:\/\/[\w-]+\/stderr$/);
    expect(store.read(uri)?.bytes.toString()).toBe("x".repeat(50));
    expect(streams.stdout.file).toBeUndefined();
  });

  test("needs no listener", () => {
    const { events, streams } = captureRun(store, 10, undefined);
    events.onOutput("stdout", Buffer.from("out"));
    events.onSkipped("stdout", 100, Buffer.from("end"));
    expect(streams.stdout.show().totalBytes).toBe(103);
  });
});

describe("a listener", () => {
  test("hears each piece as it comes, of either stream", () => {
    const { events, heard } = listen();
    events.onOutput("stdout", Buffer.from("a"));
    events.onOutput("stderr", Buffer.from("b"));
    events.onOutput("stdout", Buffer.from("c".repeat(20)));
    expect(heard).toEqual(["stdout: a", "stderr: b", `stdout: ${"c".repeat(20)}`]);
  });

  test("hears whole characters, though they come in pieces and between those of the other", () => {
    const { events, heard } = listen();
    const [first = 0, ...rest] = Buffer.from("😀");
    events.onOutput("stdout", Buffer.of(first));
    events.onOutput("stderr", Buffer.from("é"));
    events.onOutput("stdout", Buffer.from(rest));
    expect(heard).toEqual(["stderr: é", "stdout: 😀"]);
  });

  test("hears where something is missing, and how much", () => {
    const { events, heard } = listen();
    events.onOutput("stdout", Buffer.from("beginning"));
    events.onSkipped("stdout", 1000, Buffer.from("end"));
    expect(heard).toEqual([
      "stdout: beginning",
      "stdout: \n[… 997 bytes of stdout not shown …]\nend",
    ]);
  });

  test("hears of no gap where there is none", () => {
    const { events, heard } = listen();
    const [first = 0, ...rest] = Buffer.from("é");
    events.onOutput("stdout", Buffer.of(first));
    events.onSkipped("stdout", 1, Buffer.from(rest));
    expect(heard).toEqual(["stdout: é"]);
  });

  test("hears that a character ended in a gap, and none of one that began in it", () => {
    const { events, heard } = listen();
    events.onOutput("stdout", Buffer.from("a€").subarray(0, 2));
    events.onSkipped("stdout", 100, Buffer.from("€b").subarray(1));
    expect(heard).toEqual(["stdout: a", "stdout: \ufffd\n[… 99 bytes of stdout not shown …]\nb"]);
  });
});
