/** Calls that take longer than a client is patient: they go on in the background by themselves, in words or as a task. */
import { PassThrough } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RunRegistry } from "../../src/background/run-registry.ts";
import { readSettings, type ExecutorOptions } from "../../src/config.ts";
import { createEngine, type Engine } from "../../src/engine.ts";
import { createLog } from "../../src/observability/log.ts";
import { createMcpServer, type Client } from "../../src/serve/mcp-server.ts";
import { StdioTransport } from "../../src/serve/stdio-transport.ts";
import { makeTestFolder, type TestFolder } from "../support/test-folder.ts";

const PATIENCE_MS = 300;
const TASKS = "io.modelcontextprotocol/tasks";
const CODE = "import time\nprint('begun')\ntime.sleep(1)\nprint('done')";

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

let folder: TestFolder;
let engine: Engine;
let connection: Connection;

beforeEach(async () => {
  folder = makeTestFolder();
  await begin({});
});
afterEach(async () => {
  connection.close();
  await engine.close();
  folder.remove();
});

async function begin(options: ExecutorOptions): Promise<void> {
  const settings = readSettings({ workspace: folder.workspace, ...options });
  engine = createEngine(settings, createLog("silent"));
  connection = new Connection(engine);
  await engine.run({ code: "1" }); // an interpreter takes its time to start
}

/** A client of protocol version 2026-07-28, and what serves it. */
class Connection {
  readonly messages: Message[] = [];
  readonly #input = new PassThrough();
  #wake = (): void => {};
  #lastId = 0;

  constructor(of: Engine) {
    const output = new PassThrough();
    output.setEncoding("utf8").on("data", (lines: string) => {
      for (const line of lines.split("\n").filter(Boolean)) this.messages.push(JSON.parse(line));
      this.#wake();
    });
    const client: Client = {
      runs: new RunRegistry(),
      sessions: of.openStore(),
      foregroundMs: PATIENCE_MS,
    };
    serveStdio(() => createMcpServer(of, client), {
      transport: new StdioTransport(this.#input, output, () => {}),
    });
  }

  /** Sends a request, with what the client announces in it. */
  async request(method: string, params: object, extensions: object = {}): Promise<Message> {
    const id = (this.#lastId += 1);
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": { extensions },
      progressToken: id,
    };
    const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } };
    this.#input.write(`${JSON.stringify(message)}\n`);
    for (;;) {
      const answer = this.messages.find((one) => one.id === id);
      if (answer !== undefined) return answer;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#input.end();
  }
}

const request: Connection["request"] = (...args) => connection.request(...args);

async function callTool(name: string, args: object, extensions?: object): Promise<Message> {
  return request("tools/call", { name, arguments: args }, extensions);
}

function jsonOf(result: unknown): Record<string, unknown> {
  const { content } = result as { content: { text: string }[] };
  return JSON.parse(content[0]?.text ?? "");
}

describe("a call that takes longer than the client is patient", () => {
  test("is answered by an id, goes on, and is not told of any more", async () => {
    const { result, id } = await callTool("run_python", { code: CODE });
    const { run_id: runId, ...json } = jsonOf(result);
    expect(json).toMatchObject({
      state: "running",
      message: expect.stringMatching(/has not ended after .* Call get_run with/),
    });
    const toldOf = (): Message[] =>
      connection.messages.filter(({ params }) => params?.["progressToken"] === id);
    const told = toldOf().length;
    const end = await callTool("get_run", { id: runId, wait_seconds: 20 });
    expect(jsonOf(end.result)).toMatchObject({
      state: "finished",
      result: { stdout: "begun\ndone\n", exit_code: 0 },
    });
    expect(toldOf()).toHaveLength(told);
  });

  test("is waited for to its end where the operator allows no longer one anyway", async () => {
    await engine.close();
    await begin({ maxTimeout: 50 });
    const { result } = await callTool("run_python", { code: CODE });
    expect(jsonOf(result)).toMatchObject({ stdout: "begun\ndone\n", exit_code: 0 });
  });

  test("may be a batch", async () => {
    const { result } = await callTool("run_python_batch", { codes: ["1", CODE] });
    const end = await callTool("get_run", { id: jsonOf(result)["run_id"], wait_seconds: 20 });
    expect(jsonOf(end.result)).toMatchObject({
      done: 2,
      total: 2,
      result: { results: [{ result: "1" }, { stdout: "begun\ndone\n" }] },
    });
  });
});

describe("the tasks extension", () => {
  const announced = { [TASKS]: {} };

  test("is announced", async () => {
    const { result } = await request("server/discover", {});
    expect(result).toMatchObject({ capabilities: { extensions: { [TASKS]: {} } } });
  });

  test("makes a task of a call that takes long, which has the call's own answer in the end", async () => {
    const { result } = await callTool("run_python", { code: CODE }, announced);
    expect(result).toMatchObject({
      resultType: "task",
      status: "working",
      taskId: expect.any(String),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      ttlMs: null,
      pollIntervalMs: expect.any(Number),
    });
    const taskId = result?.["taskId"];
    let task: Message = {};
    for (;;) {
      task = await request("tasks/get", { taskId }, announced);
      if (task.result?.["status"] !== "working") break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(task.result).toMatchObject({
      resultType: "complete",
      taskId,
      status: "completed",
      ttlMs: expect.any(Number),
    });
    expect(jsonOf(task.result?.["result"])).toMatchObject({ stdout: "begun\ndone\n" });
  });

  test("gives a call that is quick enough its answer, and one with background: true its id", async () => {
    const quick = await callTool("run_python", { code: "1" }, announced);
    expect(quick.result).toMatchObject({ resultType: "complete" });
    const asked = await callTool("run_python", { code: CODE, background: true }, announced);
    expect(jsonOf(asked.result)).toMatchObject({ run_id: expect.any(String) });
  });

  test("is not used with a request that doesn't announce it", async () => {
    await callTool("run_python", { code: "1" }, announced);
    const { result } = await callTool("run_python", { code: CODE });
    expect(result).toMatchObject({ resultType: "complete" });
  });

  test("cancels", async () => {
    const { result } = await callTool("run_python", { code: CODE }, announced);
    const taskId = result?.["taskId"];
    const acknowledged = await request("tasks/cancel", { taskId }, announced);
    expect(acknowledged.result).toMatchObject({ resultType: "complete" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { result: task } = await request("tasks/get", { taskId }, announced);
    expect(task).toMatchObject({ status: "cancelled" });
  });

  test("shows no connection the tasks and runs of another", async () => {
    const stranger = new Connection(engine);
    const { result } = await callTool("run_python", { code: CODE }, announced);
    const taskId = result?.["taskId"];
    for (const name of ["get_run", "cancel_run"]) {
      const params = { name, arguments: { id: taskId } };
      const answer = await stranger.request("tools/call", params, announced);
      expect(answer.result).toMatchObject({ isError: true });
    }
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const { error } = await stranger.request(method, { taskId }, announced);
      expect(error?.code).toBe(-32602);
    }
    const own = await request("tasks/get", { taskId }, announced);
    expect(own.result).toMatchObject({ status: "working" });
    stranger.close();
  });

  test.each(["tasks/get", "tasks/cancel", "tasks/update"])(
    "answers %s of a task that nobody has with an error",
    async (method) => {
      await callTool("run_python", { code: "1" }, announced);
      const { error } = await request(method, { taskId: "x", inputResponses: {} }, announced);
      expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/no run with/) });
    },
  );
});
