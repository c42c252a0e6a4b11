// The events of a session as they are read: one buffer, whoever reads.

import type { SessionSource } from "./source.js";
import type { AgentEvent, AgentEvents } from "./types.js";

type Result = IteratorResult<AgentEvent, undefined>;

const DONE: Result = { done: true, value: undefined };

/** Reads a source only as far as somebody reads the events. */
export class SessionEvents implements AgentEvents {
  readonly #source: SessionSource;
  /** Of one prompt: who leaves a loop closes it. */
  readonly #isOneShot: boolean;
  #batch: AgentEvent[] = [];
  #at = 0;
  /** Told when what is in the buffer has been read. */
  #failure: { error: unknown } | undefined;
  #over = false;
  #reading = false;
  /** The last turn has failed: the SDK throws after that, too. */
  #failed = false;
  /** The caller's signal, until somebody reads: events that are never read leave no listener on it. */
  #signal: AbortSignal | undefined;
  #forgetSignal: (() => void) | undefined;
  readonly #waiting: { resolve(result: Result): void; reject(error: unknown): void }[] = [];

  constructor(source: SessionSource, isOneShot: boolean, signal?: AbortSignal | undefined) {
    this.#source = source;
    this.#isOneShot = isOneShot;
    this.#signal = signal;
    if (signal?.aborted) this.#abort(signal.reason);
  }

  next(): Promise<Result> {
    // Others that wait were first.
    if (this.#waiting.length === 0 && this.#at < this.#batch.length) return Promise.resolve(this.#take());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#heed();
      this.#read();
    });
  }

  async return(): Promise<Result> {
    if (this.#isOneShot) this.close();
    return DONE;
  }

  /** A loop of its own each time: where one stops, the next goes on. */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, undefined> {
    let left = false;
    return {
      next: () => (left ? Promise.resolve(DONE) : this.next()),
      return: () => {
        left = true;
        return this.return();
      },
    };
  }

  /** How many of what the source gave last have been read. */
  get read(): number {
    return this.#at;
  }

  /** No event is given any more. */
  close(): void {
    if (!this.#over) this.#source.close();
    this.#end();
  }

  /** The caller's own abort is immediate. */
  #heed(): void {
    const signal = this.#signal;
    this.#signal = undefined;
    if (!signal || this.#over) return;
    const abort = () => this.#abort(signal.reason);
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    this.#forgetSignal = () => signal.removeEventListener("abort", abort);
  }

  /** Whoever waits, or reads next, is told the reason; what can go on without a reader does. */
  #abort(reason: unknown): void {
    if (this.#over) return;
    this.#leave();
    this.#batch = [];
    this.#at = 0;
    this.#failure = { error: reason };
    this.#over = true;
    this.#settle();
  }

  #take(): Result {
    return { done: false, value: this.#batch[this.#at++]! };
  }

  #end(): void {
    this.#over = true;
    this.#batch = [];
    this.#at = 0;
    this.#failure = undefined;
    this.#settle();
  }

  /** Answers who waits, as far as that is possible. */
  #settle(): void {
    if (this.#over) this.#forgetSignal?.();
    while (this.#waiting.length > 0) {
      if (this.#at < this.#batch.length) this.#waiting.shift()!.resolve(this.#take());
      else if (this.#failure) {
        const { error } = this.#failure;
        // Once: after that it is over.
        this.#failure = undefined;
        this.#over = true;
        this.#waiting.shift()!.reject(error);
      } else if (this.#over) this.#waiting.shift()!.resolve(DONE);
      else return;
    }
  }

  async #read(): Promise<void> {
    // Also while a source that was left is still to answer.
    this.#settle();
    if (this.#reading) return;
    this.#reading = true;
    for (;;) {
      this.#settle();
      if (this.#waiting.length === 0 || this.#over) break;
      try {
        const batch = await this.#source.next();
        if (this.#over) break;
        if (!batch) {
          this.#over = true;
          continue;
        }
        const { events, failure } = batch;
        this.#batch = events;
        this.#at = 0;
        if (failure) this.#fail(failure);
        for (const event of events) if (event.type === "turn-end") this.#failed = event.failed;
      } catch (error) {
        if (this.#over) break;
        // The end of the turn has told it.
        if (this.#isOneShot && this.#failed) this.#over = true;
        else this.#fail(error);
      }
    }
    this.#reading = false;
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#leave();
  }

  /** A session that can go on without a reader is not ended with one that fails. */
  #leave(): void {
    if (this.#source.leave) this.#source.leave();
    else this.#source.close();
  }
}
