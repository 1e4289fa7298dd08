/** What sessions must contain, in a few lines: a model that real sessions are compared with. */

export const MAX_SESSIONS = 3;
/** How long a session of the model lives that isn't used, in milliseconds. */
export const IDLE_MS = 10_000;

/** A session has one variable, `x`. */
export interface ModelSession {
  x: number;
  runCount: number;
  usedAt: number;
}

/** What a call that names a session must come to, before any code runs. */
export type Entry =
  | { kind: "session"; session: ModelSession; isNew: boolean }
  | { kind: "refused"; code: "session_lost" | "limit_exceeded" | "invalid_argument" };

/** The sessions of one client. */
export class ModelClient {
  readonly sessions = new Map<string, ModelSession>();
  /** Ended ones that the client has not been told of. */
  readonly ended = new Set<string>();
  now = 0;

  /** For a call that makes the session if there is none. */
  enter(id: string): Entry {
    const session = this.sessions.get(id);
    if (session !== undefined) return this.#used(session, false);
    const refusal = this.#cannotMake(id);
    if (refusal !== undefined) return refusal;
    return this.#used(this.#make(id, { x: 0, runCount: 0 }), true);
  }

  /** For a call that needs the session to be there. */
  find(id: string): Entry {
    const session = this.sessions.get(id);
    if (session !== undefined) return this.#used(session, false);
    const code = this.ended.delete(id) ? "session_lost" : "invalid_argument";
    return { kind: "refused", code };
  }

  fork(id: string, as: string): Entry {
    const original = this.sessions.get(id);
    if (original === undefined) return this.find(id);
    if (this.sessions.has(as)) return { kind: "refused", code: "invalid_argument" };
    const refusal = this.#cannotMake(as);
    if (refusal !== undefined) return refusal;
    this.#used(original, false);
    return this.#used(this.#make(as, original), true);
  }

  /** The session is gone, and the client has not been told by an answer to a later call. */
  lose(id: string): void {
    this.sessions.delete(id);
    this.ended.add(id);
  }

  close(id: string): void {
    this.sessions.delete(id);
  }

  /** Lets time pass. */
  pass(milliseconds: number): void {
    this.now += milliseconds;
    for (const [id, { usedAt }] of this.sessions) {
      if (this.now - usedAt >= IDLE_MS) this.lose(id);
    }
  }

  #cannotMake(id: string): Entry | undefined {
    if (this.ended.delete(id)) return { kind: "refused", code: "session_lost" };
    if (this.sessions.size >= MAX_SESSIONS) return { kind: "refused", code: "limit_exceeded" };
    return undefined;
  }

  #make(id: string, { x, runCount }: Pick<ModelSession, "x" | "runCount">): ModelSession {
    const session = { x, runCount, usedAt: this.now };
    this.sessions.set(id, session);
    return session;
  }

  #used(session: ModelSession, isNew: boolean): Entry {
    session.usedAt = this.now;
    return { kind: "session", session, isNew };
  }
}
