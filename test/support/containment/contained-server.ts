/** A server at a level of containment, in folders of its own, with secrets planted around them. */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../eventually.ts";
import { descendantsOf, processesMentioning } from "../processes.ts";
import { StdioClient, type ToolJson } from "../stdio-client.ts";
import type { Level } from "./levels.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CLI = join(ROOT, "dist", "cli.js");
const CACHE = placeForHomes();
const ATTACKS = join(ROOT, "test", "containment", "attacks");
const ATTEMPTS = readFileSync(new URL("attempts.py", import.meta.url), "utf8");
/** Seconds that a program of attempts may take. */
const TIMEOUT = 60;

/** How each attempt of an attack ended, by its name. */
export interface Outcomes {
  /** Those that went through. */
  done: string[];
  /** Those that did not, with the reason, whether it was up to containment or not. */
  refused: Record<string, string>;
  /** Those that could not go through here even without containment. */
  beyond: Record<string, string>;
}

export interface ContainedServerOptions {
  /** More options for the server. */
  readonly args?: readonly string[];
  /** More variables of the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the server's command is put behind, before what the level says. */
  readonly prefix?: readonly string[];
}

export class ContainedServer {
  readonly level: Level;
  /** Holds all that follows. */
  readonly base: string;
  /** HOME, with credentials in it. */
  readonly home: string;
  /** In HOME. */
  readonly workspace: string;
  /** In HOME, beside the workspace. */
  readonly outside: string;
  /** The server's TMPDIR. */
  readonly temp: string;
  /** What is in each planted secret. */
  readonly secret = `SECRET-${randomBytes(8).toString("hex")}`;
  readonly client: StdioClient;

  private constructor(level: Level, { args = [], env = {}, prefix = [] }: ContainedServerOptions) {
    this.level = level;
    mkdirSync(CACHE, { recursive: true });
    this.base = mkdtempSync(join(CACHE, "c-"));
    chmodSync(this.base, 0o755);
    this.home = join(this.base, "home");
    this.workspace = join(this.home, "work");
    this.outside = join(this.home, "other");
    this.temp = join(this.base, "temp");
    for (const folder of [this.home, this.workspace, this.outside, this.temp]) mkdirSync(folder);
    for (const path of [".ssh/id_test", ".aws/credentials", ".netrc", ".bash_history"]) {
      this.write(join(this.home, path), this.secret);
    }
    this.write(join(this.outside, "keep.txt"), this.secret);
    this.write(join(this.home, ".profile"), "# mine\n");
    this.write(join(this.home, ".config", "app", "settings"), "# mine\n");
    this.giveAway();
    const sandbox = level.strength === "off" ? "off" : "auto";
    const server = [process.execPath, CLI, "--workspace", this.workspace, "--sandbox", sandbox];
    this.client = new StdioClient([...prefix, ...level.prefix, ...server, ...args], {
      cwd: this.workspace,
      env: {
        ...process.env,
        ...level.env,
        ...{ HOME: this.home, TMPDIR: this.temp, SERVER_SECRET: this.secret },
        ...env,
      },
    });
  }

  static async start(
    level: Level,
    options: ContainedServerOptions & {
      /** Puts more into the folders before the server starts. */
      prepare?: ((server: ContainedServer) => Promise<void> | void) | undefined;
    } = {},
  ): Promise<ContainedServer> {
    const server = new ContainedServer(level, options);
    await options.prepare?.(server);
    server.giveAway();
    await server.client.initialize();
    return server;
  }

  /** Writes a file, and the folders above it. */
  write(path: string, text: string, mode = 0o600): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  }

  /** Makes all in the folders the property of the server's user. */
  giveAway(): void {
    if (process.getuid?.() === this.level.uid) return;
    giveAway(this.base, this.level.uid);
  }

  async run(code: string, options: { cwd?: string; timeout?: number } = {}): Promise<ToolJson> {
    return (await this.client.callTool("run_python", { code, ...options })).json;
  }

  /** Runs snippets at the same time. */
  async runBatch(codes: readonly string[]): Promise<ToolJson[]> {
    const { json } = await this.client.callTool("run_python_batch", { codes });
    return json.results ?? [];
  }

  /** A program of test/containment/attacks, with what it has to know. */
  attackCode(name: string, more: Readonly<Record<string, unknown>> = {}): string {
    const { base, home, workspace, outside, temp, secret, client } = this;
    const family = [client.pid, ...descendantsOf(client.pid).map(({ pid }) => pid)];
    const place = {
      ...{ base, home, workspace, outside, temp, secret, server: client.pid, family },
      ...{ root: ROOT, level: this.level.strength, ...more },
    };
    const text = JSON.stringify(JSON.stringify(place));
    const attack = readFileSync(join(ATTACKS, `${name}.py`), "utf8");
    return `PLACE_TEXT = ${text}\n${ATTEMPTS}\n\n${attack}\nreport()\n`;
  }

  /** Runs a program of attempts. Throws if it doesn't come to its end or an attempt fails in another way than by refusal. */
  async attack(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<Outcomes> {
    const answer = await this.run(this.attackCode(name, more), { timeout: TIMEOUT });
    return readOutcomes(answer);
  }

  /** Leaves the server; returns the processes that are left of it, and removes the folders. */
  async close(): Promise<string[]> {
    await this.client.leave();
    const left = (): string[] =>
      processesMentioning(this.base).map(({ pid, command }) => `process ${pid}: ${command}`);
    await eventually(() => left().length === 0, 5000);
    const found = [...left(), ...readdirSync(this.temp)];
    rmSync(this.base, { recursive: true, force: true });
    return found;
  }
}

/** Goes through folders, but never through a link: code may have made it. */
function giveAway(path: string, uid: number): void {
  lchownSync(path, uid, uid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveAway(join(path, name), uid);
}

/** What a program of attempts has told. */
function readOutcomes(answer: ToolJson): Outcomes {
  const line = /^OUTCOMES (.*)$/m.exec(answer.stdout ?? "")?.[1];
  if (line === undefined) throw new Error(`the attack told nothing: ${JSON.stringify(answer)}`);
  const all = Object.entries(JSON.parse(line) as Record<string, string>);
  const broken = all.filter(([, outcome]) => outcome.startsWith("broken"));
  if (broken.length > 0) throw new Error(`attempts that don't work: ${JSON.stringify(broken)}`);
  return {
    done: all.filter(([, outcome]) => outcome === "done").map(([name]) => name),
    refused: Object.fromEntries(all.filter(([, outcome]) => outcome.startsWith("refused"))),
    beyond: Object.fromEntries(all.filter(([, outcome]) => outcome.startsWith("beyond"))),
  };
}

/** Not in a temporary folder, even if the repository is in one: a run has others there, and would see none of this. */
function placeForHomes(): string {
  const isTemporary = ["/tmp/", "/var/tmp/"].some((folder) => `${ROOT}/`.startsWith(folder));
  if (!isTemporary) return join(ROOT, ".cache");
  return process.getuid?.() === 0 ? "/srv" : homedir();
}
