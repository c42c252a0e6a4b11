// The sessions of a host: whose they are, and how many.

import { Refusal } from "./answers.js";
import type { Limits } from "./options.js";
import type { Session } from "./session.js";
import { after } from "./timers.js";

/** Seconds after which to try again where there is no room. */
const RETRY_AFTER = "10";

interface Entry {
  session: Session;
  /** Under what it was asked for. */
  key: string;
  forgetLater: () => void;
}

export class Sessions {
  readonly #limits: Pick<Limits, "maxSessions" | "keepMs">;
  /** In the order in which they began. */
  readonly #entries = new Map<string, Entry>();
  /** By user and client id, also while they are being started. */
  readonly #asked = new Map<string, Promise<Session>>();
  #starting = 0;
  #isClosed = false;

  constructor(limits: Pick<Limits, "maxSessions" | "keepMs">) {
    this.#limits = limits;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  *[Symbol.iterator](): Generator<Session> {
    for (const { session } of this.#entries.values()) yield session;
  }

  /** A user's session: those of others are as if they were not. */
  find(id: string, user: string | undefined): Session {
    const session = this.#entries.get(id)?.session;
    if (session && session.user === user) return session;
    throw new Refusal(404, "session_not_found", "There is no such session");
  }

  /**
   * The session that the user has asked for under the client id. If it is the first time, `prepare` gets ready what
   * may take a while and gives a function that begins it.
   */
  async open(
    user: string | undefined,
    clientId: string,
    prepare: () => Promise<() => Session>,
  ): Promise<{ session: Session; isNew: boolean }> {
    const key = JSON.stringify([user ?? null, clientId]);
    const known = this.#asked.get(key);
    if (known) return { session: await known, isNew: false };
    this.#makeRoom();
    const starting = this.#start(key, prepare);
    this.#asked.set(key, starting);
    // What has failed may be asked for again.
    starting.catch(() => this.#asked.delete(key));
    return { session: await starting, isNew: true };
  }

  async #start(key: string, prepare: () => Promise<() => Session>): Promise<Session> {
    this.#starting++;
    try {
      const begin = await prepare();
      if (this.#isClosed) throw hostClosed();
      const session = begin();
      const entry: Entry = { session, key, forgetLater: () => {} };
      this.#entries.set(session.id, entry);
      session.onOver(() => {
        entry.forgetLater = after(this.#limits.keepMs, () => this.#forget(session.id));
      });
      return session;
    } finally {
      this.#starting--;
    }
  }

  #makeRoom(): void {
    const { maxSessions } = this.#limits;
    if (this.#entries.size + this.#starting < maxSessions) return;
    const over = [...this].find(({ isOver }) => isOver);
    if (over) {
      this.#forget(over.id);
      return;
    }
    throw new Refusal(503, "too_many_sessions", `There are ${maxSessions} sessions, and no room for more`, {
      "retry-after": RETRY_AFTER,
    });
  }

  #forget(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.forgetLater();
    this.#entries.delete(id);
    this.#asked.delete(entry.key);
  }

  /** Closes all of them, and has none from then on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const sessions = [...this];
    const closed = sessions.map((session) => session.closed());
    for (const { id } of sessions) this.#forget(id);
    await Promise.all(closed);
  }
}

export function hostClosed(): Refusal {
  return new Refusal(503, "host_closed", "The host has been closed");
}
