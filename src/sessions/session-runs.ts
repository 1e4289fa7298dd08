import { PyExecutorError } from "../errors.ts";
import type { RunOptions, RunResult } from "../execution.ts";
import type { Environment, RunEnd, RunEvents, Task, Worker } from "../workers/worker.ts";
import type { HeldPlace, RunPlace, Snippet } from "../schedule/run-places.ts";
import { Home } from "./home.ts";
import type { Session } from "./session.ts";
import type { SessionStore } from "./session-store.ts";

/** A script block in the code that names packages (PEP 723). */
const SCRIPT_BLOCK = /^# \/\/\/ script$/m;

/** Carries out a task; `worker.run` is one. */
export type RunTask = (task: Task, events: RunEvents) => Promise<RunEnd>;

/** What a request says of where it runs. */
interface WhereRequest {
  session: string;
  cwd?: string | undefined;
  packages?: readonly string[] | undefined;
}

export interface SessionRunsOptions {
  worker: Worker;
  /** Throws if the folder can't be worked in. */
  resolveCwd: (cwd: string | undefined) => string;
  /** The environment that a plain run in a folder would have. */
  environmentFor: (cwd: string) => Promise<Environment>;
  /** Settles where a new session's code runs. */
  hold: (
    request: Omit<WhereRequest, "session">,
    snippets: readonly Snippet[],
    options: RunOptions & { signal: AbortSignal },
  ) => Promise<HeldPlace>;
}

/** Runs code in sessions: waits for the session, begins it if it has no process yet, and hands on what carries out tasks there. */
export class SessionRuns {
  readonly #options: SessionRunsOptions;

  constructor(options: SessionRunsOptions) {
    this.#options = options;
  }

  /**
   * For code that changes the session, and begins it if it is new.
   *
   * @param use runs the code at the place and by the means that it is given
   */
  async inCell(
    store: SessionStore,
    request: WhereRequest & { code: string },
    options: RunOptions & { signal: AbortSignal },
    use: (place: RunPlace, run: RunTask) => Promise<RunResult>,
  ): Promise<RunResult> {
    const cwd = this.#checkCwd(request);
    const session = store.enter(request.session);
    return this.#inTurn(store, session, "alone", options, async (isCancelled) => {
      let held: HeldPlace | undefined;
      try {
        const snippet = { code: request.code, argument: "code" };
        if (!session.hasBegun && !isCancelled) {
          held = await this.#options.hold(request, [snippet], options);
        }
        const place = held?.places[0] ?? (await this.#placeIn(session, request, cwd, [snippet]));
        const startedAt = Date.now();
        const result = await use(place, async (task, events) => {
          const hasBegun =
            held === undefined || (await this.#begin(session, held, request, events));
          if (!hasBegun) return { how: "cancelled", executable: place.environment.python };
          return session.runCell({ ...task, cwd: place.cwd }, events);
        });
        if (!session.hasBegun || isCancelled) return result;
        return { ...result, session: session.note(request.code, startedAt, result) };
      } finally {
        if (!session.hasBegun) held?.release();
      }
    });
  }

  /** For code that runs in copies of the session, any number at once; the session stays as it is. */
  async inCopies<Result>(
    store: SessionStore,
    request: WhereRequest,
    snippets: readonly Snippet[],
    options: RunOptions & { signal: AbortSignal },
    use: (place: RunPlace, run: RunTask) => Promise<Result>,
  ): Promise<Result> {
    const cwd = this.#checkCwd(request);
    const session = store.find(request.session);
    return this.#inTurn(store, session, "shared", options, async (isCancelled) => {
      if (!session.hasBegun && !isCancelled) throw store.missing(session.id);
      const place = await this.#placeIn(session, request, cwd, snippets);
      return use(place, (task, events) => session.runCopy({ ...task, cwd: place.cwd }, events));
    });
  }

  /**
   * Waits for a turn in the session.
   *
   * @param use told whether the caller no longer wants it: then it has no turn, and is to run nothing
   */
  async #inTurn<Result>(
    store: SessionStore,
    session: Session,
    kind: "alone" | "shared",
    { signal, onState }: RunOptions & { signal: AbortSignal },
    use: (isCancelled: boolean) => Promise<Result>,
  ): Promise<Result> {
    if (!session.isReady(kind)) onState?.("queued");
    let endTurn: (() => void) | undefined;
    try {
      endTurn = await session.take(kind, signal).catch((error: unknown) => {
        if (!signal.aborted || error instanceof PyExecutorError) throw error;
        return undefined;
      });
      return await use(endTurn === undefined);
    } catch (error) {
      if (error instanceof PyExecutorError && error.code === "session_lost")
        store.noteTold(session.id);
      throw error;
    } finally {
      endTurn?.();
      store.leave(session);
    }
  }

  /** A cwd that is of no use is refused at once, not when the session's turn has come. */
  #checkCwd({ cwd }: WhereRequest): string {
    return cwd === undefined ? "" : this.#options.resolveCwd(cwd);
  }

  /** Where code runs in a session that has begun: its environment stays what it was. */
  async #placeIn(
    session: Session,
    { packages = [] }: WhereRequest,
    cwd: string,
    snippets: readonly Snippet[],
  ): Promise<RunPlace> {
    const environment = session.environment ?? { python: "", variables: {} };
    const notes: string[] = [];
    const unknown = (): undefined => undefined; // it is not what the code will run with
    const wanted = cwd === "" ? undefined : await this.#options.environmentFor(cwd).catch(unknown);
    if (
      wanted !== undefined &&
      wanted.python !== environment.python &&
      session.packages.length === 0
    ) {
      notes.push(
        `The session keeps the Python that it was made with, ${environment.python}; the one for this cwd is ${wanted.python}.`,
      );
    }
    const isOther = packages.length > 0 && packages.join("\n") !== session.packages.join("\n");
    if (isOther || snippets.some(({ code }) => SCRIPT_BLOCK.test(code))) {
      notes.push(
        "The session keeps the packages that it was made with: those that this call asks for were not installed. A new session can have them.",
      );
    }
    return { cwd, environment, notes };
  }

  /** Gives a session its process; returns false if the caller no longer wants it. */
  async #begin(
    session: Session,
    held: HeldPlace,
    { code, packages = [] }: WhereRequest & { code: string },
    { signal }: RunEvents,
  ): Promise<boolean> {
    const { environment, release } = held;
    try {
      const host = await this.#options.worker.openSession(environment, code, signal);
      const home = new Home(host, environment, packages, release);
      session.begin(home, home.enter());
      return true;
    } catch (error) {
      if (signal.aborted && !(error instanceof PyExecutorError)) return false;
      throw error;
    }
  }
}
