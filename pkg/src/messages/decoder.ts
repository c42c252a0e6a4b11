// MessageDecoder: bytes of a run's stream → messages, without a connection.

import { CHUNK, ENDED, MESSAGE_DECODER } from "../engine/calls.js";
import { engine } from "../engine/instance.js";
import { FAILED } from "../engine/memory.js";
import { Party } from "../engine/party.js";
import { EventTooLargeError } from "../errors/engine.js";
import { checkOptions } from "../run/follow-options.js";
import { bytesOf, maxEventBytesOf } from "../sse/decoder.js";
import { buildMessages } from "./build.js";
import type { RunWarning, SDKMessage } from "./types.js";

export interface MessageDecoderOptions {
  /** The agent's id, for the messages' `agent_id`. */
  agentId: string;
  /** The run's id, for the messages' `run_id`. */
  runId: string;
  /**
   * The longest event or line that is accepted, in bytes.
   *
   * @defaultValue 16 MiB
   */
  maxEventBytes?: number | undefined;
  /** Called for each frame that could not be understood. */
  onWarning?: ((warning: RunWarning) => void) | undefined;
}

/**
 * Decodes the bytes of a run's stream to the messages that `run.stream()` gives: for recordings,
 * and for transports of one's own. One connection's bytes: it does not resume.
 *
 * The engine must be loaded, as for `EventStreamDecoder`.
 *
 * @example
 * ```ts
 * await init();
 * const decoder = new MessageDecoder({ agentId, runId });
 * const messages = decoder.push(await readFile("run.sse"));
 * ```
 */
export class MessageDecoder {
  readonly #party: Party;
  readonly #agentId: string;
  readonly #runId: string;
  readonly #warn: (warning: RunWarning) => void;
  readonly #maxEventBytes: number;
  #failed = false;
  /** Whether a call has thrown what `#failed` says. */
  #said = false;

  /**
   * @throws ConfigurationError with code `invalid_option` when an option is not what it must be
   * @throws NotReadyError when the engine is not loaded: `await init()` first
   */
  constructor(options: MessageDecoderOptions) {
    checkOptions(options, "MessageDecoder");
    this.#agentId = options.agentId;
    this.#runId = options.runId;
    this.#warn = guardedWarn(options.onWarning);
    this.#maxEventBytes = maxEventBytesOf(options.maxEventBytes);
    this.#party = new Party(engine(), MESSAGE_DECODER, this.#maxEventBytes).belongsTo(this);
  }

  /**
   * Decodes a chunk and gives the messages of the frames that end in it.
   *
   * @throws EventTooLargeError in the call after the one whose chunk crossed `maxEventBytes`, and in
   * every further call until {@link end}.
   */
  push(chunk: Uint8Array): SDKMessage[] {
    const bytes = bytesOf(chunk);
    if (this.#failed) throw this.#tooLarge();
    const party = this.#party;
    const { head } = party;
    const { memory } = party.engine;
    party.write(bytes);
    const count = party.tell(CHUNK, bytes.length);
    this.#failed = memory.current().words[head + FAILED] !== 0;
    return buildMessages(memory, head, count, this.#warn, this.#agentId, this.#runId);
  }

  /**
   * The connection is over: an unfinished frame is discarded.
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
}

/** A warning callback that cannot disturb what warns. */
export function guardedWarn(onWarning: ((warning: RunWarning) => void) | undefined) {
  const failed = (error: unknown) => console.error("onWarning threw:", error);
  return (warning: RunWarning): void => guard(() => onWarning?.(warning), failed);
}

/** Calls what is the user's; what it throws, or the promise that it gives rejects with, goes to `failed`. */
export function guard(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    // Also of another realm, or one that is none but has a `then`.
    Promise.resolve(call()).catch(failed);
  } catch (error) {
    failed(error);
  }
}
