// One reader of a run: what it has not read yet, and where it goes on.

import { placeAfter } from "../messages/build.js";
import type { Line, LineStart, Place } from "./line.js";
import type { BatchSource } from "./stream.js";

/** How far readers of one line may be apart, in bytes of the stream and in messages. */
const WINDOW_BYTES = 1024 * 1024;
const WINDOW_MESSAGES = 4096;

interface Held<T> {
  batch: T[];
  bytes: number;
  place: Place;
}

/** Whose lines a consumer reads. */
export interface LineKeeper {
  /** Gives the consumer a line, or ends it. */
  start(consumer: Consumer): void;
  /** Somebody reads, or has stopped. */
  drive(): void;
  leave(consumer: Consumer): void;
}

/** Gives what a line brings, at its own pace. */
// biome-ignore lint/suspicious/noExplicitAny: messages or frames, as its line was made
export class Consumer<T = any> implements BatchSource<T> {
  readonly #keeper: LineKeeper;
  /** Where its line begins. */
  readonly start: LineStart;
  line: Line | undefined;
  #held: Held<T>[] = [];
  #bytes = 0;
  #messages = 0;
  #waiting: { resolve(batch: T[] | undefined): void; reject(error: unknown): void } | undefined;
  #ended: { failure?: { error: unknown } | undefined } | undefined;
  /** Of what was read last. */
  #place: Place = { start: 0, end: 0, skipped: [] };

  constructor(keeper: LineKeeper, start: LineStart) {
    this.#keeper = keeper;
    this.start = start;
  }

  /** It waits for messages. */
  get waits(): boolean {
    return this.#waiting !== undefined;
  }

  /** It holds as much as it may while others read on. */
  get isFull(): boolean {
    return this.#bytes > WINDOW_BYTES || this.#messages > WINDOW_MESSAGES;
  }

  /** From where on its places may be asked for. */
  get place(): number {
    return this.waits ? this.#place.end : this.#place.start;
  }

  /** The next messages, `undefined` at the end. One call at a time. */
  next(): Promise<T[] | undefined> {
    const held = this.#held.shift();
    if (held) {
      this.#bytes -= held.bytes;
      this.#messages -= held.batch.length;
      this.#place = held.place;
      // Others may have waited for the room.
      this.#keeper.drive();
      return Promise.resolve(held.batch);
    }
    if (this.#ended) {
      const { failure } = this.#ended;
      this.#ended = {};
      return failure ? Promise.reject(failure.error) : Promise.resolve(undefined);
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.line) this.line.pull();
      else this.#keeper.start(this);
    });
  }

  /** What the line has brought. */
  push(batch: T[], bytes: number, place: Place): void {
    const waiting = this.#waiting;
    if (batch.length === 0) {
      // Nothing but warnings is nothing to hand over.
      if (waiting) this.#place = { ...place, start: place.end };
    } else if (waiting) {
      this.#waiting = undefined;
      this.#place = place;
      waiting.resolve(batch);
    } else {
      this.#held.push({ batch, bytes, place });
      this.#bytes += bytes;
      this.#messages += batch.length;
    }
  }

  /** The resume token of who has read so many of what was read last; all of it without a number. */
  token(read: number | undefined): string {
    // The empty one is that of the start.
    if (!this.line) return this.start.token ?? "";
    const { start, end, skipped } = this.#place;
    return this.line.token(read === undefined ? end : start + placeAfter(read, skipped));
  }

  /** The line has come to its end; what is held is read first. */
  end(failure?: { error: unknown }): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#ended = waiting ? {} : { failure };
    if (failure) waiting?.reject(failure.error);
    else waiting?.resolve(undefined);
  }

  /** Nobody reads any more. A pending {@link next} gives `undefined`, or `reason` as its error. */
  close(reason?: { error: unknown }): void {
    this.#keeper.leave(this);
    if (!this.#ended) this.end(reason);
    this.#ended = {};
    this.#held = [];
  }
}
