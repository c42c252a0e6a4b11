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

/** The head of an answer. */
export interface AnswerHead {
  status: number;
  contentType: string | undefined;
  requestId: string | undefined;
}

/** Who has good answers, where it is not the engine that reads them. */
export interface Taker {
  /** Bodies are wanted as they come. */
  readonly asStream: boolean;
  /** Has the body of one. What this throws says that nobody can read it. */
  take(body: Uint8Array | ReadableStream<Uint8Array> | null, head: AnswerHead): void;
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
  readonly #taker: Taker | undefined;
  /** How many requests have been sent. */
  #attempts = 0;

  /** @param taker has the good answers: the engine is only told that there is one */
  constructor(party: Party, transport: Transport, fail: (error: unknown) => void, taker?: Taker) {
    this.#taker = taker;
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
    let body: Uint8Array | ReadableStream<Uint8Array> | null;
    let good: AnswerHead | undefined;
    let isSent = false;
    try {
      for (;;) {
        isSent = false;
        const headers = await this.#transport.headers(request);
        // Closed while a key was fetched: nothing is sent.
        if (!isWanted()) return;
        isSent = true;
        const response = await this.#transport.fetch(request, headers, controller.signal, ++this.#attempts);
        // One that is handed on stays as it is: to Bun, a body that was locked is used up.
        const handedOn = this.#taker?.asStream ? response.body : undefined;
        reader = handedOn ? undefined : (response.body?.getReader() as Reader | undefined);
        if (!isWanted()) return cancel(reader ?? handedOn);
        const { status } = response;
        const header = (name: string) => response.headers.get(name) ?? "";
        const seconds = (name: string) =>
          /^\s*\d+\s*$/.test(header(name)) ? Number(header(name)) * 1000 : NaN;
        const wait = seconds("retry-after");
        const date = Date.parse(header("retry-after")) - Date.now();
        const retention = seconds("x-cursor-stream-retention-seconds");
        const texts = `${header("content-type")}\n${header("x-request-id")}`;
        const clean = (name: string) => this.#transport.redact(header(name)) || undefined;
        this.reader = reader;
        this.cause = undefined;
        const next = party.tellOf(
          texts,
          OPENED,
          status,
          Number.isNaN(wait) ? date : wait,
          retention,
          response.body ? 1 : 0,
        );
        if (next === STREAM || !isWanted()) return;
        this.reader = undefined;
        if (next === AGAIN) {
          cancel(reader);
          continue;
        }
        if (status >= 200 && status < 300) {
          good = { status, contentType: clean("content-type"), requestId: clean("x-request-id") };
        }
        body =
          good && handedOn
            ? handedOn
            : await (good ? readAll(reader, [], ANSWER_LIMIT) : readStart(reader ?? handedOn?.getReader()));
        break;
      }
    } catch (error) {
      if (!isWanted()) return;
      this.#controller = undefined;
      this.cause = error;
      party.tell(BROKE, error instanceof ConfigurationError ? 1 : isSent ? 0 : 3);
      return;
    }
    if (!isWanted()) return cancel(reader);
    this.#controller = undefined;
    if (good && this.#taker) {
      try {
        this.#taker.take(body, good);
      } catch (error) {
        this.cause = error;
        party.tell(BROKE, 2);
        return;
      }
      body = null;
    }
    party.tellOf((body as Uint8Array | null) ?? "", BODY);
  }
}

/** Lets go of a body. One whose cancel fails is nobody's problem any more. */
function cancel(body: Reader | ReadableStream | null | undefined): void {
  body?.cancel().catch(() => {});
}

/** Adds a body's bytes to `chunks` until there are `limit`; gives them as one. */
async function readAll(reader: Reader | undefined, chunks: Uint8Array[], limit: number): Promise<Uint8Array> {
  let length = 0;
  while (reader && length < limit) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  return joined(chunks);
}

/** The start of a refusal's body, the rest of which is let go of. */
async function readStart(reader: Reader | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  // What has come may still tell why, whatever becomes of the rest.
  await readAll(reader, chunks, REFUSAL_LIMIT).catch(() => {});
  cancel(reader);
  return joined(chunks).subarray(0, REFUSAL_LIMIT);
}

function joined(chunks: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
