// Messages of an agent SDK → session events: what drives the engine's decoder of them.

import { CHUNK, ENDED, SESSION_DECODER, SESSION_LINES } from "../engine/calls.js";
import type { Engine } from "../engine/instance.js";
import { FAILED } from "../engine/memory.js";
import { Party } from "../engine/party.js";
import { ConfigurationError, UnknownAgentError } from "../errors/api.js";
import { EventTooLargeError } from "../errors/engine.js";
import type { RunWarning } from "../messages/types.js";
import { buildSessionEvents, type Fault } from "./build.js";
import type { AgentEvent } from "./types.js";

/** What has come of something: what there was before a failure is not lost with it. */
export interface Normalized {
  events: AgentEvent[];
  failure?: Error | undefined;
}

const encoder = new TextEncoder();

/** One session's messages. Objects and bytes of lines may not be mixed. */
export class Normalizer {
  readonly #party: Party;
  readonly #maxEventBytes: number;
  readonly #warn: (warning: RunWarning) => void;

  /** @param lines whether bytes are lines, else an event stream */
  constructor(engine: Engine, lines: boolean, maxEventBytes: number, warn: (warning: RunWarning) => void) {
    const kind = lines ? SESSION_LINES : SESSION_DECODER;
    this.#party = new Party(engine, kind, maxEventBytes).belongsTo(this);
    this.#maxEventBytes = maxEventBytes;
    this.#warn = warn;
  }

  /** A message as an object. */
  object(message: unknown): Normalized {
    let text: string | undefined;
    try {
      text = JSON.stringify(message);
    } catch (cause) {
      const failure = new ConfigurationError("A message cannot be written as JSON, as the SDK's can", {
        code: "invalid_message",
        operation: "runQuery",
        cause,
      });
      return { events: [], failure };
    }
    return text === undefined ? { events: [] } : this.bytes(encoder.encode(`${text}\n`));
  }

  /** A chunk of a body. */
  bytes(chunk: Uint8Array): Normalized {
    this.#party.write(chunk);
    return this.#read(CHUNK, chunk.length);
  }

  /** The body is over. */
  end(): Normalized {
    return this.#read(ENDED);
  }

  free(): void {
    this.#party.free();
  }

  #read(call: number, length?: number): Normalized {
    const { head, engine } = this.#party;
    const { memory } = engine;
    const count = this.#party.tell(call, length);
    const isTooLarge = memory.current().words[head + FAILED] !== 0;
    const faults: Fault[] = [];
    const events = buildSessionEvents(memory, head, count, faults);
    for (const { isError, excerpt, place } of faults) {
      if (isError) {
        events.length = place;
        const failure = new UnknownAgentError(`The host tells an error: ${excerpt}`, {
          code: "host_error",
          operation: "runQuery",
        });
        return { events, failure };
      }
      const message = "Skipping a message: it is not JSON";
      this.#warn({ code: "invalid_json", message, event: "message", id: "", excerpt });
    }
    return { events, failure: isTooLarge ? new EventTooLargeError(this.#maxEventBytes) : undefined };
  }
}
