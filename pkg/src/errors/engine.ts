// Errors of the engine itself: not loaded, broken, or asked for too much.

import { RunwireError } from "./base.js";

/** Something synchronous was called before the engine was loaded: `await init()` first. */
export class NotReadyError extends RunwireError {
  constructor(message = "The engine is not loaded yet: await init() first") {
    super("NotReadyError", message, "not_ready");
  }
}

/**
 * The engine trapped, which is a fault of this package's. What it was doing is lost; the next call
 * gets a new instance. `cause` is the WebAssembly error: please report it.
 */
export class EngineCrashedError extends RunwireError {
  constructor(cause: unknown) {
    super("EngineCrashedError", "The engine crashed: the next call uses a new one", "engine_crashed", {
      cause,
    });
  }
}

/** An event's data, or one line of the stream, is longer than `maxEventBytes`. */
export class EventTooLargeError extends RunwireError {
  /** The limit that was crossed, in bytes. */
  readonly maxEventBytes: number;

  constructor(maxEventBytes: number) {
    super(
      "EventTooLargeError",
      `An event is longer than maxEventBytes (${maxEventBytes}): raise the limit, or stop reading this stream`,
      "event_too_large",
    );
    this.maxEventBytes = maxEventBytes;
  }
}
