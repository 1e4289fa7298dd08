/** What a caller gets from a server that has no Python, one that is too old, or no right to enter a folder. */
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startServer } from "../support/server.ts";
import { makeTestFolder } from "../support/test-folder.ts";

const CALL = { code: "print('ran')" };
const VERSIONS = join(process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv"), "versions");
/** nobody, as nearly every system has it. */
const NOBODY = 65_534;

describe("without any Python", () => {
  test("the server starts, lists its tools, and says at each call what to install", async () => {
    const { client, close } = await startServer({ env: { PATH: "/nonexistent" } });
    const { result } = await client.request("tools/list");
    expect(JSON.stringify(result)).toContain('"name":"run_python"');
    for (const attempt of [1, 2]) {
      const { isError, json } = await client.callTool("run_python", CALL);
      expect({ attempt, isError, success: json["success"] }).toEqual({
        attempt,
        isError: true,
        success: false,
      });
      expect(json.error).toMatch(/no Python on PATH.*Install Python 3\.9 or newer.*--python/s);
    }
    const batch = await client.callTool("run_python_batch", { codes: ["print(1)"] });
    expect(batch).toMatchObject({ isError: true, json: { results: [] } });
    expect(client.strayLines).toEqual([]);
    expect(await close()).toEqual([]);
  });

  test("a Python that was named and isn't there is named again", async () => {
    const { client, close } = await startServer({ args: ["--python", "/nonexistent/python3"] });
    const { isError, json } = await client.callTool("run_python", CALL);
    expect(isError).toBe(true);
    expect(json.error).toContain("/nonexistent/python3");
    expect(json.error).toContain("--python");
    expect(await close()).toEqual([]);
  });
});

describe("with a Python that is too old", () => {
  test.for(["3.8", "3.7", "3.6", "2.7"])(
    "(%s) the caller is told which one and what is needed",
    async (version, { skip }) => {
      const found = findVersion(version);
      if (found === undefined) skip(`no Python ${version} on this machine`);
      const { client, close } = await startServer({ args: ["--python", String(found)] });
      const { isError, json } = await client.callTool("run_python", CALL);
      expect(isError).toBe(true);
      expect(json["success"]).toBe(false);
      expect(json.error).toContain(String(found));
      expect(json.error).toContain("needs Python 3.9 or newer");
      expect(json.error).toMatch(new RegExp(`this is ${version.replace(".", "\\.")}\\.\\d+`));
      expect(json.error).not.toContain("Traceback");
      expect((await client.request("ping")).result).toEqual({});
      expect(await close()).toEqual([]);
    },
  );
});

describe("with a folder that can't be entered", () => {
  test("the caller is told so, and nothing runs", async ({ skip }) => {
    const folder = makeTestFolder();
    const cwd = join(folder.workspace, "closed");
    mkdirSync(cwd, { mode: 0 });
    for (const path of [folder.path, folder.workspace]) chmodSync(path, 0o755);
    chmodSync(folder.temp, 0o777);
    // root may enter any folder: there, the server has to be somebody else
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    const server = await startServer({ uid, folder }).catch(() => undefined);
    if (server === undefined) return skip("another user may not read the build");
    const { isError, json } = await server.client.callTool("run_python", { ...CALL, cwd });
    expect(isError).toBe(true);
    expect(json.error).toContain("`cwd` can't be read by the server");
    expect(json.error).toContain(cwd);
    chmodSync(cwd, 0o700);
    expect(readdirSync(cwd)).toEqual([]);
    expect(await server.close()).toEqual([]);
  });
});

function findVersion(version: string): string | undefined {
  try {
    const name = readdirSync(VERSIONS).find((one) => one.startsWith(`${version}.`));
    return name && join(VERSIONS, name, "bin", "python");
  } catch {
    return undefined;
  }
}
