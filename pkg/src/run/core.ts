// What the handle of a run and its streams share: the engine's handle, the lines, who waits and listens.

import { agentPath } from "../api/call.js";
import { CANCEL, NO_STREAM, OBSERVE, ONLINE, RECORD, RUN, STALLED, TIME } from "../engine/calls.js";
import type { News, Told } from "../engine/host.js";
import { engine as engineNow, ready } from "../engine/instance.js";
import { Party, scratch } from "../engine/party.js";
import type { Progress } from "../conversation/deliver.js";
import { type ExpiryDetails, errorOf, StreamExpiredError } from "../errors/api.js";
import type { RunwireError } from "../errors/base.js";
import type { RunWarning } from "../messages/types.js";
import { NO_TURNS, type Tally } from "../messages/usage.js";
import { Consumer } from "./consumer.js";
import { Exchange, requestOf } from "./exchange.js";
import { engineOptions, type FollowOptions, setOptions } from "./follow-options.js";
import { CLOSED, type ConnectionInfo, Line } from "./line.js";
import { Shared } from "./shared.js";
import { type RequestOptions, type Transport, transportOf, unlessAborted } from "./transport.js";
import { isOnline, lookAtPlatform, watchPlatform } from "./waking.js";

/** The engine that is used, and the run in it. */
export interface Bound {
  party: Party;
  transport: Transport;
  exchange: Exchange;
  release: () => void;
}

/** Who hears of the run itself. Failures come as errors. */
export interface RunListener {
  /** The run's state has changed, or its outcome is complete: `Outcome::encode` in src/cloud/outcome.rs. */
  outcome(outcome: unknown[]): void;
  /** The connection has changed. */
  link(info: ConnectionInfo): void;
}

export interface CoreOptions extends RequestOptions, FollowOptions {
  agentId: string;
  runId: string;
  warn: (warning: RunWarning) => void;
  /** It is the service that says that there is such a run: its id may be of any form. */
  known?: boolean;
  /** Where it lies, in place of the ids: something else that is followed as a run is. */
  place?: string;
}

/** One run, for its handle and its streams. */
export class RunCore implements Told {
  readonly agentId: string;
  readonly runId: string;
  readonly warn: (warning: RunWarning) => void;
  readonly #options: CoreOptions;
  readonly #listener: RunListener | undefined;
  readonly #numbers: (number | undefined)[];
  /** The path: what is asked for lies there or below. */
  readonly #place: string;
  #bound: Bound | undefined;
  /** The lines in use; the first is the one that is told about. */
  readonly #lines = new Set<Line>();
  #forgetPlatform: (() => void) | undefined;
  /** How many wait or listen. */
  #observers = 0;
  /** They have been told that the run cannot be observed: who comes next tries anew. */
  #lost = false;
  /** No line can tell how the run goes on: the engine asks for its record. */
  #streamless = false;
  #stalled = false;
  /** The run is over, as far as is known. */
  #over = false;
  #settled = false;
  #abandoned = false;
  #info = CLOSED;
  readonly #outcome = new Shared<void>();
  readonly #cancelled = new Shared<void>();
  /** Somebody has asked for it to be cancelled. */
  cancelled = false;
  /** Why no stream can be read any more. */
  expired: Error | undefined;
  /** What turns have used, as far as a line has come that began at the run's start. */
  tally = NO_TURNS;
  /** Of `onDelta` and `onStep`, where there are any. */
  callbacks: Progress | undefined;

  constructor(options: CoreOptions, listener?: RunListener) {
    this.#options = options;
    this.agentId = options.agentId;
    this.runId = options.runId;
    this.warn = options.warn;
    this.#listener = listener;
    // What is wrong with the options is said here, not when the stream is read.
    this.#numbers = engineOptions(options);
    this.#place = options.place ?? `${agentPath(this.agentId)}/runs/${encodeURIComponent(this.runId)}`;
  }

  /** The run's record, as the service gave it: the run may be over. The engine must be loaded. */
  tellRecord(record: string): void {
    this.#with(({ party }) => party.tellOf(record, RECORD));
  }

  /** Settles when the run is over and its outcome has been told, or cannot be observed, or with the signal's reason. */
  async settled(signal?: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#settled) return;
    this.observe();
    try {
      await unlessAborted(
        this.#outcome.get(() => {}),
        signal,
      );
    } finally {
      this.unobserve();
    }
  }

  async cancel(): Promise<void> {
    this.cancelled = true;
    await ready();
    try {
      await this.#cancelled.get(() => this.#with((bound) => this.#ask(bound, CANCEL)));
    } finally {
      this.#heed();
      this.#releaseIfIdle();
    }
  }

  /** Somebody waits or listens from now on. */
  observe(): void {
    const observed = this.#observers++ > 0;
    if ((observed && !this.#lost) || this.#settled) return;
    this.#lost = false;
    ready().then(
      () => {
        if (this.#observers === 0) return;
        this.#streamless = false;
        this.#with((bound) => {
          this.#ask(bound, OBSERVE, 1);
          if (this.expired) {
            this.#streamless = true;
            bound.party.tell(NO_STREAM);
          }
          this.drive();
        });
      },
      (error: unknown) => this.#outcome.reject(error),
    );
  }

  unobserve(): void {
    // They have been let go of.
    if (this.#observers === 0 || --this.#observers > 0) return;
    if (this.#bound) this.#with(({ party }) => party.tell(OBSERVE));
    this.drive();
    this.#heed();
    this.#releaseIfIdle();
  }

  /** Somebody waits or listens. */
  get isObserved(): boolean {
    return this.#observers > 0;
  }

  /** How the connection is. */
  get info(): ConnectionInfo {
    return this.#info;
  }

  /** A consumer of the whole run, or of what comes after a token. */
  consumer(start: Consumer["start"] = {}): Consumer {
    return new Consumer(this, start);
  }

  start(consumer: Consumer): void {
    const fail = (error: unknown) => {
      if (consumer.waits) consumer.end({ error });
    };
    ready().then(() => {
      if (this.expired) fail(this.expired);
      else if (consumer.waits) this.#with((bound) => this.#join(consumer, bound), fail);
    }, fail);
  }

  #join(consumer: Consumer, bound: Bound): void {
    const { start } = consumer;
    const plain = start.token === undefined && !start.build;
    let line = plain ? [...this.#lines].find((line) => !line.started && line.isPlain) : undefined;
    if (!line) {
      try {
        line = new Line(this, bound, start);
      } catch (error) {
        consumer.end({ error });
        return;
      }
      this.#add(line);
    }
    line.consumers.add(consumer);
    consumer.line = line;
    line.pull();
    this.drive();
  }

  #add(line: Line): void {
    this.#lines.add(line);
    this.#streamless = false;
    this.#heed();
    lookAtPlatform(line);
  }

  /** Says what the engine may ask the service for, which it does only where that can work. */
  #ask({ party }: Bound, call: number, a?: number): void {
    this.#heed();
    party.tell(ONLINE, isOnline() ? 1 : 0);
    party.tell(call, a);
  }

  /** Hears of the platform while something may be asked for, and then no longer. */
  #heed(): void {
    const observed = this.#observers > 0 && !this.#settled;
    if (this.#lines.size === 0 && !observed && !this.#cancelled.pending) {
      this.#forgetPlatform?.();
      this.#forgetPlatform = undefined;
      return;
    }
    this.#forgetPlatform ??= watchPlatform({
      wake: () => this.#each((line) => line.wake()),
      online: (online) => {
        this.#each((line) => line.online(online));
        if (this.#bound) this.#with(({ party }) => party.tell(ONLINE, online ? 1 : 0));
      },
      visible: (visible) => this.#each((line) => line.visible(visible)),
    });
  }

  #each(what: (line: Line) => void): void {
    for (const line of [...this.#lines]) what(line);
  }

  leave(consumer: Consumer): void {
    if (consumer.line?.leave(consumer)) this.drive();
  }

  /** A line has let go of its connection. */
  left(line: Line): void {
    this.#lines.delete(line);
    this.#heed();
    this.linked();
    // Perhaps it is the engine that calls: nothing is freed under it.
    queueMicrotask(() => this.#releaseIfIdle());
  }

  /** A line is at its end: another would only show the same. */
  ended(failure?: { error: unknown }): void {
    if (failure?.error instanceof StreamExpiredError) this.expired ??= failure.error;
    if (this.#lines.size === 0) this.#streamless = true;
    this.drive();
  }

  /** Sees to it that what is read comes on, and that who waits or listens is told. */
  drive(): void {
    const lines = [...this.#lines];
    for (const line of lines) {
      for (const consumer of line.consumers) {
        // One that lags while others read on goes on alone, from where it is.
        if (consumer.isFull && line.consumers.size > 1) this.#detach(consumer, line);
      }
    }
    for (const line of lines) {
      if ([...line.consumers].some((consumer) => consumer.waits)) line.pull();
    }
    this.#observeLines();
  }

  /** Who waits or listens reads along on a line that others read, or on one of their own. */
  #observeLines(): void {
    const bound = this.#bound;
    const idle = [...this.#lines].filter((line) => line.consumers.size === 0);
    if (!bound || this.#observers === 0 || this.#settled) {
      for (const line of idle) line.close();
      return;
    }
    const read = [...this.#lines].filter((line) => line.consumers.size > 0);
    if (read.length > 0) for (const line of idle) line.close();
    if (this.#lines.size === 0) {
      if (this.#streamless || this.#over) return;
      this.#add(new Line(this, bound, {}));
    }
    const line = [...this.#lines].find((line) => ![...line.consumers].some((consumer) => consumer.isFull));
    line?.pull();
    this.#setStalled(!line);
  }

  #setStalled(stalled: boolean): void {
    if (stalled === this.#stalled) return;
    this.#stalled = stalled;
    this.#with(({ party }) => party.tell(STALLED, stalled ? 1 : 0));
  }

  #detach(consumer: Consumer, line: Line): void {
    line.consumers.delete(consumer);
    this.#with((bound) => {
      const own = new Line(this, bound, { build: consumer.start.build }, line);
      consumer.line = own;
      own.consumers.add(consumer);
      this.#add(own);
    });
  }

  /** A line has come so far. */
  used(tally: Tally): void {
    if (tally.turns > this.tally.turns) this.tally = tally;
  }

  /** Something changed about a line's connection. */
  linked(): void {
    const [first] = this.#lines;
    const info = first?.info ?? CLOSED;
    const { state, attempt, reason } = this.#info;
    if (info === this.#info) return;
    this.#info = info;
    if (info.state !== state || info.attempt !== attempt || info.reason !== reason) {
      this.#listener?.link(info);
    }
  }

  /** The error of a failure of a stream's. */
  streamError(failure: unknown[], cause: unknown, expiry: ExpiryDetails): RunwireError {
    const operation = this.#options.place ? "runQuery" : "run.stream";
    return this.#error(failure, cause, operation, "/stream", "GET", expiry);
  }

  #error(
    failure: unknown[],
    cause: unknown,
    operation: string,
    end = "",
    method = "GET",
    expiry?: ExpiryDetails,
  ): RunwireError {
    const endpoint = `${method} ${this.#place}${end}`;
    const redact = (text: string) => this.#bound?.transport.redact(text) ?? text;
    return errorOf(failure, cause, { endpoint, operation, maxEventBytes: this.#numbers[0], redact, expiry });
  }

  /** Calls into the engine; the first time, or after it has crashed, into a new handle. */
  #with(what: (bound: Bound) => void, failed?: (error: unknown) => void): void {
    try {
      what(this.#bind());
    } catch (error) {
      this.fail(error);
      failed?.(error);
    }
  }

  #bind(): Bound {
    const engine = engineNow();
    if (this.#bound?.party.engine === engine) return this.#bound;
    this.#bound?.release();
    const transport = transportOf(this.#options);
    const { known, place } = this.#options;
    // An empty id is as wrong as any other.
    const ids = known || place ? "\n" : `${this.agentId || "-"}\n${this.runId || "-"}`;
    scratch(engine, `${this.#place}\n${ids}`);
    const party = new Party(engine, RUN, 0, this);
    setOptions(party, transport.renewable, this.#numbers);
    const exchange = new Exchange(party, transport, (error) => this.fail(error));
    const forgetCrash = engine.onCrash((error) => this.fail(error));
    const release = () => {
      forgetCrash();
      exchange.disconnect();
      party.free();
    };
    this.#bound = { party, transport, exchange, release };
    return this.#bound;
  }

  /** The engine has crashed. */
  fail(error: unknown): void {
    this.#bound?.release();
    this.#bound = undefined;
    this.#each((line) => line.fail(error));
    this.#lost = true;
    for (const shared of [this.#outcome, this.#cancelled]) shared.reject(error);
  }

  request(ask: number, path: string): void {
    this.#bound?.exchange.send(requestOf(ask, path));
  }

  disconnect(): void {
    this.#bound?.exchange.disconnect();
  }

  time(): void {
    if (this.#bound) this.#with(({ party }) => party.tell(TIME));
  }

  /** Called by the engine, in the middle of a call into it. */
  news(what: News, news: unknown[]): void {
    const cause = this.#bound?.exchange.cause;
    switch (what) {
      case "changed":
        this.#over = true;
        this.#listener?.outcome(news);
        break;
      case "settled":
        if (!this.#settled) {
          this.#over = true;
          this.#settled = true;
          this.#listener?.outcome(news);
        }
        this.#outcome.resolve();
        this.drive();
        this.#heed();
        break;
      case "lost":
        this.#lost = true;
        this.#outcome.reject(this.#error(news, cause, "run.wait"));
        break;
      case "cancelled":
        this.#cancelled.resolve();
        break;
      case "notCancelled":
        this.#cancelled.reject(this.#error(news, cause, "run.cancel", "/cancel", "POST"));
        break;
    }
  }

  /** Nobody has the run's handle any more. Its streams, and who waits, may go on. */
  abandon(): void {
    this.#abandoned = true;
    this.#releaseIfIdle();
  }

  #releaseIfIdle(): void {
    // Who waits for the outcome is an observer; a wait that was aborted has left it pending.
    const waits = this.#observers > 0 || this.#cancelled.pending;
    if (this.#abandoned && this.#lines.size === 0 && !waits) this.release();
  }

  /** Lets go of everything. What is read or asked after that begins anew. */
  release(): void {
    this.#observers = 0;
    this.#each((line) => line.close());
    this.#bound?.release();
    this.#bound = undefined;
  }
}
