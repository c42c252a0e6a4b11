// A session whose messages are the body of an answer: an event stream, or lines of JSON.

import { ready } from "../engine/instance.js";
import { NetworkError, UnknownAgentError } from "../errors/api.js";
import { bytesOf } from "../sse/decoder.js";
import { type Normalized, Normalizer } from "./normalizer.js";
import { ControlledSource, type ReadOptions, type SessionControls } from "./query-source.js";

/** How much is shown of an answer that is none. */
const EXCERPT = 300;

/** Reads a body as far as its events are read. */
export class BodySource extends ControlledSource {
  readonly #response: Response;
  readonly #options: ReadOptions;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #normalizer: Normalizer | undefined;

  constructor(response: Response, controls: SessionControls, options: ReadOptions) {
    super(controls);
    this.#response = response;
    this.#options = options;
  }

  protected async read(): Promise<Normalized | undefined> {
    const engine = await ready();
    if (this.isClosed) return undefined;
    if (!this.#normalizer) {
      const lines = await this.#areLines();
      const { maxEventBytes, warn } = this.#options;
      this.#normalizer = new Normalizer(engine, lines, maxEventBytes, warn);
      this.#reader = this.#response.body?.getReader();
    }
    const normalizer = this.#normalizer;
    while (this.#reader) {
      let result: ReadableStreamReadResult<Uint8Array>;
      try {
        result = await this.#reader.read();
      } catch (cause) {
        if (this.isClosed) return undefined;
        const message = "The session's messages broke off: the connection was lost";
        throw new NetworkError(message, {
          code: "network_error",
          operation: "runQuery",
          isRetryable: true,
          cause,
        });
      }
      if (this.isClosed) return undefined;
      if (result.done) this.#reader = undefined;
      const made = result.done ? normalizer.end() : normalizer.bytes(bytesOf(result.value));
      if (made.events.length > 0 || made.failure) return made;
    }
    normalizer.free();
    return undefined;
  }

  /** What kind of body it is; what is none is thrown, with the start of it. */
  async #areLines(): Promise<boolean> {
    const { status, headers } = this.#response;
    const contentType = headers.get("content-type") ?? undefined;
    const essence = `${contentType}`.replace(/;.*/s, "").trim().toLowerCase();
    if (status >= 200 && status < 300) {
      if (essence === "text/event-stream") return false;
      if (/^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|json-lines|json)$/.test(essence)) return true;
    }
    const body = (await this.#response.text().catch(() => "")).slice(0, EXCERPT);
    const message = `The answer holds no messages: status ${status}, ${contentType ?? "no Content-Type"}`;
    throw new UnknownAgentError(body ? `${message}: ${body}` : message, {
      code: "invalid_answer",
      operation: "runQuery",
      status,
      contentType,
      body,
    });
  }

  protected letGo(): void {
    if (this.#reader) this.#reader.cancel().catch(() => {});
    else if (!this.#response.bodyUsed) this.#response.body?.cancel().catch(() => {});
  }
}
