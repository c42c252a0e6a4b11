// What the facade does for the engine: see src/js/host.rs. Who is meant is a number; nothing here throws.

import type { EngineMemory } from "./memory.js";

/** What the engine tells, by its number; the order of `News` in src/js/host.rs. */
export const NEWS = [
  "end",
  "fail",
  "reason",
  "changed",
  "settled",
  "lost",
  "cancelled",
  "notCancelled",
  "token",
  "look",
] as const;

export type News = (typeof NEWS)[number];

/** What the engine knows by a number: a run's handle, a stream, or a call. */
export interface Told {
  batch?(count: number): void;
  read?(): void;
  link?(state: number, attempt: number, delayMs: number): void;
  // biome-ignore lint/suspicious/noExplicitAny: the engine has written it
  news(what: News, news: any[]): void;
  request(ask: number, path: string, lastEventId: string | undefined): void;
  disconnect(): void;
  /** `time()` of the engine's object is due. */
  time(): void;
  /** The engine called, and what it called has thrown. */
  fail(error: unknown): void;
}

/** The functions that an instance of the engine imports, and who is behind its numbers. */
export class EngineHost {
  memory: EngineMemory | undefined;
  readonly #told = new Map<number, Told>();
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  add(id: number, told: Told): void {
    this.#told.set(id, told);
  }

  remove(id: number): void {
    this.#told.delete(id);
    this.alarm(id, Number.POSITIVE_INFINITY);
  }

  batch = (id: number, count: number): void => this.#tell(id, (told) => told.batch?.(count));
  read = (id: number): void => this.#tell(id, (told) => told.read?.());
  link = (id: number, state: number, attempt: number, delay: number): void =>
    this.#tell(id, (told) => told.link?.(state, attempt, delay));
  news = (id: number, what: number, address: number, length: number, ascii: number): void =>
    this.#tell(id, (told) =>
      told.news(NEWS[what]!, length === 0 ? [] : this.memory!.json(address, length, ascii)),
    );
  request = (id: number, ask: number, path: number, length: number, lastId: number, idLength: number): void =>
    this.#tell(id, (told) => {
      const { memory } = this;
      const lastEventId = lastId === 0 ? undefined : memory!.text(lastId, idLength);
      told.request(ask, memory!.text(path, length), lastEventId);
    });
  disconnect = (id: number): void => this.#tell(id, (told) => told.disconnect());
  alarm = (id: number, delay: number): void => {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    if (delay === Number.POSITIVE_INFINITY) return;
    // A longer one would fire at once; this one is set again when it rings.
    const ms = Math.min(Math.ceil(delay), 0x7fffffff);
    this.#timers.set(
      id,
      setTimeout(() => this.#tell(id, (told) => told.time()), ms),
    );
  };

  #tell(id: number, what: (told: Told) => void): void {
    const told = this.#told.get(id);
    if (!told) return;
    try {
      what(told);
    } catch (error) {
      told.fail(error);
    }
  }
}
