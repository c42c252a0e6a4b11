// SessionDecoder: bytes of an agent SDK's messages → session events, without a connection.

import { engine } from "../engine/instance.js";
import { guardedWarn } from "../messages/decoder.js";
import type { RunWarning } from "../messages/types.js";
import { checkOptions } from "../run/follow-options.js";
import { bytesOf, maxEventBytesOf } from "../sse/decoder.js";
import { type Normalized, Normalizer } from "./normalizer.js";
import type { AgentEvent } from "./types.js";

export interface SessionDecoderOptions {
  /** What the bytes are: an event stream, or lines of JSON (NDJSON). @defaultValue "sse" */
  format?: "sse" | "ndjson" | undefined;
  /** The longest message that is accepted, in bytes. @defaultValue 16 MiB */
  maxEventBytes?: number | undefined;
  /** Called for each message that is not JSON; it is skipped. */
  onWarning?: ((warning: RunWarning) => void) | undefined;
}

/**
 * Decodes the bytes of a session's messages, for recordings and for transports of one's own. `runQuery` and
 * `normalizeMessages` do the same over a `Response`.
 *
 * The engine must be loaded, as for `EventStreamDecoder`.
 *
 * @example
 * ```ts
 * await init();
 * const decoder = new SessionDecoder({ format: "ndjson" });
 * const events = [...decoder.push(await readFile("session.jsonl")), ...decoder.end()];
 * ```
 */
export class SessionDecoder {
  readonly #normalizer: Normalizer;
  #failure: Error | undefined;

  /**
   * @throws ConfigurationError with code `invalid_option` when an option is not what it must be
   * @throws NotReadyError when the engine is not loaded: `await init()` first
   */
  constructor(options: SessionDecoderOptions = {}) {
    checkOptions(options, "SessionDecoder");
    const { format, maxEventBytes, onWarning } = options;
    const warn = guardedWarn(onWarning);
    this.#normalizer = new Normalizer(engine(), format === "ndjson", maxEventBytesOf(maxEventBytes), warn);
  }

  /**
   * Decodes a chunk and gives the events of the messages that end in it.
   *
   * @throws in the call after the one whose chunk brought it, and from then on: EventTooLargeError where
   * `maxEventBytes` was crossed, UnknownAgentError with code `host_error` where the host tells an error
   */
  push(chunk: Uint8Array): AgentEvent[] {
    const bytes = bytesOf(chunk);
    if (this.#failure) throw this.#failure;
    return this.#take(this.#normalizer.bytes(bytes));
  }

  /** The bytes are over: gives the events of a last line without an end. Throws as {@link push} does. */
  end(): AgentEvent[] {
    if (this.#failure) throw this.#failure;
    const events = this.#take(this.#normalizer.end());
    this.#normalizer.free();
    return events;
  }

  #take({ events, failure }: Normalized): AgentEvent[] {
    this.#failure = failure;
    return events;
  }
}
