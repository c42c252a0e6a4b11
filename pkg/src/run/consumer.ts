// One reader of a run: what it has not read yet, and where it goes on.

import type { Line, LineStart, Position } from "./line.js";
import { Amounts, isTold, partsOf, Skipper, tokenAfter, tokenOf } from "./resume-token.js";
import type { RunWarning } from "../messages/types.js";
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
  readonly runId: string;
  warn(warning: RunWarning): void;
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
  /** The token that this reader was given. */
  readonly #given: string | undefined;
  /** What was read before that was taken, and is to be skipped. */
  // biome-ignore lint/suspicious/noExplicitAny: messages or frames, as its line was made
  #skipper: Skipper<any> | undefined;
  /** The status that was read before, until it has come again. */
  #told = "";
  /** Where what was read last began, if that was not where its hand-over did. */
  #before: string | undefined;

  constructor(keeper: LineKeeper, start: LineStart) {
    this.#keeper = keeper;
    this.start = start;
    if (start.token === undefined) return;
    const [token, amounts] = partsOf(start.token, keeper.runId);
    this.#given = start.token;
    this.start = { ...start, token };
    this.#told = amounts.status;
    if (!amounts.isNothing) this.#skipper = new Skipper(amounts);
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
    let batch: T[] | undefined = this.#told ? brought.filter((item) => !this.#isTold(item)) : brought;
    let before: string | undefined;
    if (this.#skipper) {
      batch = this.#skipper.take(batch);
      if (!batch) return;
      before = this.#skipped(batch);
    }
    // Nothing but warnings is nothing to hand over.
    if (batch.length === 0) return;
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      this.#position = undefined;
      this.#before = before;
      waiting.resolve(batch);
      return;
    }
    // The line goes on: where the reader is must be taken down now.
    this.#position ??= this.#placed(this.line!.positionBefore(), this.#before);
    this.#held.push({ batch, bytes, position: this.#placed(this.line!.position(), before) });
    this.#bytes += bytes;
    this.#messages += batch.length;
  }

  #isTold(item: T): boolean {
    // biome-ignore lint/suspicious/noExplicitAny: messages or frames, as its line was made
    const is = isTold(item as any, this.#told);
    return is;
  }

  /** Skipping is over: gives where this reader stands. */
  #skipped(batch: T[]): string | undefined {
    const isOther = this.#skipper!.isOther(batch);
    this.#skipper = undefined;
    if (!isOther) return this.#given;
    const message = "The service replays other messages: all are delivered again";
    this.#keeper.warn({ code: "replay_mismatch", message, lastEventId: "" });
    return undefined;
  }

  /** The resume token of who has read `items` of what was read last; all of it when there are none given. */
  token(items: T[] | undefined): string {
    const { before, after } = this.#place();
    if (!items) return after;
    // biome-ignore lint/suspicious/noExplicitAny: messages or frames, as its line was made
    return tokenAfter(before, items as any[], this.#keeper.runId);
  }

  #place(): Position {
    if (this.#position) return this.#position;
    if (this.line && !this.#skipper) return this.#placed(this.line.position(), this.#before);
    const given = this.#given ?? tokenOf("", new Amounts(), this.#keeper.runId);
    return { before: given, after: given };
  }

  #placed({ before, after }: Position, exact: string | undefined): Position {
    const amounts = new Amounts();
    amounts.status = this.#told;
    const token = (engine: string) => tokenOf(engine, amounts, this.#keeper.runId);
    return { before: exact ?? token(before), after: token(after) };
  }

  /** The line has come to its end; what is held is read first. */
  end(failure?: { error: unknown }): void {
    if (this.line && this.#skipper) {
      // It ended before all that was to be skipped had come.
      const all = this.#skipper.all();
      this.#skipped(all);
      this.push(all, 0);
    }
    if (this.line) this.#position ??= this.#placed(this.line.position(), this.#before);
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
