// EventStreamDecoderStream: the decoder as a TransformStream.

import { ready } from "../engine/instance.js";
import {
  EventStreamDecoder,
  type EventStreamDecoderOptions,
  maxEventBytesOf,
  type ServerSentEvent,
} from "./decoder.js";

/**
 * Decodes an event stream as a `TransformStream`; loads the engine by itself.
 *
 * @example
 * ```ts
 * const events = response.body.pipeThrough(new EventStreamDecoderStream());
 * ```
 */
export class EventStreamDecoderStream extends TransformStream<Uint8Array, ServerSentEvent> {
  /**
   * @throws RangeError when `maxEventBytes` is not a number of bytes. What else fails errors the
   * stream, after the events before it.
   */
  constructor(options: EventStreamDecoderOptions = {}) {
    maxEventBytesOf(options.maxEventBytes);
    let decoder: EventStreamDecoder;
    super({
      async start() {
        await ready();
        decoder = new EventStreamDecoder(options);
      },
      transform(chunk, controller) {
        for (const event of decoder.push(chunk)) controller.enqueue(event);
      },
      flush() {
        decoder.end();
      },
    });
  }
}
