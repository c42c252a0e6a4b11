// The engine's memory: chunks are written into it, and what comes of them is read out of it.

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
/** A batch's texts that go out as they came. */
export const TEXTS = 8;

/** What is used of a `WebAssembly.Memory`: not every project's types have that. */
interface Memory {
  readonly buffer: ArrayBuffer;
}

/**
 * Views of the memory, made anew when it has grown: {@link current} must be called after each call
 * into the engine, and nothing of this be kept across one.
 */
export class EngineMemory {
  readonly #memory: Memory;
  bytes: Uint8Array;
  units: Uint16Array;
  words: Uint32Array;

  constructor(memory: Memory) {
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
    return JSON.parse(readText(this.#bytes(address, length), !!ascii));
  }

  /** How long the next chunk may be. */
  room(head: number): number {
    return this.current().words[head + ROOM_LENGTH]!;
  }

  /** Writes a chunk where there is room for it. */
  write(head: number, chunk: Uint8Array): void {
    const { bytes, words } = this.current();
    bytes.set(chunk, words[head + ROOM]!);
  }

  /** The text at an address. */
  text(address: number, length: number): string {
    return readText(this.#bytes(address, length), false);
  }

  #bytes(address: number, length: number): Uint8Array {
    const start = address >>> 0;
    return this.current().bytes.subarray(start, start + length);
  }
}

/** Writes bytes to an address. */
export function writeBytes(memory: EngineMemory, address: number, bytes: Uint8Array): void {
  memory.current().bytes.set(bytes, address >>> 0);
}
