// @ts-check
// An MCP client to be killed: starts the server that its arguments name, sends it the lines of its own stdin, and says
// on stdout which process the server is. It answers nothing and cleans up nothing.
import { spawn } from "node:child_process";

const [program = "", ...args] = process.argv.slice(2);
const server = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"] });
process.stdin.pipe(server.stdin);
process.stdout.write(`${server.pid}\n`);
