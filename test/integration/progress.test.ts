/** What a client that asks for progress is told, over real stdio: often enough, not too often, and nothing afterwards. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type ServerUnderTest } from "../support/server.ts";

let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  expect(await server.close()).toEqual([]);
});

interface Told {
  progress: number;
  total?: number;
  message: string;
}

/** Calls a tool and returns what was told until a moment after the answer. */
async function toldOf(name: string, args: object): Promise<Told[]> {
  const { client } = server;
  const progressToken = client.newId();
  const params = { name, arguments: args, _meta: { progressToken } };
  const { result } = await client.request("tools/call", params, progressToken);
  expect(result).toBeDefined();
  const of = (): unknown[] =>
    client.messages
      .filter(({ params: told }) => told?.["progressToken"] === progressToken)
      .map(({ params: told }) => told);
  const answeredAt = client.messages.findIndex(({ id }) => id === progressToken);
  await sleep(1200);
  const late = client.messages
    .slice(answeredAt)
    .filter(({ params: told }) => told?.["progressToken"] === progressToken);
  expect(late).toEqual([]);
  return of() as Told[];
}

function expectToGrow(told: readonly Told[]): void {
  for (const [index, { progress }] of told.entries()) {
    expect(progress).toBeGreaterThan(told[index - 1]?.progress ?? 0);
  }
}

describe("progress", () => {
  test("of output is its last line, at most once a second", async () => {
    const code =
      "import time\nfor n in range(45):\n    print(f'line {n}')\n    print()\n    time.sleep(0.06)";
    const told = await toldOf("run_python", { code });
    expectToGrow(told);
    expect(told.length).toBeGreaterThanOrEqual(2);
    expect(told.length).toBeLessThanOrEqual(5);
    for (const { message } of told) expect(message).toMatch(/^line \d+$/);
  });

  test("of a bar that draws over itself is its newest state, cut to a line's length", async () => {
    const code =
      "import time\nprint('10%\\r20%', end='\\r')\ntime.sleep(1.2)\nprint('\\x1b[1m' + 'é' * 300 + '\\x1b[0m', end='')\ntime.sleep(1.2)";
    const told = await toldOf("run_python", { code });
    const messages = new Set(told.map(({ message }) => message));
    expect([...messages]).toEqual(["20%", "é".repeat(200)]);
  });

  test("of a map counts its items", async () => {
    const told = await toldOf("run_python_map", {
      code: "items",
      items: [1, 2, 3, 4, 5],
      chunks: 2,
    });
    expectToGrow(told);
    expect(told).toHaveLength(2);
    expect(told.at(-1)).toEqual({
      progressToken: expect.any(String),
      progress: 5,
      total: 5,
      message: "5 of 5 items are done",
    });
  });

  test("of a batch counts its snippets, between lines of output", async () => {
    const codes = ["print('a')", "print('b')", "import time\ntime.sleep(0.3)"];
    const told = await toldOf("run_python_batch", { codes });
    expectToGrow(told);
    const counts = told.filter(({ total }) => total === 3);
    expect(counts.map(({ progress }) => Math.floor(progress))).toEqual([1, 2, 3]);
  });

  test("of a look at a background run is that run's", async () => {
    const code = "import time\ntime.sleep(0.4)\nprint('halfway')\ntime.sleep(0.4)";
    const { json } = await server.client.callTool("run_python", { code, background: true });
    const told = await toldOf("get_run", { id: json["run_id"], wait_seconds: 20 });
    expect(told.map(({ message }) => message)).toEqual(["halfway"]);
  });

  test("of a call without a word comes every 10 seconds", async () => {
    const told = await toldOf("run_python", { code: "import time\ntime.sleep(21)" });
    expect(told.map(({ message }) => message)).toEqual(["running for 10 s", "running for 20 s"]);
    expectToGrow(told);
  });

  test("is not told to a client that didn't ask", async () => {
    const before = server.client.messages.length;
    await server.client.callTool("run_python", { code: "print(1)" });
    expect(server.client.messages.slice(before)).toHaveLength(1);
  });
});
