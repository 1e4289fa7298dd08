import { PyExecutorError } from "../errors.ts";
import type { SessionInfo } from "../execution.ts";
import { lostError, type Ending } from "./ends.ts";
import { Session } from "./session.ts";

/** Sessions that have ended and are remembered until they are asked for; the oldest is forgotten first. */
const MAX_REMEMBERED = 64;
const ID = /^[\w.-]{1,64}$/;
/** How much of a wrong name is repeated (characters). */
const MAX_SHOWN = 80;

interface SessionStoreOptions {
  maxSessions: number;
  /** How long a session lives that isn't used. */
  idleMs: number;
}

/** The sessions of one client: no other has its store, so that no other can name them or take their room. */
export class SessionStore {
  readonly #options: SessionStoreOptions;
  /** By name, the oldest first. */
  readonly #sessions = new Map<string, Session>();
  /** Ended ones that nobody has asked for since, by name. */
  readonly #ended = new Map<string, Ending>();
  #lastNumber = 0;
  #isClosed = false;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
  }

  /**
   * The session of a name; a new one, which has no process yet, if there is none. To be given back by {@link leave}.
   *
   * Throws `invalid_argument` for what is no name, `session_lost` if the session has ended since its last use, and
   * `limit_exceeded` if there can be no more.
   */
  enter(id: string): Session {
    checkId(id, "session");
    return this.#sessions.get(id) ?? this.#make(id);
  }

  /** The session of a name. Throws as {@link enter}, and `invalid_argument` if there is none. */
  find(id: string): Session {
    checkId(id, "session");
    const session = this.#sessions.get(id);
    if (session !== undefined) return session;
    this.#tellEnd(id);
    throw this.missing(id);
  }

  /** The session of a name that has a process; looking is no use of it. */
  get(id: string): Session | undefined {
    const session = this.#sessions.get(id);
    return session?.hasBegun === true ? session : undefined;
  }

  /** A name that is free. */
  newId(): string {
    do this.#lastNumber += 1;
    while (this.#sessions.has(String(this.#lastNumber)));
    return String(this.#lastNumber);
  }

  /** What is said of a session that isn't there. */
  missing(id: string): PyExecutorError {
    const names = this.ids;
    const known =
      names.length === 0 ? "You have no sessions." : `Your sessions are ${names.join(", ")}.`;
    return new PyExecutorError(
      "invalid_argument",
      `You have no session ${JSON.stringify(id)}. ${known} run_python with a new name makes one. Nothing was run.`,
      { argument: "session" },
    );
  }

  /** Notes that the client knows that a session is gone: its name is free. */
  noteTold(id: string): void {
    this.#ended.delete(id);
  }

  /** Forgets a session that came to nothing: it has no process, and nobody waits for it. */
  leave(session: Session): void {
    if (!session.hasBegun && session.isFree && this.#sessions.get(session.id) === session) {
      this.#sessions.delete(session.id);
    }
  }

  /** Makes a new session that has all that another one has. Waits for the code that runs there. Throws as its parts do. */
  async fork(id: string, as: string, signal: AbortSignal): Promise<Session> {
    const original = this.find(id);
    checkId(as, "as");
    if (this.#sessions.has(as)) {
      throw new PyExecutorError(
        "invalid_argument",
        `You have a session ${JSON.stringify(as)} already. Give the copy another name, or close that one first.`,
        { argument: "as" },
      );
    }
    const copy = this.#make(as);
    const endCopysTurn = await copy.take("alone", signal);
    try {
      const endTurn = await original.take("shared", signal);
      try {
        if (!original.hasBegun) throw this.missing(id);
        await original.forkInto(copy);
      } finally {
        endTurn();
      }
    } catch (error) {
      if (error instanceof PyExecutorError && error.code === "session_lost") this.noteTold(id);
      throw error;
    } finally {
      endCopysTurn();
      this.leave(copy);
    }
    return copy;
  }

  /** Ends a session, with all that runs in it. Throws as {@link find}. */
  end(id: string): void {
    const session = this.find(id);
    session.close("it was closed");
    this.noteTold(id);
  }

  /** What there is to say of each. */
  list(): Promise<SessionInfo[]> {
    return Promise.all([...this.#sessions.values()].map((session) => session.describe()));
  }

  /** The names of all that have a process. */
  get ids(): string[] {
    return [...this.#sessions].flatMap(([id, { hasBegun }]) => (hasBegun ? [id] : []));
  }

  /** Those that have ended without being asked for since. */
  get ended(): ReadonlyMap<string, Ending> {
    return this.#ended;
  }

  /** Ends all. May be called more than once. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions.values()) session.close("the client has gone");
    this.#ended.clear();
  }

  #make(id: string): Session {
    if (this.#isClosed) throw new PyExecutorError("closed", "The executor has been closed.");
    this.#tellEnd(id);
    const { maxSessions, idleMs } = this.#options;
    if (this.#sessions.size >= maxSessions) {
      const names = [...this.#sessions.keys()].join(", ");
      throw new PyExecutorError(
        "limit_exceeded",
        maxSessions === 0
          ? "This server has no sessions (--max-sessions 0). Leave `session` out. Nothing was run."
          : `You have ${maxSessions} sessions, which is the most (--max-sessions): ${names}. Close one with the session ` +
              "tool, or use one of them. Nothing was run.",
        { argument: "session" },
      );
    }
    const session: Session = new Session(id, {
      idleMs,
      onEnd: (ending) => this.#remember(session, ending),
    });
    this.#sessions.set(id, session);
    return session;
  }

  #remember(session: Session, ending: Ending): void {
    this.#sessions.delete(session.id);
    this.#ended.delete(session.id);
    this.#ended.set(session.id, ending);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_REMEMBERED && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** Throws if a session of this name has ended without anyone being told; the name is free after that. */
  #tellEnd(id: string): void {
    const ending = this.#ended.get(id);
    if (ending === undefined) return;
    this.#ended.delete(id);
    throw lostError(id, ending);
  }
}

function checkId(id: string, argument: string): void {
  if (ID.test(id)) return;
  const shown = JSON.stringify(id.length > MAX_SHOWN ? `${id.slice(0, MAX_SHOWN)}…` : id);
  throw new PyExecutorError(
    "invalid_argument",
    `\`${argument}\` is no name of a session: ${shown}. Use 1 to 64 letters (a to z), digits, "_", "-" and ".". Nothing was run.`,
    { argument },
  );
}

/** Whose sessions a request may name; without a store it may name none. */
export interface Client {
  sessions?: SessionStore | undefined;
}

/** Throws if there is none. */
export function storeOf({ sessions }: Client): SessionStore {
  if (sessions !== undefined) return sessions;
  throw new PyExecutorError(
    "invalid_argument",
    "There are no sessions here. Leave `session` out.",
    { argument: "session" },
  );
}
