import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  connectClient1,
  connectClient2,
  jsonOf,
  type Conversation,
  type ServerCommand,
} from "../support/mcp-clients.ts";
import { isAlive, processesMentioning } from "../support/processes.ts";
import { python } from "../support/python-source.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";

const clients = [
  {
    name: "the current client, current protocol",
    connect: (server: ServerCommand) => connectClient2(server, "auto"),
    protocol: "2026-07-28",
  },
  {
    name: "the current client, older protocol",
    connect: (server: ServerCommand) => connectClient2(server, "legacy"),
    protocol: "2025-11-25",
  },
  { name: "the older client", connect: connectClient1, protocol: undefined },
];

describe.each(clients)("the installed server and $name", ({ connect, protocol }) => {
  let folder: TestFolder;
  let conversation: Conversation;

  beforeAll(async () => {
    folder = makeTestFolder();
    conversation = await connect({
      command: process.execPath,
      args: [inject("installed").cli, "--workspace", folder.workspace],
      env: { TMPDIR: folder.temp },
    });
  });

  afterAll(() => folder.remove());

  test("agree on a protocol", () => {
    expect(conversation.protocolVersion).toBe(protocol);
  });

  test("list all tools with descriptions", async () => {
    const tools = await conversation.listTools();
    const names = [
      ...["run_python", "run_python_batch", "run_python_map", "session"],
      ...["get_run", "cancel_run"],
    ];
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { description } of tools) expect(description).toContain("Example:");
  });

  test("pass quotes, dollars, backslashes and line ends untouched", async () => {
    const code = `print('''it's "$HOME"\\t\\\\ \`x\`''')\nprint("…🐍")`;
    const answer = await conversation.callTool("run_python", { code });
    expect(jsonOf(answer)).toMatchObject({
      stdout: `it's "$HOME"\t\\ \`x\`\n…🐍\n`,
      exit_code: 0,
      success: true,
    });
    expect(answer.isError ?? false).toBe(false);
  });

  test("give a batch's answers in its order", async () => {
    const codes = [
      "import time; time.sleep(0.3); print('slow')",
      "print('quick')",
      "raise SystemExit(3)",
    ];
    expect(jsonOf(await conversation.callTool("run_python_batch", { codes }))).toMatchObject({
      results: [
        { stdout: "slow\n", exit_code: 0 },
        { stdout: "quick\n", exit_code: 0 },
        { stdout: "", exit_code: 3, success: false },
      ],
    });
  });

  test("flag a refusal as an error and name the argument", async () => {
    const answer = await conversation.callTool("run_python", { code: "print(1)", cwd: "missing" });
    expect(answer.isError).toBe(true);
    expect(jsonOf(answer)).toMatchObject({
      success: false,
      error: expect.stringContaining("`cwd`"),
    });
  });

  test("link to the whole of an output that is too long to be shown", async () => {
    const code = "for n in range(100_000): print(n)";
    const answer = await conversation.callTool("run_python", { code });
    const link = answer.content.find(({ type }) => type === "resource_link");
    const whole = await conversation.readText(link?.uri ?? "");
    const expected = Array.from({ length: 100_000 }, (_, n) => `${n}\n`).join("");
    // Compared by hand: a difference of this size would fill the screen.
    expect({ chars: whole.length, isWhole: whole === expected }).toEqual({
      chars: expected.length,
      isWhole: true,
    });
  });

  test("end a run that is cancelled, and go on", async () => {
    const mark = `cancelled-${conversation.pid}`;
    const cancel = new AbortController();
    const code = python`
      import subprocess, sys
      subprocess.run([sys.executable, "-c", "import time; time.sleep(60)", "${mark}"])
    `;
    const call = conversation.callTool("run_python", { code, timeout: 60 }, cancel.signal);
    const outcome = call.then(
      () => "answered",
      () => "given up",
    );
    expect(await eventually(() => processesMentioning(mark).length > 0)).toBe(true);
    cancel.abort();
    expect(await outcome).toBe("given up");
    expect(await eventually(() => processesMentioning(mark).length === 0)).toBe(true);
    const next = await conversation.callTool("run_python", { code: "print('still here')" });
    expect(jsonOf(next)).toMatchObject({ stdout: "still here\n" });
  });

  test("part without leaving a process or a file", async () => {
    const { pid } = conversation;
    await conversation.close();
    expect(await eventually(() => !isAlive(pid))).toBe(true);
    expect(await folder.lastingLeftovers()).toEqual([]);
  });
});
