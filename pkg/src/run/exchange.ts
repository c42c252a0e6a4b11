// The engine's requests: sent, aborted, and their answers handed back.

import { ConfigurationError } from "../errors/api.js";
import { BODY, BROKE, OPENED } from "../engine/calls.js";
import type { Party } from "../engine/party.js";
import type { Transport } from "./transport.js";

/** What is sent. */
export interface ApiRequest {
  method: string;
  /** With its query, without an origin. */
  path: string;
  /** `Accept`. @defaultValue JSON */
  accept?: string | undefined;
  /** The id that a stream is resumed from. */
  lastEventId?: string | undefined;
  /** JSON to send. */
  body?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** A 2xx, read to its end. */
export interface GoodAnswer {
  bytes: Uint8Array;
  status: number;
  contentType: string | undefined;
  requestId: string | undefined;
}

/** What is asked for at a run; the order of `Ask` in src/js/exchange.rs. */
const ASKS = [
  ["GET", ""],
  ["POST", "/cancel"],
  ["GET", "/stream", "text/event-stream"],
] as const;

/** What the engine asks for, by its number. */
export function requestOf(ask: number, path: string, lastEventId?: string | undefined): ApiRequest {
  const [method, below, accept] = ASKS[ask]!;
  return { method, path: path + below, accept, lastEventId };
}

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
  /** A good answer, where it is not the engine that reads it. */
  answer: GoodAnswer | undefined;
  readonly #keeps: boolean;
  /** How many requests have been sent. */
  #attempts = 0;

  /** @param keeps good answers' bodies stay here: the engine is only told that there is one */
  constructor(party: Party, transport: Transport, fail: (error: unknown) => void, keeps = false) {
    this.#keeps = keeps;
    this.#party = party;
    this.#transport = transport;
    this.#fail = fail;
  }

  /** Sends a request; its answer goes to the engine unless it has been disconnected meanwhile. */
  send(request: ApiRequest): void {
    const controller = new AbortController();
    this.#controller = controller;
    this.#exchange(controller, request).catch(this.#fail);
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

  async #exchange(controller: AbortController, request: ApiRequest): Promise<void> {
    const party = this.#party;
    const isWanted = () => this.#controller === controller;
    let reader: Reader | undefined;
    let bytes: Uint8Array;
    let isGood: boolean;
    let answered: Omit<GoodAnswer, "bytes">;
    try {
      for (;;) {
        const headers = await this.#transport.headers(request);
        // Closed while a key was fetched: nothing is sent.
        if (!isWanted()) return;
        const response = await this.#transport.fetch(request, headers, controller.signal, ++this.#attempts);
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
        const clean = (name: string) => this.#transport.redact(header(name)) || undefined;
        answered = { status, contentType: clean("content-type"), requestId: clean("x-request-id") };
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
        isGood = status >= 200 && status < 300;
        bytes = await readAtMost(reader, isGood ? ANSWER_LIMIT : REFUSAL_LIMIT);
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
    if (this.#keeps && isGood) {
      this.answer = { bytes, ...answered };
      bytes = new Uint8Array();
    }
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
