/** What the library reads by the addresses of a result. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createExecutor, type Executor } from "../../src/index.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";

let folder: TestFolder;
let executor: Executor;

beforeAll(() => {
  folder = makeTestFolder();
  executor = createExecutor({ workspace: folder.workspace, outputBytes: 10 });
});
afterAll(async () => {
  await executor.close();
  folder.remove();
});

describe("an executor reads", () => {
  test("what was shown, whole and in part", async () => {
    const code = "display({'text/html': '<b>größer</b>'}, raw=True)";
    const { displays = [] } = await executor.run({ code });
    const uri = displays[0]?.artifact ?? "";
    const whole = executor.read(uri);
    expect(whole).toMatchObject({ mimeType: "text/html", size: 15 });
    expect(whole?.bytes.toString()).toBe("<b>größer</b>");
    expect(executor.read(uri, { offset: 3, length: 2 })?.bytes.toString()).toBe("gr");
    expect(executor.read(uri, { offset: 100 })?.bytes).toHaveLength(0);
  });

  test("output that was too long to be shown", async () => {
    const { truncated } = await executor.run({ code: "print('x' * 100)" });
    const read = executor.read(truncated?.stdout?.uri ?? "");
    expect(read).toMatchObject({ mimeType: "text/plain", size: 101 });
  });

  test("files as they are now, until they are gone", async () => {
    const code = "import os\nos.mkdir('made')\nopen('made/a b#?.csv', 'w').write('1,2')";
    const { artifacts = [] } = await executor.run({ code });
    const { uri = "", path = "" } = artifacts[0] ?? {};
    expect(path).toBe("made/a b#?.csv");
    writeFileSync(join(folder.workspace, path), "3,4,5");
    const read = executor.read(uri);
    expect(read).toMatchObject({ mimeType: "text/csv", size: 5 });
    expect(read?.bytes.toString()).toBe("3,4,5");
    rmSync(join(folder.workspace, path));
    expect(executor.read(uri)).toBeUndefined();
  });

  test("nothing through a link that was put in a file's place, or in that of its folder", async () => {
    const code =
      "import os\nos.mkdir('in')\nopen('in/b.txt', 'w').write('own')\nopen('c.txt', 'w').write('own')";
    const { artifacts = [] } = await executor.run({ code });
    const outside = join(folder.path, "outside");
    mkdirSync(outside);
    for (const name of ["b.txt", "c.txt"]) writeFileSync(join(outside, name), "secret");
    rmSync(join(folder.workspace, "in"), { recursive: true });
    symlinkSync(outside, join(folder.workspace, "in"));
    rmSync(join(folder.workspace, "c.txt"));
    symlinkSync(join(outside, "c.txt"), join(folder.workspace, "c.txt"));
    expect(artifacts).toHaveLength(2);
    expect(artifacts.map(({ uri }) => executor.read(uri))).toEqual([undefined, undefined]);
  });

  test.each(["artifact://nobody/files/a", "run://nobody/stdout", "file:///etc/passwd", ""])(
    "nothing by an address that there isn't: %j",
    (uri) => {
      expect(executor.read(uri)).toBeUndefined();
    },
  );
});
