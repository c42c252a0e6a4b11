/// <reference lib="esnext.disposable" preserve="true" />
// What `run.stream()` gives: a ReadableStream that is an async generator too.

/** Where a stream's values come from, a batch at a time. */
export interface BatchSource<T> {
  /** The next values, `undefined` at the end. Called again only when it has settled. */
  next(): Promise<T[] | undefined>;
  /** Stop: a pending {@link next} gives `undefined`, or fails with `reason`. */
  close(reason?: { error: unknown }): void;
  /** The resume token of who has read so many of what {@link next} gave last; all of it without a number. */
  token(read: number | undefined): string;
}

/** Lets go of what streams hold that nobody can read any more. */
const streams = new FinalizationRegistry<BatchSource<unknown>>((source) => source.close());

/**
 * A `ReadableStream` that can also be iterated by hand (`next()`, `return()`, `throw()`) and by
 * `for await`, in engines too whose streams cannot. Nothing is asked for before the first read;
 * leaving a loop, `return()` and `cancel()` close the connection.
 */
export class MessageStream<T> extends ReadableStream<T> implements AsyncGenerator<T, undefined, unknown> {
  readonly #source: BatchSource<T>;
  readonly #controller: ReadableStreamDefaultController<T>;
  #batch: T[] = [];
  #at = 0;
  /** The last of the calls of `next()` that have not settled; they settle in order. */
  #tail: Promise<IteratorResult<T, undefined>> | undefined;
  /** How many they are. */
  #waiting = 0;
  #done = false;
  #loading: Promise<void> | undefined;
  /** Where the reader was when it left. */
  #token: string | undefined;
  /** Set by the caller's abort: every later read fails with it. */
  #aborted: { reason: unknown } | undefined;
  /** The caller's signal until the first read: a stream that is never read leaves no listener on it. */
  #signal: AbortSignal | undefined;
  #forgetAbort: (() => void) | undefined;

  constructor(source: BatchSource<T>, signal?: AbortSignal | undefined) {
    let early: ReadableStreamDefaultController<T> | undefined;
    super(
      {
        start: (controller) => {
          early = controller;
        },
        pull: () => this.#fill(),
        cancel: () => this.#finish(),
      },
      { highWaterMark: 0 },
    );
    this.#source = source;
    this.#controller = early!;
    this.#signal = signal;
    if (signal?.aborted) this.#heed();
    streams.register(this, source);
  }

  /** The next message, or `done`. Calls may overlap: they are answered in order. */
  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#at < this.#batch.length && this.#waiting === 0 && !this.locked) {
      return Promise.resolve({ done: false, value: this.#batch[this.#at++]! });
    }
    this.#waiting++;
    const answer = () => this.#answer();
    const promise = this.#tail === undefined ? answer() : this.#tail.then(answer, answer);
    if (this.#waiting > 0) this.#tail = promise;
    return promise;
  }

  /**
   * Where the reader is, as text: `run.stream({ from })` or `openRunStream` goes on exactly after the
   * message that was read last, in this page or another. At most 4 kB.
   */
  get resumeToken(): string {
    return this.#token ?? this.#place();
  }

  #place(): string {
    // What waits in the stream's own queue has not been read.
    const queued = Math.max(0, -(this.#controller.desiredSize ?? 0));
    const read = this.#at - queued;
    return this.#source.token(read < this.#batch.length ? Math.max(0, read) : undefined);
  }

  /** The reader leaves, or is at the end: what it was told from may go then. */
  #keepPlace(): void {
    try {
      this.#token ??= this.#place();
    } catch {
      // The engine has crashed: who asks for the token is told so.
    }
  }

  /** Ends the iteration and closes the connection. */
  async return(): Promise<IteratorResult<T, undefined>> {
    this.#finish();
    this.#closeController();
    return { done: true, value: undefined };
  }

  /** Ends the iteration with an error, and closes the connection. */
  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    this.#finish();
    this.#closeController();
    throw error;
  }

  override [Symbol.asyncIterator](): this {
    return this;
  }

  /** Closes the connection, for `await using`. Only where the engine has `Symbol.asyncDispose`. */
  declare [Symbol.asyncDispose]: () => Promise<void>;

  /** The answer of a {@link next} that has to wait. */
  async #answer(): Promise<IteratorResult<T, undefined>> {
    try {
      if (this.#aborted) throw this.#aborted.reason;
      if (this.locked)
        throw new TypeError("The stream is locked by a reader: release it before calling next()");
      // What a reader had asked for and not read comes first.
      if ((this.#controller.desiredSize ?? 0) < 0) {
        const reader = this.getReader();
        try {
          const result = await reader.read();
          if (!result.done) return result;
        } finally {
          reader.releaseLock();
        }
      }
      // A reader that was taken meanwhile may have got what was waited for.
      while (this.#at >= this.#batch.length && !this.#done) await this.#load();
      if (this.#at < this.#batch.length) return { done: false, value: this.#batch[this.#at++]! };
      this.#closeController();
      return { done: true, value: undefined };
    } finally {
      // Before the caller learns of it: its next call is to find the quick way.
      this.#waiting--;
      if (this.#waiting === 0) this.#tail = undefined;
    }
  }

  /** Hands the next batch to the stream's own queue: called when a reader finds that empty. */
  async #fill(): Promise<void> {
    if (this.#at >= this.#batch.length) await this.#load();
    const { length } = this.#batch;
    if (this.#done && this.#at >= length) {
      this.#closeController();
      return;
    }
    while (this.#at < length) this.#controller.enqueue(this.#batch[this.#at++]!);
  }

  /** One at a time, whoever asks: a reader may be taken while a call of `next()` waits. */
  #load(): Promise<void> {
    this.#loading ??= this.#loadNext();
    return this.#loading;
  }

  async #loadNext(): Promise<void> {
    if (this.#done) return;
    this.#heed();
    if (this.#aborted) throw this.#aborted.reason;
    try {
      const batch = await this.#source.next();
      this.#batch = batch ?? [];
      this.#at = 0;
      if (!batch) this.#finish();
    } catch (error) {
      this.#finish();
      throw error;
    } finally {
      this.#loading = undefined;
    }
  }

  #finish(): void {
    this.#done = true;
    this.#keepPlace();
    this.#batch = [];
    this.#at = 0;
    this.#forgetAbort?.();
    this.#source.close();
  }

  #closeController(): void {
    try {
      this.#controller.close();
    } catch {
      // Closed, cancelled or errored before.
    }
  }

  #abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#keepPlace();
    this.#controller.error(reason);
    this.#source.close({ error: reason });
    this.#finish();
  }

  /** The caller's own abort is immediate: what was queued is dropped. */
  #heed(): void {
    const signal = this.#signal;
    if (!signal) return;
    this.#signal = undefined;
    // A signal outlives many streams: it must not be what keeps them.
    const self = new WeakRef(this);
    const abort = () => {
      const stream = self.deref();
      if (stream) stream.#abort(signal.reason);
    };
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    this.#forgetAbort = () => signal.removeEventListener("abort", abort);
  }
}

if (Symbol.asyncDispose) {
  Object.defineProperty(MessageStream.prototype, Symbol.asyncDispose, {
    configurable: true,
    writable: true,
    async value(this: MessageStream<unknown>) {
      await this.return();
    },
  });
}
