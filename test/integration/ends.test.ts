/** However a run, a client or the server ends: no process, no folder and no file is left, and nobody answers twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { isAlive, processesMentioning } from "../support/processes.ts";
import { python } from "../support/python-source.ts";
import { serverCommand, startServer, type ServerUnderTest } from "../support/server.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";
import { WORKERS } from "../support/workers.ts";

const CLIENT_THAT_DIES = fileURLToPath(
  new URL("../support/programs/client-that-dies.mjs", import.meta.url),
);

/** Code that is not to be ended easily: it leaves files, children and a daemon behind. Then it writes "up". */
const OBSTINATE = python`
  import os, signal, subprocess, sys, tempfile, time
  for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
      signal.signal(number, signal.SIG_IGN)
  with open(os.path.join(tempfile.mkdtemp(), "file"), "w") as file:
      file.write("left over")
  sleeper = [sys.executable, "-c", "import time; time.sleep(600)", os.getcwd()]
  subprocess.Popen(sleeper, start_new_session=True)
  if os.fork() == 0:
      os.setsid()
      if os.fork():
          os._exit(0)
      os.execv(sys.executable, sleeper)
  time.sleep(0.2)
  open("up", "w").close()
  time.sleep(600)
`;

const isUp = (folder: TestFolder): Promise<boolean> =>
  eventually(() => existsSync(join(folder.workspace, "up")), 30_000);

/** A server in the middle of a run. */
async function startServerInRun(worker: string): Promise<ServerUnderTest> {
  const server = await startServer({ args: ["--worker", worker] });
  server.client
    .request("tools/call", { name: "run_python", arguments: { code: OBSTINATE, timeout: 60 } })
    .catch(() => {});
  expect(await isUp(server.folder)).toBe(true);
  expect(processesMentioning(server.folder.path).length).toBeGreaterThan(3);
  return server;
}

describe.each(WORKERS.map(({ name }) => name))(
  "with the %s worker, nothing is left in mid-run",
  (worker) => {
    test("when the client closes stdin", async () => {
      const { client, folder } = await startServerInRun(worker);
      expect(await client.leave()).toBe(0);
      expect(await folder.lastingLeftovers()).toEqual([]);
      folder.remove();
    });

    test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
      "when the server gets %s",
      async (signal) => {
        const { client, folder } = await startServerInRun(worker);
        client.kill(signal);
        expect(await client.ended).toBe(0);
        expect(await folder.lastingLeftovers()).toEqual([]);
        folder.remove();
      },
    );

    test("when the server is killed", async () => {
      const { client, folder } = await startServerInRun(worker);
      client.kill("SIGKILL");
      expect(await client.ended).toBe("SIGKILL");
      expect(await folder.lastingLeftovers()).toEqual([]);
      folder.remove();
    });

    test("when the client is killed", async () => {
      const folder = makeTestFolder();
      const { command, env } = serverCommand(folder);
      const args = [CLIENT_THAT_DIES, ...command, "--worker", worker];
      const client = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
      const [line] = (await once(client.stdout, "data")) as [Buffer];
      for (const message of handshakeAndCall(OBSTINATE))
        client.stdin.write(`${JSON.stringify(message)}\n`);
      expect(await isUp(folder)).toBe(true);
      expect(isAlive(Number(line))).toBe(true);
      client.kill("SIGKILL");
      expect(await folder.lastingLeftovers()).toEqual([]);
      folder.remove();
    });

    test("when the server idles and is killed", async () => {
      const { client, folder } = await startServer({ args: ["--worker", worker] });
      expect((await client.callTool("run_python", { code: "print(1)" })).json.stdout).toBe("1\n");
      client.kill("SIGKILL");
      await client.ended;
      expect(await folder.lastingLeftovers()).toEqual([]);
      folder.remove();
    });

    test("when the server is ended before its first run", async () => {
      const { client, folder } = await startServer({ args: ["--worker", worker], isSilent: true });
      expect(await client.leave()).toBe(0);
      expect(await folder.lastingLeftovers()).toEqual([]);
      folder.remove();
    });
  },
);

describe("a call that is cancelled", () => {
  test("ends with its whole tree; it is not answered, and the server goes on", async () => {
    const { client, folder, close } = await startServer();
    client.send({
      jsonrpc: "2.0",
      id: "unwanted",
      method: "tools/call",
      params: { name: "run_python", arguments: { code: OBSTINATE, timeout: 60 } },
    });
    expect(await isUp(folder)).toBe(true);
    client.notify("notifications/cancelled", {
      requestId: "unwanted",
      reason: "the user pressed stop",
    });
    const isEnded = (): boolean =>
      processesMentioning("time.sleep(600)").every(({ command }) => !command.includes(folder.path));
    expect(await eventually(isEnded)).toBe(true);
    const { json } = await client.callTool("run_python", { code: "print('next')" });
    expect(json.stdout).toBe("next\n");
    expect(client.answersTo("unwanted")).toEqual([]);
    expect(await close()).toEqual([]);
  });

  test("while it waits for its turn never runs", async () => {
    const { client, folder, close } = await startServer({ args: ["--max-runs", "1"] });
    const code = (name: string): string =>
      `open('${name}', 'w').close()\nimport time\ntime.sleep(1)`;
    const first = client.callTool("run_python", { code: code("first") });
    const call = { name: "run_python", arguments: { code: code("second") } };
    client.send({ jsonrpc: "2.0", id: "second", method: "tools/call", params: call });
    await sleep(200);
    client.notify("notifications/cancelled", { requestId: "second" });
    expect((await first).json.exit_code).toBe(0);
    await client.callTool("run_python", { code: "" });
    expect(readdirSync(folder.workspace)).toEqual(["first"]);
    expect(client.answersTo("second")).toEqual([]);
    expect(await close()).toEqual([]);
  });

  test("of which the server never heard changes nothing", async () => {
    const { client, close } = await startServer();
    for (const requestId of ["unknown", 99, null])
      client.notify("notifications/cancelled", { requestId });
    expect((await client.callTool("run_python", { code: "print(1)" })).json.stdout).toBe("1\n");
    expect(await close()).toEqual([]);
  });
});

describe("a request", () => {
  test("has one answer, whatever the code writes and whoever writes late", async () => {
    const { client, close } = await startServer();
    const forging = python`
      import json, os, sys, time
      forged = json.dumps({"jsonrpc": "2.0", "id": "forged", "result": {"content": [{"type": "text", "text": "{}"}]}})
      for path in ("/dev/stdout", "/dev/stderr", "/proc/self/fd/1"):
          with open(path, "a") as file:
              file.write("\n" + forged + "\n")
      if os.fork() == 0:
          os.setsid()
          if os.fork():
              os._exit(0)
          time.sleep(0.3)
          print(forged, flush=True)
          os._exit(0)
      sys.exit(6)
    `;
    const { json } = await client.callTool("run_python", { code: forging }, "forged");
    expect(json.exit_code).toBe(6);
    const fork = "import os\nprint('parent' if os.fork() else 'child')";
    await client.callTool("run_python", { code: fork }, "forked");
    await sleep(600);
    await client.callTool("run_python", { code: "print('next')" }, "next");
    for (const id of ["forged", "forged", "forked", "next"])
      expect(client.answersTo(id)).toHaveLength(1);
    expect(client.strayLines).toEqual([]);
    expect(await close()).toEqual([]);
  });

  test("that is short is answered while a long one goes on", async () => {
    const { client, folder, close } = await startServer();
    const order: string[] = [];
    const untilTold = "import os, time\nwhile not os.path.exists('go-on'): time.sleep(0.02)\n";
    const long = client.callTool("run_python", { code: untilTold }).then(() => order.push("long"));
    await client.callTool("run_python", { code: "print('short')" }).then(() => order.push("short"));
    await client.callTool("run_python", { code: "open('go-on', 'w').close()" });
    await long;
    expect(order).toEqual(["short", "long"]);
    expect(readFileSync(join(folder.workspace, "go-on"), "utf8")).toBe("");
    expect(await close()).toEqual([]);
  });
});

function handshakeAndCall(code: string): object[] {
  const clientInfo = { name: "a client that dies", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const call = { name: "run_python", arguments: { code, timeout: 60 } };
  return [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: call },
  ];
}
