// One reader of a run: what it has not read yet, and where it goes on.

import type { Line, LineStart, Position } from "./line.js";
import { type Amounts, addAmounts, isNothing, partsOf, skip } from "./resume-token.js";
import type { BatchSource } from "./stream.js";

/** How far readers of one line may be apart, in bytes of the stream and in messages. */
const WINDOW_BYTES = 1024 * 1024;
const WINDOW_MESSAGES = 4096;

interface Held<T> {
  batch: T[];
  bytes: number;
  /** Where the line was before and after it. */
  position: Position;
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
  /** Where its line begins; another line when it goes on alone. */
  start: LineStart;
  line: Line | undefined;
  #held: Held<T>[] = [];
  #bytes = 0;
  #messages = 0;
  #waiting: { resolve(batch: T[] | undefined): void; reject(error: unknown): void } | undefined;
  #ended: { failure?: { error: unknown } | undefined } | undefined;
  /** Around what was read last, when the line has gone on since. */
  #position: Position | undefined;
  /** What is to be skipped: it was read before the token was taken. */
  #skip: Amounts | undefined;
  /** What there was to skip before what was read last. */
  #skipped: Amounts | undefined;

  constructor(keeper: LineKeeper, start: LineStart) {
    this.#keeper = keeper;
    this.start = start;
    if (start.token !== undefined) {
      const [token, amounts] = partsOf(start.token);
      this.start = { ...start, token };
      this.#skip = amounts;
      this.#skipped = amounts && structuredClone(amounts);
    }
  }

  /** It waits for messages. */
  get waits(): boolean {
    return this.#waiting !== undefined;
  }

  /** It holds as much as it may while others read on. */
  get isFull(): boolean {
    return this.#bytes > WINDOW_BYTES || this.#messages > WINDOW_MESSAGES;
  }

  /** The next messages, `undefined` at the end. One call at a time. */
  next(): Promise<T[] | undefined> {
    const held = this.#held.shift();
    if (held) {
      this.#bytes -= held.bytes;
      this.#messages -= held.batch.length;
      this.#position = held.position;
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
  push(brought: T[], bytes: number): void {
    const toSkip = this.#skip && structuredClone(this.#skip);
    // biome-ignore lint/suspicious/noExplicitAny: messages or frames, as its line was made
    const batch = this.#skip ? (skip(brought as any[], this.#skip) as T[]) : brought;
    if (this.#skip && isNothing(this.#skip)) this.#skip = undefined;
    // Nothing but warnings is nothing to hand over.
    if (batch.length === 0) return;
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      this.#position = undefined;
      this.#skipped = toSkip;
      waiting.resolve(batch);
      return;
    }
    // The line goes on: where the reader is must be taken down now.
    this.#position ??= this.#placed(this.line!.positionBefore(), this.#skipped);
    this.#held.push({ batch, bytes, position: this.#placed(this.line!.position(), toSkip) });
    this.#bytes += bytes;
    this.#messages += batch.length;
  }

  /** Where the reader was before the batch that it read last, and where it is when it has read that. */
  position(): Position {
    const { start } = this;
    const given = start.token ?? "";
    return (
      this.#position ?? this.#placed(this.line?.position() ?? { before: given, after: given }, this.#skipped)
    );
  }

  #placed({ before, after }: Position, skipped: Amounts | undefined): Position {
    return { before: addAmounts(before, skipped), after: addAmounts(after, this.#skip) };
  }

  /** The line has come to its end; what is held is read first. */
  end(failure?: { error: unknown }): void {
    if (this.line) this.#position ??= this.#placed(this.line.position(), this.#skipped);
    this.line = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#ended = waiting ? {} : { failure };
    if (failure) waiting?.reject(failure.error);
    else waiting?.resolve(undefined);
  }

  /** Nobody reads any more. A pending {@link next} gives `undefined`, or `reason` as its error. */
  close(reason?: { error: unknown }): void {
    if (!this.#ended) {
      this.#keeper.leave(this);
      this.end(reason);
    }
    this.#ended = {};
    this.#held = [];
  }
}
