/** All that can happen to sessions, as commands that are carried out and compared with the model. */
import * as fc from "fast-check";
import { expect, vi } from "vitest";
import type { Engine } from "../../src/engine.ts";
import type { RunOptions, RunResult } from "../../src/index.ts";
import type { SessionStore } from "../../src/sessions/session-store.ts";
import { eventually } from "./eventually.ts";
import { ModelClient, type Entry } from "./session-model.ts";

const CLIENTS = 2;

interface Real {
  engine: Engine;
  stores: SessionStore[];
}
type Model = ModelClient[];
type Command = fc.AsyncCommand<Model, Real>;
export type Sequence = fc.Arbitrary<Iterable<Command>>;

/** Something that one client does. */
abstract class ClientCommand implements Command {
  readonly client: number;
  readonly id: string;

  constructor(client: number, id: string) {
    this.client = client;
    this.id = id;
  }

  check(): boolean {
    return true; // what must be refused is tried too
  }

  async run(model: Model, { engine: real, stores }: Real): Promise<void> {
    const [client, sessions] = [model[this.client], stores[this.client]];
    if (client === undefined || sessions === undefined) throw new Error("no such client");
    await this.act(client, sessions, real);
  }

  toString(): string {
    return `${this.constructor.name}(client ${this.client}, ${this.id}${this.details()})`;
  }

  details(): string {
    return "";
  }

  abstract act(client: ModelClient, sessions: SessionStore, real: Engine): Promise<void>;
}

/** Expects a call to be refused if the model says so; returns what it gives otherwise. */
async function asExpected<Result>(
  entry: Entry,
  call: Promise<Result>,
): Promise<Result | undefined> {
  if (entry.kind === "session") return call;
  await expect(call).rejects.toMatchObject({ code: entry.code });
  return undefined;
}

/** Code that changes `x`, and does something then. */
const codeOf = (add: number, then: string): string =>
  `x = globals().get('x', 0) + ${add}\nprint(x, flush=True)\n${then}`;

/** Runs a cell; what its end must be depends on what it does. */
abstract class Cell extends ClientCommand {
  abstract readonly code: string;
  readonly add: number = 1;

  async act(client: ModelClient, sessions: SessionStore, real: Engine): Promise<void> {
    const entry = client.enter(this.id);
    const request = { code: codeOf(this.add, this.code), session: this.id, timeout: 30 };
    const options = { sessions, ...this.options(sessions) };
    const result = await asExpected(entry, real.run(request, options));
    if (entry.kind !== "session" || result === undefined) return;
    entry.session.x += this.add;
    entry.session.runCount += 1;
    expect(result.stdout.trim()).toBe(String(entry.session.x)); // the end of the line may be interrupted
    await this.ended(result, entry, client, sessions);
  }

  options(_sessions: SessionStore): RunOptions {
    return {};
  }

  async ended(
    result: RunResult,
    { session, isNew }: Entry & { kind: "session" },
    _client: ModelClient,
    _sessions: SessionStore,
  ): Promise<void> {
    expect(result.session).toMatchObject({
      ...{ id: this.id, runCount: session.runCount, state: isNew ? "created" : "resumed" },
    });
  }
}

class Run extends Cell {
  readonly code = "x";

  override async ended(...[result, entry, ...others]: Parameters<Cell["ended"]>): Promise<void> {
    expect([result.status, result.result]).toEqual(["ok", String(entry.session.x)]);
    await super.ended(result, entry, ...others);
  }
}

class Fail extends Cell {
  readonly code = "raise ValueError(x)";

  override async ended(...[result, ...others]: Parameters<Cell["ended"]>): Promise<void> {
    expect(result.status).toBe("error");
    await super.ended(result, ...others);
  }
}

class Interrupt extends Cell {
  readonly code = "__import__('time').sleep(60)";

  override options(sessions: SessionStore): RunOptions {
    return { onOutput: (stream) => stream === "stdout" && sessions.find(this.id).interrupt() };
  }

  override async ended(...[result, ...others]: Parameters<Cell["ended"]>): Promise<void> {
    expect(result.exitCode).toBe(130);
    await super.ended(result, ...others);
  }
}

class Cancel extends Cell {
  readonly code = "__import__('time').sleep(60)";

  override options(): RunOptions {
    const controller = new AbortController();
    return { signal: controller.signal, onOutput: () => controller.abort() };
  }

  override async ended(...[result, ...others]: Parameters<Cell["ended"]>): Promise<void> {
    expect([result.status, result.session]).toEqual([
      "cancelled",
      expect.objectContaining({ isInterrupted: true }),
    ]);
    await super.ended(result, ...others);
  }
}

/** What is known of a session's names before the cell that ends it. */
const namesBefore = ({ isNew }: Entry & { kind: "session" }): string[] => (isNew ? [] : ["x"]);

class Kill extends Cell {
  readonly code = "__import__('os').kill(__import__('os').getpid(), 9)";

  override async ended(
    ...[result, entry, client, sessions]: Parameters<Cell["ended"]>
  ): Promise<void> {
    const lost = { state: "lost", reason: "its process was ended by SIGKILL" };
    expect(result.session).toEqual({ id: this.id, ...lost, lostNames: namesBefore(entry) });
    expect(sessions.ended.get(this.id)?.lostNames).toEqual(namesBefore(entry));
    client.lose(this.id);
  }
}

class KillWhileIdle extends Cell {
  readonly code = "__import__('signal').setitimer(0, 0.01)";

  override async ended(...[, , client, sessions]: Parameters<Cell["ended"]>): Promise<void> {
    expect(await eventually(() => sessions.ended.has(this.id))).toBe(true);
    client.lose(this.id);
  }
}

class Batch extends ClientCommand {
  async act(client: ModelClient, sessions: SessionStore, real: Engine): Promise<void> {
    const entry = client.find(this.id);
    const codes = ["x += 1000\nx", "del x", "raise SystemExit(3)", "x"];
    const results = await asExpected(
      entry,
      real.runBatch({ codes, session: this.id }, { sessions }),
    );
    if (entry.kind !== "session") return;
    const { x } = entry.session;
    expect(results?.map(({ result, exitCode }) => [result, exitCode])).toEqual([
      [String(x + 1000), 0],
      [undefined, 0],
      [undefined, 3],
      [String(x), 0],
    ]);
  }
}

class MapItems extends ClientCommand {
  async act(client: ModelClient, sessions: SessionStore, real: Engine): Promise<void> {
    const entry = client.find(this.id);
    const request = { code: "x = x + 1\n[x + n for n in items]", items: [1, 2, 3] };
    const mapped = await asExpected(
      entry,
      real.runMap({ ...request, session: this.id }, { sessions }),
    );
    if (entry.kind !== "session") return;
    expect(mapped?.result).toEqual([1, 2, 3].map((n) => entry.session.x + 1 + n));
  }
}

class Fork extends ClientCommand {
  readonly as: string;

  constructor(client: number, id: string, as: string) {
    super(client, id);
    this.as = as;
  }

  override details(): string {
    return ` as ${this.as}`;
  }

  async act(client: ModelClient, sessions: SessionStore): Promise<void> {
    const entry = client.fork(this.id, this.as);
    await asExpected(entry, sessions.fork(this.id, this.as, new AbortController().signal));
  }
}

class Close extends ClientCommand {
  async act(client: ModelClient, sessions: SessionStore): Promise<void> {
    const entry = client.find(this.id);
    await asExpected(entry, (async () => sessions.end(this.id))());
    client.close(this.id);
  }
}

class List extends ClientCommand {
  async act(client: ModelClient, sessions: SessionStore): Promise<void> {
    await compare(client, sessions);
  }
}

/** Time passes for everyone. */
class Pass implements Command {
  readonly #milliseconds: number;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model): Promise<void> {
    vi.advanceTimersByTime(this.#milliseconds);
    for (const client of model) client.pass(this.#milliseconds);
  }

  toString(): string {
    return `Pass(${this.#milliseconds} ms)`;
  }
}

/** What there is must be what there has to be. */
async function compare(client: ModelClient, sessions: SessionStore): Promise<void> {
  const infos = await sessions.list();
  const found = infos.map(({ id, runCount, variables }) => [
    id,
    { runCount, x: Number(variables?.find(({ name }) => name === "x")?.value) },
  ]);
  const wanted = [...client.sessions].map(([id, { x, runCount }]) => [id, { runCount, x }]);
  expect(new Map(found as [string, object][])).toEqual(new Map(wanted as [string, object][]));
  expect(new Set(sessions.ended.keys())).toEqual(client.ended);
}

type Maker = new (client: number, id: string) => ClientCommand;

/**
 * @param client who does something
 * @param id in which session
 * @param as what forks are called
 * @param often what is done more often than the rest
 */
function sequencesOf(
  client: fc.Arbitrary<number>,
  id: fc.Arbitrary<string>,
  as: fc.Arbitrary<string>,
  often: { runs: number; forks: number },
): Sequence {
  const of = (Made: Maker): fc.Arbitrary<Command> =>
    fc.tuple(client, id).map(([whose, name]) => new Made(whose, name));
  const fork = fc.tuple(client, id, as).map(([whose, name, copy]) => new Fork(whose, name, copy));
  return fc.commands(
    [
      ...Array<fc.Arbitrary<Command>>(often.runs).fill(of(Run)),
      ...[Fail, Batch, MapItems, Interrupt, Cancel, Kill, KillWhileIdle, Close, List].map(of),
      ...Array<fc.Arbitrary<Command>>(often.forks).fill(fork),
      fc.constantFrom(3000, 4000, 7000).map((milliseconds) => new Pass(milliseconds)),
    ],
    { maxCommands: 14, size: "max" },
  );
}

const anyName = fc.constantFrom("a", "b", "c", "d");
/** Each client and name as often as any other: most commands make a session of their own. */
export const spreadOut = sequencesOf(fc.nat({ max: CLIENTS - 1 }), anyName, anyName, {
  ...{ runs: 3, forks: 1 },
});
/** Some more often than others, so that more happens to one session, and to forks of it. */
export const gathered = sequencesOf(
  fc.constantFrom(0, 0, 0, 0, 1),
  fc.constantFrom("a", "a", "a", "a", "a", "a", "b", "b", "c", "d"),
  anyName,
  { runs: 5, forks: 4 },
);

/** Carries a sequence out, and compares what is there at its end. */
export async function carryOut(engine: Engine, sequence: Iterable<Command>): Promise<void> {
  const stores = Array.from({ length: CLIENTS }, () => engine.openStore());
  const model = stores.map(() => new ModelClient());
  try {
    await fc.asyncModelRun(() => ({ model, real: { engine, stores } }), sequence);
    for (const [index, sessions] of stores.entries()) {
      await compare(model[index] ?? new ModelClient(), sessions);
    }
  } finally {
    for (const sessions of stores) sessions.close();
  }
}
