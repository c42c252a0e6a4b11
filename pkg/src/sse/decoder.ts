// EventStreamDecoder: bytes of any event stream → events.

import { engine } from "../engine/instance.js";
import {
  CHUNK,
  ENDED,
  EVENT_DECODER,
  LAST_EVENT_ID,
  RECONNECTION_TIME,
  SET_LAST_EVENT_ID,
} from "../engine/calls.js";
import { FAILED, TEXT, TEXT_LENGTH } from "../engine/memory.js";
import { Party } from "../engine/party.js";
import { EventTooLargeError } from "../errors/engine.js";
import { buildEvents } from "./build.js";

/**
 * A dispatched event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#dispatchMessage
 */
export interface ServerSentEvent {
  /** The event's type: `"message"` when the stream named none. */
  event: string;
  /** The `data` lines, joined by LF. May be empty. */
  data: string;
  /** The last event ID: this event's own, or that of an earlier block; `""` before the first. */
  id: string;
}

export interface EventStreamDecoderOptions {
  /**
   * The longest event (its `data` lines joined) or line that is accepted, in bytes.
   *
   * @defaultValue 16 MiB
   */
  maxEventBytes?: number | undefined;
  /**
   * The last event ID to begin with, as when a connection is resumed.
   *
   * @defaultValue `""`
   */
  lastEventId?: string | undefined;
}

/** Default of `maxEventBytes`: 16 MiB. */
export const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Checks a `maxEventBytes` option. */
export function maxEventBytesOf(option: number | undefined): number {
  if (option === undefined) return MAX_EVENT_BYTES;
  if (!(option >= 1))
    throw new RangeError(`maxEventBytes is ${option}: it must be a number of bytes, at least 1`);
  // The engine counts in 32 bits.
  return Math.min(Math.floor(option), 0xffff_ffff);
}

/** Any view as bytes; what is no view is a caller's mistake. */
export function bytesOf(chunk: unknown): Uint8Array {
  if (ArrayBuffer.isView(chunk)) {
    return chunk instanceof Uint8Array
      ? chunk
      : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  // By its tag, for a buffer of another realm is no instance of this one's class.
  if (Object.prototype.toString.call(chunk) === "[object ArrayBuffer]") {
    return new Uint8Array(chunk as ArrayBuffer);
  }
  const given = chunk === null ? "null" : typeof chunk;
  throw new TypeError(`push() was given ${given}: it takes the stream's bytes as a Uint8Array`);
}

/**
 * Decodes an event stream, chunk by chunk and synchronously, to the letter of the WHATWG standard.
 *
 * The engine must be loaded: `await init()` first, except where loading is synchronous (Node, Bun,
 * Deno, workerd). {@link EventStreamDecoderStream} and everything else asynchronous load it by
 * themselves.
 *
 * @example
 * ```ts
 * await init();
 * const decoder = new EventStreamDecoder();
 * for await (const chunk of response.body) {
 *   for (const { event, data, id } of decoder.push(chunk)) console.log(event, data, id);
 * }
 * decoder.end();
 * ```
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventStreamDecoder {
  readonly #party: Party;
  readonly #maxEventBytes: number;
  #failed = false;
  /** Whether a call has thrown what `#failed` says. */
  #said = false;

  /** @throws NotReadyError when the engine is not loaded: `await init()` first. */
  constructor(options: EventStreamDecoderOptions = {}) {
    this.#maxEventBytes = maxEventBytesOf(options.maxEventBytes);
    this.#party = new Party(engine(), EVENT_DECODER, this.#maxEventBytes).belongsTo(this);
    if (options.lastEventId) this.#party.tellOf(options.lastEventId, SET_LAST_EVENT_ID);
  }

  /**
   * Decodes a chunk and gives the events that end in it.
   *
   * @throws EventTooLargeError in the call after the one whose chunk crossed `maxEventBytes` (that
   * one still gives the events before it), and in every further call until {@link end}.
   */
  push(chunk: Uint8Array): ServerSentEvent[] {
    const bytes = bytesOf(chunk);
    if (this.#failed) throw this.#tooLarge();
    this.#party.write(bytes);
    return this.#build(this.#party.tell(CHUNK, bytes.length));
  }

  /**
   * The connection is over: what is unfinished is discarded, as the standard says. `lastEventId`
   * and `reconnectionTime` stay, and the next chunk is the first of a new connection.
   *
   * @throws EventTooLargeError when `maxEventBytes` was crossed and no call has said so yet.
   */
  end(): void {
    const unsaid = this.#failed && !this.#said;
    this.#party.tell(ENDED);
    this.#failed = false;
    this.#said = false;
    if (unsaid) throw new EventTooLargeError(this.#maxEventBytes);
  }

  #tooLarge(): EventTooLargeError {
    this.#said = true;
    return new EventTooLargeError(this.#maxEventBytes);
  }

  /** The last event ID, for `Last-Event-ID` when reconnecting. Set at blank lines, so never ahead of the events. */
  get lastEventId(): string {
    const { head, engine } = this.#party;
    this.#party.tell(LAST_EVENT_ID);
    const { words } = engine.memory.current();
    return engine.memory.text(words[head + TEXT]!, words[head + TEXT_LENGTH]!);
  }

  /** The last valid `retry` field in milliseconds, `undefined` before the first. */
  get reconnectionTime(): number | undefined {
    const time = this.#party.tell(RECONNECTION_TIME);
    return time < 0 ? undefined : time;
  }

  #build(count: number): ServerSentEvent[] {
    const { head, engine } = this.#party;
    this.#failed = engine.memory.current().words[head + FAILED] !== 0;
    return buildEvents(engine.memory, head, count);
  }
}
