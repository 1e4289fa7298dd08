// @ts-check
// A client of our own instead of an SDK's: it adds next to nothing to what is measured, and takes answers of any size.
import { spawn } from "node:child_process";

/**
 * A server that is up.
 *
 * @typedef {{
 *   pid: number,
 *   call: (tool: string, args: Record<string, unknown>) => Promise<any>,
 *   end: () => Promise<void>,
 * }} Server
 */

const PROTOCOL_VERSION = "2025-06-18";
const NEWLINE = 0x0a;
const STDERR_CHARS = 2000;
const END_PATIENCE_MS = 5000;
/** Above what any snippet here takes, so that none is ended in the middle. */
const TIMEOUT_SECONDS = 60;

/**
 * Starts an MCP server and shakes hands with it.
 *
 * @param {readonly string[]} command
 * @param {string} cwd the working directory of the server and of all that it runs
 * @returns {Promise<Server>}
 */
export async function startServer([program = "", ...args], cwd) {
  const child = spawn(program, args, { cwd, stdio: "pipe" });
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let lastId = 0;
  let stderr = "";

  child.stderr.on("data", (chunk) => {
    stderr = (stderr + String(chunk)).slice(-STDERR_CHARS);
  });
  child.stdin.on("error", () => {}); // that it has ended is told below
  child.stdout.on(
    "data",
    byLine((line) => {
      const { id, result, error } = JSON.parse(line);
      const caller = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) caller?.resolve(result);
      else caller?.reject(new Error(error.message));
    }),
  );
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    const onEnd = (/** @type {unknown} */ how) => {
      const error = new Error(`the server ended (${String(how)}): ${stderr.trim()}`);
      for (const { reject } of waiting.values()) reject(error);
      resolve();
    };
    child.once("error", (error) => onEnd(error.message));
    child.once("exit", (code, signal) => onEnd(signal ?? code));
  });

  const send = (/** @type {object} */ message) => child.stdin.write(`${JSON.stringify(message)}\n`);

  /**
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any>}
   */
  const request = (method, params) => {
    const id = (lastId += 1);
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    send({ jsonrpc: "2.0", id, method, params });
    return answer;
  };

  const end = async () => {
    child.stdin.end();
    const patience = setTimeout(() => child.kill("SIGKILL"), END_PATIENCE_MS);
    await ended;
    clearTimeout(patience);
  };

  const clientInfo = { name: "bench", version: "1.0.0" };
  await request("initialize", { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });

  return {
    pid: child.pid ?? 0,
    end,
    call: async (name, given) => {
      const options = { cwd, timeout: TIMEOUT_SECONDS };
      const { content } = await request("tools/call", {
        name,
        arguments: { ...given, ...options },
      });
      return JSON.parse(content[0].text);
    },
  };
}

/**
 * @param {(line: string) => void} onLine
 * @returns {(chunk: Buffer) => void}
 */
function byLine(onLine) {
  /** @type {Buffer[]} */
  let parts = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      onLine(Buffer.concat([...parts, chunk.subarray(start, end)]).toString());
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  };
}
