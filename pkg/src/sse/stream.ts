// EventStreamDecoderStream: the decoder as a pair of streams.

import { ready } from "../engine/instance.js";
import {
  EventStreamDecoder,
  type EventStreamDecoderOptions,
  maxEventBytesOf,
  type ServerSentEvent,
} from "./decoder.js";

/**
 * Decodes an event stream in `pipeThrough`; loads the engine by itself. A failure, of the source
 * or of the decoding, is told after the events before it have been read.
 *
 * A pair of its own, for a `TransformStream` that fails drops what it has queued.
 *
 * @example
 * ```ts
 * const events = response.body.pipeThrough(new EventStreamDecoderStream());
 * ```
 */
export class EventStreamDecoderStream {
  /** The events. */
  readonly readable: ReadableStream<ServerSentEvent>;
  /** Takes the bytes, as fast as the events are read. */
  readonly writable: WritableStream<Uint8Array>;

  /**
   * @throws RangeError when `maxEventBytes` is not a number of bytes. What else fails errors the
   * stream.
   */
  constructor(options: EventStreamDecoderOptions = {}) {
    maxEventBytesOf(options.maxEventBytes);
    let decoder: EventStreamDecoder;
    let output!: ReadableStreamDefaultController<ServerSentEvent>;
    let input!: WritableStreamDefaultController;
    /** Somebody reads and nothing is queued. */
    let wanted = false;
    let over = false;
    let failure: { error: unknown } | undefined;
    let wake = () => {};

    function fail(error: unknown): void {
      if (over) return;
      failure = { error };
      if (output.desiredSize === 0) raise();
    }
    function raise(): void {
      over = true;
      output.error(failure?.error);
    }

    this.readable = new ReadableStream(
      {
        start(controller) {
          output = controller;
        },
        pull() {
          if (failure) raise();
          wanted = true;
          wake();
        },
        cancel(reason) {
          over = true;
          input.error(reason);
          wake();
        },
      },
      { highWaterMark: 0 },
    );
    this.writable = new WritableStream({
      async start(controller) {
        input = controller;
        // A write that waits for a reader must not keep an abort waiting.
        controller.signal.addEventListener("abort", () => wake());
        try {
          await ready();
          decoder = new EventStreamDecoder(options);
        } catch (error) {
          fail(error);
          throw error;
        }
      },
      async write(chunk) {
        while (!wanted && !over && !input.signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (over || input.signal.aborted) return;
        try {
          const events = decoder.push(chunk);
          if (events.length > 0) wanted = false;
          for (const event of events) output.enqueue(event);
          // Readers may have been waiting for fewer.
          if (output.desiredSize !== 0) wanted = false;
        } catch (error) {
          fail(error);
          throw error;
        }
      },
      close() {
        try {
          decoder.end();
        } catch (error) {
          fail(error);
          throw error;
        }
        if (!over) output.close();
        over = true;
      },
      abort: fail,
    });
  }
}
