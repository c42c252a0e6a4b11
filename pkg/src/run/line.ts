// One way along a run: the engine's follower, the connections it makes, and who reads from it.

import {
  BROKE,
  CHUNK,
  ENDED,
  FORK,
  FRAME_STREAM,
  MESSAGE_STREAM,
  ONLINE,
  PULL,
  RESUME,
  TIME,
  TOKEN,
  VISIBLE,
  WAKE,
} from "../engine/calls.js";
import { Party } from "../engine/party.js";
import type { EngineMemory } from "../engine/memory.js";
import { buildMessages, type Warn } from "../messages/build.js";
import { NO_TURNS, type Tally, tallied, type Used } from "../messages/usage.js";
import { bytesOf } from "../sse/decoder.js";
import type { News, Told } from "../engine/host.js";
import { ConfigurationError } from "../errors/api.js";
import type { RunwireError } from "../errors/base.js";
import type { Consumer } from "./consumer.js";
import type { Bound, RunCore } from "./core.js";
import { Exchange, requestOf } from "./exchange.js";

/** How a stream's connection is. */
export type ConnectionState = "closed" | "connecting" | "open" | "waiting";

/** What `onDidChangeConnection` tells. */
export interface ConnectionInfo {
  /**
   * `connecting`: it is being opened, or the service is asked whether the run goes on; `open`;
   * `waiting`: the next attempt is due in `delayMs`; `closed`: there is none and none is wanted.
   */
  state: ConnectionState;
  /** How many attempts have failed since the last that worked. */
  attempt: number;
  /** How long until the next attempt, in milliseconds; 0 unless `waiting`. */
  delayMs: number;
  /** Why there is a delay, where that is known. */
  reason: Error | undefined;
}

/** There is no connection, and none is wanted. */
export const CLOSED: ConnectionInfo = { state: "closed", attempt: 0, delayMs: 0, reason: undefined };

/** By the numbers of `link` in src/js/run.rs. */
const STATES = ["closed", "connecting", "open", "waiting"] as const;

/** Where a batch lies on its line: counted in messages and warnings from the line's start. */
export interface Place {
  start: number;
  end: number;
  /** Which of them are warnings, counted from `start`. */
  skipped: readonly number[];
}

/** What the engine says of where a reader is. */
type Where = [token: string, lastEventId: string, retentionMs: number];

/** Makes objects of what the engine hands over. */
export type Build = (
  memory: EngineMemory,
  head: number,
  count: number,
  warn: Warn,
  agentId: string,
  runId: string,
  used?: Used,
) => unknown[];

/** Where a line begins, and what it gives. */
export interface LineStart {
  /** Where it goes on. @defaultValue at the run's start */
  token?: string | undefined;
  /** Makes frames of the stream. @defaultValue messages are made */
  build?: Build | undefined;
}

/** Reads as far as its readers want, and hands each of them what comes. */
export class Line implements Told {
  readonly #core: RunCore;
  readonly #party: Party;
  readonly #exchange: Exchange;
  readonly #build: Build;
  /** It gives messages, from the run's start. */
  readonly isPlain: boolean;
  readonly consumers = new Set<Consumer>();
  /** It has handed something over: who comes now has missed that. */
  started = false;
  over = false;
  info = CLOSED;
  #pulled = false;
  /** What has been handed over, in messages and warnings. */
  #handed = 0;
  #where: Where = ["", "", 0];
  /** What the turns have used that it handed over; of nobody's interest unless it began at the run's start. */
  #tally: Tally | undefined;
  /** Of the last chunk. */
  #length = 0;
  #reason: Error | undefined;

  /** @param fork the line where this one goes on, with its places */
  constructor(core: RunCore, { party, transport }: Bound, start: LineStart, fork?: Line) {
    const { engine } = party;
    const { token, build } = start;
    this.#core = core;
    this.#build = build ?? buildMessages;
    this.isPlain = token === undefined && !build && !fork;
    this.started = !this.isPlain;
    this.#tally = fork ? fork.#tally : token === undefined ? NO_TURNS : undefined;
    this.#party = new Party(engine, build ? FRAME_STREAM : MESSAGE_STREAM, party.id, this);
    this.#exchange = new Exchange(this.#party, transport, (error) => this.fail(error));
    if (fork) {
      this.#handed = fork.#handed;
      this.#party.tell(FORK, fork.#party.id);
    } else if (token && !this.#party.tellOf(token, RESUME)) {
      this.#party.free();
      const message = "The resume token is damaged, or of another run: start without it";
      throw new ConfigurationError(message, { code: "invalid_resume_token", operation: "run.stream" });
    }
  }

  /** The resume token of who has read so much, in messages and warnings. */
  token(read: number): string {
    this.#party.tell(TOKEN, read);
    return this.#where[0];
  }

  /** Asks for more, unless that is under way. */
  pull(): void {
    if (this.#pulled || this.over) return;
    this.#pulled = true;
    // From where the last of the readers is, places may be asked for.
    let oldest = Number.POSITIVE_INFINITY;
    for (const consumer of this.consumers) oldest = Math.min(oldest, consumer.place);
    this.#do(PULL, oldest);
  }

  wake(): void {
    this.#do(WAKE);
  }

  online(online: boolean): void {
    this.#do(ONLINE, online ? 1 : 0);
  }

  visible(visible: boolean): void {
    this.#do(VISIBLE, visible ? 1 : 0);
  }

  /** Lets go of the connection. Who still reads what was handed over may ask where that was. */
  close(): void {
    if (this.over) return;
    this.over = true;
    this.#exchange.disconnect();
    this.#party.close();
    this.#freeIfLeft();
    this.info = CLOSED;
    this.#core.left(this);
  }

  /** A reader leaves; says whether it was one. */
  leave(consumer: Consumer): boolean {
    const left = this.consumers.delete(consumer);
    if (this.over) this.#freeIfLeft();
    return left;
  }

  #freeIfLeft(): void {
    if (this.consumers.size === 0) this.#party.free();
  }

  /** The engine has crashed. */
  fail(error: unknown): void {
    this.#end({ error });
  }

  /** The line is at its end. Readers learn of it when they have read what they hold. */
  #end(failure?: { error: unknown }): void {
    if (this.over) return;
    const consumers = [...this.consumers];
    this.close();
    for (const consumer of consumers) consumer.end(failure);
    this.#core.ended(failure);
  }

  #do(call: number, a?: number): void {
    if (this.over) return;
    try {
      this.#party.tell(call, a);
    } catch (error) {
      this.#end({ error });
    }
  }

  /** Called by the engine, in the middle of a call into it. */
  news(what: News, news: unknown[]): void {
    if (what === "token") this.#where = news as Where;
    else if (what === "end") this.#end();
    else if (what === "fail") this.#end({ error: this.#error(news) });
    else this.#reason = this.#error(news);
  }

  #error(failure: unknown[]): RunwireError {
    this.token(this.#handed);
    const [, lastEventId, retentionMs] = this.#where;
    return this.#core.streamError(failure, this.#exchange.cause, {
      lastEventId: lastEventId || undefined,
      retentionSeconds: retentionMs ? retentionMs / 1000 : undefined,
    });
  }

  link(number: number, attempt: number, delayMs: number): void {
    if (this.over) return;
    const state = STATES[number]!;
    if (state === "open") this.#reason = undefined;
    this.info = state === "closed" ? CLOSED : { state, attempt, delayMs, reason: this.#reason };
    this.#core.linked();
  }

  request(ask: number, path: string, lastEventId: string | undefined): void {
    this.#exchange.send(requestOf(ask, path, lastEventId));
  }

  disconnect(): void {
    this.#exchange.disconnect();
  }

  time(): void {
    this.#do(TIME);
  }

  batch(count: number): void {
    this.#pulled = false;
    this.started = true;
    const { engine, head } = this.#party;
    const { memory } = engine;
    const { agentId, runId, warn } = this.#core;
    const make = (tell: Warn, used?: Used) => this.#build(memory, head, count, tell, agentId, runId, used);
    const [first, ...others] = this.consumers;
    // The messages of one consumer are not another's, which may change them. The first come last:
    // who hears their warnings may call the engine.
    const rest = others.map((consumer) => [consumer, make(() => {})] as const);
    const start = this.#handed;
    const skipped: number[] = [];
    const batch = make(
      (warning, place) => {
        skipped.push(place);
        warn(warning);
      },
      (turn) => {
        if (!this.#tally) return;
        this.#tally = turn ? tallied(this.#tally, turn) : NO_TURNS;
        this.#core.used(this.#tally);
      },
    );
    skipped.sort((a, b) => a - b);
    this.#handed += batch.length + skipped.length;
    const place = { start, end: this.#handed, skipped };
    first?.push(batch, this.#length, place);
    for (const [consumer, own] of rest) consumer.push(own, this.#length, place);
    if (rest.length > 0 || this.#core.isObserved) this.#core.drive();
    // It was nothing but warnings.
    else if (first?.waits) this.pull();
  }

  /** Reads once, and hands over what that brings unless the connection has been left meanwhile. */
  async read(): Promise<void> {
    const { reader } = this.#exchange;
    if (!reader) return;
    const isWanted = () => this.#exchange.reader === reader;
    let result: ReadableStreamReadResult<Uint8Array> | undefined;
    let bytes: Uint8Array | undefined;
    try {
      result = await reader.read();
      bytes = result.done ? undefined : bytesOf(result.value);
    } catch (error) {
      if (!isWanted()) return;
      this.#exchange.cause = error;
      // A body that is not of bytes would be none the next time either.
      this.#do(BROKE, result ? 1 : 0);
      return;
    }
    if (!isWanted()) return;
    if (!bytes) {
      this.#exchange.finished();
      this.#do(ENDED);
      return;
    }
    try {
      this.#length = bytes.length;
      this.#party.write(bytes);
      this.#party.tell(CHUNK, bytes.length);
    } catch (error) {
      this.#end({ error });
    }
  }
}
