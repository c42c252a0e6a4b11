// Callbacks of the user's, told of changes.

import { guard } from "../messages/decoder.js";
import type { RunWarning } from "../messages/types.js";

/** Who is told of changes of one kind. */
export class Listeners<T> {
  readonly #warn: (warning: RunWarning) => void;
  readonly #all = new Set<{ listener: (value: T) => void }>();

  constructor(warn: (warning: RunWarning) => void) {
    this.#warn = warn;
  }

  /** Adds one, also a second time; the function that is given back takes it away and says whether it was there. */
  add(listener: (value: T) => void): () => boolean {
    const entry = { listener };
    this.#all.add(entry);
    return () => this.#all.delete(entry);
  }

  /** Tells all who are there now, unless one takes another away; one that throws harms nobody. */
  tell(value: T): void {
    for (const entry of [...this.#all]) {
      if (!this.#all.has(entry)) continue;
      guard(
        () => entry.listener(value),
        (error) =>
          this.#warn({ code: "listener_threw", message: "A listener threw; it stays registered", error }),
      );
    }
  }
}
