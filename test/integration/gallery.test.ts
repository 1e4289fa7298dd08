/** docs/gallery.md: its pictures are there, and its snippets show what the page says. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entriesOf, withTexts } from "../../scripts/gallery-page.mjs";
import { librariesPython } from "../../scripts/python.mjs";
import { startExecutor, type ExecutorUnderTest } from "../support/executor.ts";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
const page = readFileSync(join(docs, "gallery.md"), "utf8");
const entries = entriesOf(page);
const isThere = existsSync(librariesPython);

/** Width and height, as the header of a PNG has them. */
function sizeOf(png: Buffer): number[] {
  expect(png.toString("latin1", 1, 4)).toBe("PNG");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe("docs/gallery.md", () => {
  test("names each picture that there is, and no other", () => {
    const named = entries.flatMap(({ pictures }) => pictures);
    const there = readdirSync(join(docs, "gallery")).map((name) => `gallery/${name}`);
    expect(named.length).toBeGreaterThanOrEqual(8);
    expect(named.toSorted()).toEqual(there.toSorted());
  });

  test.each(entries.flatMap(({ pictures }) => pictures))("%s is a small PNG", (path) => {
    const picture = readFileSync(join(docs, path));
    expect(picture.length).toBeLessThanOrEqual(60_000);
    expect(Math.max(...sizeOf(picture))).toBeLessThanOrEqual(640);
  });

  test("has a text for each snippet, which the script can replace", () => {
    expect(entries.filter(({ text }) => !text)).toEqual([]);
    const first = entries[0]?.title ?? "";
    const changed = entriesOf(withTexts(page, new Map([[first, "other $& words\n"]])));
    expect(changed[0]?.text).toBe("other $& words");
    expect(changed.slice(1)).toEqual(entries.slice(1));
  });
});

describe("a snippet of the gallery", () => {
  let executor: ExecutorUnderTest;

  beforeAll(() => {
    executor = startExecutor({ python: librariesPython });
  });
  /** As the requirements have it: pinned from CPython 3.11 on. */
  async function hasPinnedVersions(): Promise<boolean> {
    const { result } = await executor.run("import sys\nsys.version_info >= (3, 11)");
    return result === "True";
  }
  afterAll(async () => {
    expect(await executor.close()).toEqual([]);
  });

  test.for(["Lines", "A picture", "A table", "A formula"])(
    "shows what the page has for it: %s",
    async (title, { skip }) => {
      skip(!isThere, "missing: .cache/venv-libraries (`node scripts/prepare.mjs --science`)");
      skip(!(await hasPinnedVersions()), "older libraries, which say some things in other words");
      const entry = entries.find((one) => one.title === title);
      const { displays = [] } = await executor.run(entry?.code ?? "", { timeout: 60 });
      expect(displays.map(({ text }) => text).join("\n\n")).toBe(entry?.text);
      const shown = displays.flatMap(({ picture }) => picture ?? []);
      const sizes = shown.map(({ bytes }) => sizeOf(bytes));
      const kept = entry?.pictures.map((path) => sizeOf(readFileSync(join(docs, path))));
      expect(sizes).toEqual(kept);
      expect(shown.map(({ mimeType }) => mimeType)).toEqual(sizes.map(() => "image/png"));
    },
  );

  test.for([
    ["Lines", "fig.savefig('own.png')\nfig = None"],
    ["Several at once", "fig.savefig('own.png')\nfig = None"],
    ["A picture", "_.save('own.png')\n_"],
  ] as const)("shows what the library saves: %s", async ([title, saving], { skip }) => {
    skip(!isThere, "missing: .cache/venv-libraries (`node scripts/prepare.mjs --science`)");
    const { code = "" } = entries.find((one) => one.title === title) ?? {};
    const named = saving.startsWith("_") ? code.replace(/^(?=Image\.fromarray)/m, "_ = ") : code;
    const { displays = [] } = await executor.run(named + saving, { timeout: 60 });
    const own = readFileSync(join(executor.folder.workspace, "own.png"));
    expect(displays).toHaveLength(1);
    expect(displays[0]?.picture?.bytes.equals(own)).toBe(true);
  });
});
