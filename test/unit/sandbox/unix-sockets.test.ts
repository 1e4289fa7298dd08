import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { namedSockets } from "../../../src/sandbox/unix-sockets.ts";
import { makeTestFolder } from "../../support/test-folder.ts";

describe.runIf(process.platform === "linux")("Unix sockets of others", () => {
  test("are found by their path, blanks in it included, as long as they are there", async () => {
    const folder = makeTestFolder();
    const path = join(folder.path, "a socket");
    const server = createServer();
    onTestFinished(() => {
      server.close();
      folder.remove();
    });
    await once(server.listen(path), "listening");
    expect(namedSockets()).toContain(path);
    rmSync(path);
    expect(namedSockets()).not.toContain(path);
  });
});
