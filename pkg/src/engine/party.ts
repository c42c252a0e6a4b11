// A run or a stream of the engine's, and who is told what it has to say.

import { CALL, type Tell } from "./calls.js";
import type { Told } from "./host.js";
import type { Engine } from "./instance.js";

/** One run or stream, by its number. */
export class Party {
  readonly engine: Engine;
  readonly id: number;
  /** Where its numbers are, as a place in words. */
  readonly head: number;
  #isFree = false;

  constructor(engine: Engine, id: number, told: Told) {
    this.engine = engine;
    this.id = id;
    this.head = engine.places(id) >> 2;
    engine.host.add(id, told);
  }

  tell: Tell = (call, a = 0, b = 0, c = 0, d = 0) => this.engine.tell(this.id, call, a, b, c, d);

  room(length: number): void {
    this.tell(CALL.room, length);
  }

  /** Closes it and gives its number back. */
  free(): void {
    if (this.#isFree) return;
    this.#isFree = true;
    try {
      this.tell(CALL.close);
      this.engine.forget(this.id);
    } catch {
      // The engine has crashed: there is nothing left to free.
    }
    this.engine.host.remove(this.id);
  }
}
