// The engine's requests: sent, aborted, and their answers handed back.

import { ConfigurationError } from "../errors/api.js";
import { BODY, BROKE, OPENED } from "../engine/calls.js";
import type { Party } from "../engine/party.js";
import type { Transport } from "./transport.js";

/** What is asked for; the order of `Ask` in src/js/exchange.rs. */
const ASKS = [
  { method: "GET", below: "", accept: "application/json" },
  { method: "POST", below: "/cancel", accept: "application/json" },
  { method: "GET", below: "/stream", accept: "text/event-stream" },
] as const;

// What to do with an answer; `Next` in src/js/exchange.rs.
const STREAM = 1;
const AGAIN = 2;

/** The most that is read of a JSON answer, and kept of a refusal. */
const ANSWER_LIMIT = 64 * 1024 * 1024;
const REFUSAL_LIMIT = 64 * 1024;

/** One for all: an error made at each abort would hold on to whoever called, by its stack. */
const LEFT = /* @__PURE__ */ new DOMException("No longer wanted", "AbortError");

export type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** One request at a time, for one run or stream of the engine's. */
export class Exchange {
  readonly #party: Party;
  readonly #transport: Transport;
  readonly #fail: (error: unknown) => void;
  #controller: AbortController | undefined;
  /** Of the body that is open. */
  reader: Reader | undefined;
  /** What was thrown last. */
  cause: unknown;

  constructor(party: Party, transport: Transport, fail: (error: unknown) => void) {
    this.#party = party;
    this.#transport = transport;
    this.#fail = fail;
  }

  /** Sends a request; its answer goes to the engine unless it has been disconnected meanwhile. */
  send(ask: number, path: string, lastEventId: string | undefined): void {
    const controller = new AbortController();
    this.#controller = controller;
    this.#exchange(controller, ask, path, lastEventId).catch(this.#fail);
  }

  disconnect(): void {
    const { reader } = this;
    this.reader = undefined;
    cancel(reader);
    this.#controller?.abort(LEFT);
    this.#controller = undefined;
  }

  /** The body has been read to its end: there is nothing to abort. */
  finished(): void {
    this.reader = undefined;
    this.#controller = undefined;
  }

  async #exchange(
    controller: AbortController,
    ask: number,
    path: string,
    lastEventId: string | undefined,
  ): Promise<void> {
    const party = this.#party;
    const isWanted = () => this.#controller === controller;
    const { method, below, accept } = ASKS[ask]!;
    let reader: Reader | undefined;
    let bytes: Uint8Array;
    try {
      for (;;) {
        const headers = new Headers({ accept });
        await this.#transport.authorize(headers);
        // Closed while a key was fetched: nothing is sent.
        if (!isWanted()) return;
        const response = await this.#transport.fetch(
          method,
          path + below,
          headers,
          lastEventId,
          controller.signal,
        );
        reader = response.body?.getReader() as Reader | undefined;
        if (!isWanted()) return cancel(reader);
        const { status } = response;
        const header = (name: string) => response.headers.get(name) ?? "";
        const seconds = (name: string) =>
          /^\s*\d+\s*$/.test(header(name)) ? Number(header(name)) * 1000 : NaN;
        const wait = seconds("retry-after");
        const date = Date.parse(header("retry-after")) - Date.now();
        const retention = seconds("x-cursor-stream-retention-seconds");
        const texts = `${header("content-type")}\n${header("x-request-id")}`;
        this.reader = reader;
        this.cause = undefined;
        const next = party.tellOf(
          texts,
          OPENED,
          status,
          Number.isNaN(wait) ? date : wait,
          retention,
          reader ? 1 : 0,
        );
        if (next === STREAM || !isWanted()) return;
        this.reader = undefined;
        if (next === AGAIN) {
          cancel(reader);
          continue;
        }
        bytes = await readAtMost(reader, status >= 200 && status < 300 ? ANSWER_LIMIT : REFUSAL_LIMIT);
        break;
      }
    } catch (error) {
      if (!isWanted()) return;
      this.#controller = undefined;
      this.cause = error;
      party.tell(BROKE, error instanceof ConfigurationError ? 1 : 0);
      return;
    }
    if (!isWanted()) return cancel(reader);
    this.#controller = undefined;
    party.tellOf(bytes, BODY);
  }
}

/** Lets go of a body. One whose cancel fails is nobody's problem any more. */
function cancel(reader: Reader | undefined): void {
  reader?.cancel().catch(() => {});
}

/** Up to `limit` bytes of a body, which is let go of then; what fails ends it. */
async function readAtMost(reader: Reader | undefined, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    while (reader && length < limit) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      length += value.length;
    }
  } catch {
    // What has come may still tell why.
  }
  if (length >= limit) cancel(reader);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes.subarray(0, limit);
}
