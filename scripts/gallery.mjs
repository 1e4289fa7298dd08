// @ts-check
// `npm run gallery`: runs the snippets of docs/gallery.md with the built library, and puts what comes back into the page.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { entriesOf, withTexts } from "./gallery-page.mjs";
import { root } from "./process.mjs";
import { librariesPython } from "./python.mjs";

/** A page is read by phones too. */
const MAX_PICTURE_BYTES = 60_000;
const docs = join(root, "docs");
const library = join(root, "dist", "index.js");

async function makeGallery() {
  for (const needed of [library, librariesPython]) {
    if (!existsSync(needed))
      throw new Error(`${needed} is missing: node scripts/prepare.mjs --science`);
  }
  const page = readFileSync(join(docs, "gallery.md"), "utf8");
  const entries = entriesOf(page);
  const workspace = mkdtempSync(join(tmpdir(), "py-executor-gallery-"));
  /** @type {typeof import("../src/index.ts")} */
  const { createExecutor } = await import(library);
  const executor = createExecutor({ workspace, python: librariesPython });
  /** @type {Map<string, string>} */
  const texts = new Map();
  try {
    for (const { title, code, pictures } of entries) {
      const { status, stderr, displays = [] } = await executor.run({ code, timeout: 60 });
      if (status !== "ok" || stderr !== "") throw new Error(`${title}: ${status}\n${stderr}`);
      texts.set(title, displays.map(({ text = "" }) => text).join("\n\n"));
      const shown = displays.flatMap(({ picture }) => picture ?? []);
      if (shown.length !== pictures.length)
        throw new Error(
          `${title}: ${shown.length} pictures came back, the page has ${pictures.length}`,
        );
      for (const [index, { bytes, width, height }] of shown.entries()) {
        const path = join(docs, pictures[index] ?? "");
        if (bytes.length > MAX_PICTURE_BYTES)
          throw new Error(`${title}: ${bytes.length} bytes, the limit is ${MAX_PICTURE_BYTES}`);
        writeFileSync(path, bytes);
        console.log(`${basename(path)}: ${width}x${height}, ${bytes.length} bytes`);
      }
    }
  } finally {
    await executor.close();
    rmSync(workspace, { recursive: true, force: true });
  }
  writeFileSync(join(docs, "gallery.md"), withTexts(page, texts));
  const kept = entries.flatMap(({ pictures }) => pictures.map((path) => basename(path)));
  for (const name of readdirSync(join(docs, "gallery"))) {
    if (!kept.includes(name)) rmSync(join(docs, "gallery", name));
  }
}

try {
  await makeGallery();
} catch (error) {
  console.error(`gallery: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
