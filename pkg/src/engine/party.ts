// A run, a stream or a decoder of the engine's, and who is told what it has to say.

import { CLOSE, ROOM } from "./calls.js";
import type { Told } from "./host.js";
import type { Engine } from "./instance.js";
import { writeBytes } from "./memory.js";

/** Frees what belongs to objects that nobody has any more. */
const owners = new FinalizationRegistry<Party>((party) => party.free());

/** Something of the engine's, by its number. */
export class Party {
  readonly engine: Engine;
  readonly id: number;
  /** Where its numbers are, as a place in words. */
  readonly head: number;
  #isFree = false;

  /** @param kind see calls.ts; `of` is the run or stream that it belongs to, or a decoder's `maxEventBytes` */
  constructor(engine: Engine, kind: number, of: number, told?: Told) {
    this.engine = engine;
    this.id = engine.make(kind, of);
    this.head = engine.places(this.id) >>> 2;
    if (told) engine.host.add(this.id, told);
  }

  /** Says something: a number of calls.ts and what belongs to it. */
  tell(call: number, a = 0, b = 0, c = 0, d = 0): number {
    return this.engine.tell(this.id, call, a, b, c, d);
  }

  /** Says something about a text, or about bytes. */
  tellOf(text: string | Uint8Array, call: number, a = 0, b = 0, c = 0, d = 0): number {
    scratch(this.engine, text);
    return this.tell(call, a, b, c, d);
  }

  /** Writes a chunk where it is wanted. */
  write(chunk: Uint8Array): void {
    const { memory } = this.engine;
    if (memory.room(this.head) < chunk.length) this.tell(ROOM, chunk.length);
    memory.write(this.head, chunk);
  }

  /** Is freed when `owner` is collected, at the latest. */
  belongsTo(owner: object): this {
    owners.register(owner, this);
    return this;
  }

  /** It lets go of its connection, and does nothing more by itself. */
  close(): void {
    try {
      this.tell(CLOSE);
    } catch {
      // The engine has crashed: there is nothing left to close.
    }
  }

  /** Closes it and gives its number back. */
  free(): void {
    if (this.#isFree) return;
    this.#isFree = true;
    this.close();
    try {
      this.engine.forget(this.id);
    } catch {
      // The engine has crashed: there is nothing left to free.
    }
    this.engine.host.remove(this.id);
  }
}

const encoder = new TextEncoder();

/** Puts a text or bytes where the engine's next call finds them. */
export function scratch(engine: Engine, text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  writeBytes(engine.memory, engine.scratch(bytes.length), bytes);
}
