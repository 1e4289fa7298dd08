/** What the person who starts the server decides: interpreter, environment, limits. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { python } from "../support/python-source.ts";
import { startServer } from "../support/server.ts";
import { makeTestFolder } from "../support/test-folder.ts";

function makeVenv(path: string): void {
  execFileSync("python3", ["-m", "venv", "--without-pip", path], { timeout: 60_000 });
}

/** Prints which environment the code is in, and which one a plain `python` that it starts is in. */
const WHICH = python`
  import os, subprocess, sys
  child = subprocess.run(["python", "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True)
  print(sys.prefix, child.stdout.strip(), os.environ.get("VIRTUAL_ENV"))
`;

describe("the interpreter", () => {
  test("is that of the cwd's .venv, for the code and for what it starts, and is named in the answer", async () => {
    const { client, folder, close } = await startServer();
    const cwd = join(folder.workspace, "project");
    const venv = join(cwd, ".venv");
    mkdirSync(cwd);
    makeVenv(venv);
    const inside = await client.callTool("run_python", { code: WHICH, cwd });
    expect(inside.json.stdout).toBe(`${venv} ${venv} ${venv}\n`);
    expect(inside.json["executable"]).toBe(join(venv, "bin", "python"));
    const outside = await client.callTool("run_python", { code: "import sys\nprint(sys.prefix)" });
    expect(outside.json.stdout).not.toContain(venv);
    expect(await close()).toEqual([]);
  });

  test("may be a virtual environment's that is named at the start", async () => {
    const { folder, close, client: unused } = await startServer();
    const venv = join(folder.workspace, "anywhere");
    makeVenv(venv);
    const named = await startServer({ args: ["--python", join(venv, "bin", "python")] });
    const { json } = await named.client.callTool("run_python", { code: WHICH });
    expect(json.stdout).toBe(`${venv} ${venv} ${venv}\n`);
    expect(await named.close()).toEqual([]);
    expect(unused.strayLines).toEqual([]);
    expect(await close()).toEqual([]);
  });
});

describe("the environment of the code", () => {
  const SECRET = `secret-${crypto.randomUUID()}`;
  const own = Object.fromEntries(
    [
      "OPENAI_API_KEY",
      "DATABASE_URL",
      "SLACK_WEBHOOK",
      "AWS_ACCESS_ID",
      "HF_TOKEN",
      "MY_APP_CFG",
    ].map((name) => [name, `https://${SECRET}@host`]),
  );

  test("holds no secret of the server, in no process that the code can look at", async () => {
    const { client, close } = await startServer({ env: own });
    const code = python`
      import os, subprocess
      print(dict(os.environ), subprocess.run(["env"], capture_output=True, text=True).stdout)
      print(open("/proc/self/cmdline").read())
      for pid in os.listdir("/proc"):
          try:
              print(open(f"/proc/{pid}/environ").read())
          except OSError:
              pass
    `;
    const { json } = await client.callTool("run_python", { code });
    expect(json.exit_code).toBe(0);
    expect(JSON.stringify(json)).not.toContain(SECRET);
    expect(await close()).toEqual([]);
  });

  test("holds what the operator lets through, by name", async () => {
    const env = { ...own, PROJECT: "allowed" };
    const { client, close } = await startServer({ env, args: ["--allow-env", "PROJECT, NOT_SET"] });
    const code =
      "import os\nprint(os.environ['PROJECT'], 'NOT_SET' in os.environ, 'HF_TOKEN' in os.environ)";
    expect((await client.callTool("run_python", { code })).json.stdout).toBe(
      "allowed False False\n",
    );
    expect(await close()).toEqual([]);
  });

  test.each([
    { LC_ALL: "C", LANG: "C" },
    { LC_ALL: "POSIX", PYTHONIOENCODING: "cp1252", PYTHONUTF8: "0" },
    {
      PYTHONHASHSEED: "0",
      PYTHONINSPECT: "1",
      PYTHONPATH: "/nonexistent",
      PYTHONSTARTUP: "/nonexistent",
    },
  ])("is UTF-8 and free of Python's own switches with %j", async (env) => {
    const { client, close } = await startServer({ env });
    const code = python`
      import sys
      naïve = "prêt → ✓ 世界 🎉"
      print(naïve, sys.stdout.encoding, sys.getfilesystemencoding(), sys.flags.inspect)
      print("/nonexistent" in sys.path)
    `;
    const { json } = await client.callTool("run_python", { code });
    expect(json.stdout).toBe("prêt → ✓ 世界 🎉 utf-8 utf-8 0\nFalse\n");
    expect(await close()).toEqual([]);
  });
});

describe("admission", () => {
  test("waiting for a turn is not counted against a snippet's time", async () => {
    const { client, close } = await startServer({ args: ["--max-runs", "1"] });
    const args = { code: "import time\ntime.sleep(0.7)\nprint('in time')", timeout: 1.5 };
    const replies = await Promise.all([1, 2, 3, 4].map(() => client.callTool("run_python", args)));
    expect(replies.map(({ json }) => json.stdout)).toEqual(Array(4).fill("in time\n"));
    expect(await close()).toEqual([]);
  });

  test("a full queue is refused in words, and takes calls again when there is room", async () => {
    const { client, folder, close } = await startServer({
      args: ["--max-runs", "1", "--max-queued", "1"],
    });
    const running = client.callTool("run_python", {
      code: "import os, time\nopen('up', 'w').close()\nwhile not os.path.exists('go-on'): time.sleep(0.02)",
    });
    expect(await eventually(() => existsSync(join(folder.workspace, "up")))).toBe(true);
    const waiting = client.callTool("run_python", { code: "print('waited')" });
    const refused = await client.callTool("run_python", { code: "open('go-on', 'w').close()" });
    expect(refused).toMatchObject({ isError: true, json: { success: false } });
    expect(refused.json.error).toMatch(/busy.*1 runs.*1 are waiting.*try again/s);
    mkdirSync(join(folder.workspace, "go-on"));
    expect((await running).json.exit_code).toBe(0);
    expect((await waiting).json.stdout).toBe("waited\n");
    expect((await client.callTool("run_python", { code: "print('again')" })).json.stdout).toBe(
      "again\n",
    );
    expect(await close()).toEqual([]);
  });

  test("the operator's limits count instead of the usual ones", async () => {
    const args = [
      "--max-timeout",
      "2",
      "--max-snippets",
      "2",
      "--max-code-bytes",
      "100",
      "--output-bytes",
      "50",
    ];
    const { client, close } = await startServer({ args });
    const slow = await client.callTool("run_python", {
      code: "import time\ntime.sleep(50)",
      timeout: 40,
    });
    expect(slow.json.stderr).toBe("Error: Process timed out after 2s\n");
    expect(slow.json.notes?.join()).toContain("timeout 40 s was brought to 2 s");
    const many = await client.callTool("run_python_batch", { codes: ["", "", ""] });
    expect(many.json.error).toContain("the limit is 2");
    const long = await client.callTool("run_python", { code: "#".repeat(101) });
    expect(long.json.error).toContain("the limit is 100 bytes");
    const wordy = await client.callTool("run_python", { code: "print('x' * 1000 + 'end')" });
    expect(wordy.json.stdout).toMatch(
      /^x+\n\[… \d+ of 1004 bytes of stdout not shown …\]\nx+end\n$/,
    );
    expect(await close()).toEqual([]);
  });
});

describe("the workspace", () => {
  test("is an empty folder of the server's own where it was started in the root folder, as the first answer says", async () => {
    const { client, folder, close } = await startServer({ cwd: "/", namesWorkspace: false });
    const code = "import os\nprint(os.getcwd(), os.listdir())";
    const first = await client.callTool("run_python", { code });
    expect(first.json.stdout).toMatch(/^\/\S+ \[\]\n$/);
    expect(first.json.stdout?.startsWith(folder.temp)).toBe(true);
    expect(first.json.notes?.join()).toContain("--workspace DIR");
    const second = await client.callTool("run_python", { code });
    expect(second.json.stdout).toBe(first.json.stdout);
    expect(second.json.notes).toBeUndefined();
    expect(await close()).toEqual([]);
  });

  test("is where the server was started, if that is a folder like any other", async () => {
    const folder = makeTestFolder();
    const { client, close } = await startServer({
      folder,
      cwd: folder.workspace,
      namesWorkspace: false,
    });
    const { json } = await client.callTool("run_python", { code: "import os\nprint(os.getcwd())" });
    expect(json).toMatchObject({ stdout: `${folder.workspace}\n` });
    expect(json.notes).toBeUndefined();
    expect(await close()).toEqual([]);
  });
});
