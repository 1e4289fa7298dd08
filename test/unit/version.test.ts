import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSION } from "../../src/version.ts";

test("the version that is told is that of the package", () => {
  const path = new URL("../../package.json", import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(path, "utf8"));
  expect(VERSION).toBe(version);
});
