// The engine's memory: chunks are written into it, and what comes of them is read out of it.

import { CALL, type Tell } from "./calls.js";
import { readText } from "./text.js";

// Where the numbers are that a call leaves behind: places of 32-bit words from the address that
// `head()` gives. The order is that of `Head` in src/js/head.rs.

/** Where the next chunk is to be written, and how long it may be. */
const ROOM = 0;
const ROOM_LENGTH = 1;
/** Not 0 when an event was too large. */
export const FAILED = 2;
/** A batch's words, or the table of events. */
export const WORDS = 3;
/** A batch's short strings. */
export const SHORTS = 4;
/** A batch's JSON, or the text of events. */
export const TEXT = 5;
export const TEXT_LENGTH = 6;
/** Not 0 when the JSON is all ASCII. */
export const TEXT_ASCII = 7;

/**
 * Views of the memory, made anew when it has grown: {@link current} must be called after each call
 * into the engine, and nothing of this be kept across one.
 */
export class EngineMemory {
  readonly #memory: WebAssembly.Memory;
  bytes: Uint8Array;
  units: Uint16Array;
  words: Uint32Array;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    const { buffer } = memory;
    this.bytes = new Uint8Array(buffer);
    this.units = new Uint16Array(buffer);
    this.words = new Uint32Array(buffer);
  }

  current(): this {
    // A memory that grows leaves its old buffer empty.
    if (this.bytes.length === 0) {
      const { buffer } = this.#memory;
      this.bytes = new Uint8Array(buffer);
      this.units = new Uint16Array(buffer);
      this.words = new Uint32Array(buffer);
    }
    return this;
  }

  /** Parses JSON that lies in the memory. */
  // biome-ignore lint/suspicious/noExplicitAny: the engine has written it
  json(address: number, length: number, ascii: unknown): any {
    return JSON.parse(readText(this.current().bytes.subarray(address, address + length), !!ascii));
  }
}

/** Writes what an answer says where the engine wants it. */
export function writeScratch(
  memory: EngineMemory,
  { tell, head }: { tell: Tell; head: number },
  bytes: Uint8Array,
): void {
  tell(CALL.scratch, bytes.length);
  const { words } = memory.current();
  memory.bytes.set(bytes, words[head + ROOM]!);
}

/** What takes chunks: a decoder or a stream of the engine's. */
export interface ChunkTaker {
  room(length: number): void;
}

/** Writes a chunk where the engine wants it; `head` is a place in words. */
export function writeChunk(memory: EngineMemory, taker: ChunkTaker, head: number, chunk: Uint8Array): void {
  const { length } = chunk;
  let { words } = memory.current();
  if (words[head + ROOM_LENGTH]! < length) {
    taker.room(length);
    ({ words } = memory.current());
  }
  memory.bytes.set(chunk, words[head + ROOM]!);
}
