// One call of the API: its options, its request, and its answer as JSON.

import { BEGIN, CALL, LOOKED, ONLINE, TIME } from "../engine/calls.js";
import type { News, Told } from "../engine/host.js";
import { type Engine, ready } from "../engine/instance.js";
import { Party, scratch } from "../engine/party.js";
import { DOUBT, errorOf, UnknownAgentError } from "../errors/api.js";
import type { RunRecord } from "../run/run.js";
import { type AnswerHead, type ApiRequest, Exchange, type Taker } from "../run/exchange.js";
import { checkOptions, engineOptions, type RetryOptions, setOptions } from "../run/follow-options.js";
import { type RequestOptions, type Transport, transportOf, unlessAborted } from "../run/transport.js";
import { isOnline, watchPlatform } from "../run/waking.js";
import { withDefaults } from "./defaults.js";

/** Options of every call. */
export interface CallOptions extends RequestOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long the call may take in all, in milliseconds. @defaultValue no limit */
  timeoutMs?: number | undefined;
  /** How long one request may take to be answered, in milliseconds. @defaultValue 30,000 */
  connectTimeoutMs?: number | undefined;
  /**
   * When to try again what may be tried again: after a lost connection, a timeout, 408, 429 and 5xx.
   *
   * @defaultValue two more attempts
   */
  retry?: RetryOptions | undefined;
}

/** What is called. */
export interface CallSpec extends ApiRequest {
  /** As in `Agent.list`, for errors. */
  operation: string;
  /** Ids that must be of the API's form. */
  agentId?: string | undefined;
  runId?: string | undefined;
  /**
   * Where sending it twice may do more than sending it once: gives what it was to give, if it has been done, and
   * `undefined` if it has not. Rejects where that cannot be told.
   *
   * @param signal nobody waits any more
   */
  look?(signal: AbortSignal): Promise<unknown>;
  /** The agent may still be busy with a run that has been cancelled. */
  afterCancel?: boolean;
  /** An earlier call may have done it. Set where this one may have. */
  doubted?: boolean;
  /** Only the ids are looked at: nothing is sent. */
  idle?: boolean;
  /** What the answer must have: without, it is none. */
  has?: string | undefined;
  /** How the request is made where the answer is no JSON: the body as it comes. */
  raw?: Transport | undefined;
}

/** JSON of the service's, in whatever shape: who called looks at it. */
// biome-ignore lint/suspicious/noExplicitAny: it is not known what has been sent
export type Answer = any;

/** What the service answers where something is started. */
export interface Launched {
  run: RunRecord;
  /** The agent's record. */
  agent?: Answer;
}

/** The code of an answer that is a good one, but not what was asked for. */
export const INVALID = "invalid_answer";

/** How much of such an answer is kept. */
const EXCERPT = 64 * 1024;

/** `Found` in src/js/calls.rs. */
const [NOTHING, DONE, UNCLEAR] = [0, 1, 2];

const decoder = new TextDecoder();

/** An agent's place. Whatever an id holds, it cannot reach another. */
export function agentPath(agentId: string): string {
  return `/v1/agents/${encodeURIComponent(agentId)}`;
}

/** Makes a call at an agent, or at what is `below` it; `has` as in {@link CallSpec}. */
export function callAt(
  agentId: string,
  options: CallOptions,
  operation: string,
  below = "",
  has?: string,
  method = "GET",
): Promise<Answer> {
  return call(options, { method, path: agentPath(agentId) + below, agentId: `${agentId}`, operation, has });
}

/** Looks at an agent's id and the options, as a call would that needs them. */
export function check(agentId: string, options: CallOptions, operation: string): Promise<void> {
  return call(options, { method: "", path: "", agentId: `${agentId}`, operation, idle: true });
}

/** Makes a call; gives the JSON of its answer. */
export async function call(given: CallOptions, spec: CallSpec): Promise<Answer> {
  checkOptions(given, spec.operation);
  return callWith(withDefaults(given), spec);
}

/** The same of options that take no defaults. */
export async function callWith(options: CallOptions, spec: CallSpec): Promise<Answer> {
  options.signal?.throwIfAborted();
  const engine = await ready();
  const caller = new Caller(engine, options, spec);
  try {
    return await unlessAborted(caller.answer, options.signal);
  } finally {
    caller.close();
  }
}

class Caller implements Told, Taker {
  readonly #spec: CallSpec;
  readonly #transport: Transport;
  readonly #party: Party;
  readonly #exchange: Exchange;
  readonly #forget: (() => void)[];
  readonly #closed = new AbortController();
  readonly asStream: boolean;
  /** What the call is to give. */
  #value: unknown;
  #resolve!: (answer: unknown) => void;
  #reject!: (error: unknown) => void;
  readonly answer = new Promise<unknown>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  constructor(engine: Engine, options: CallOptions, spec: CallSpec) {
    this.#spec = spec;
    const { raw } = spec;
    this.#transport = raw ?? transportOf(options);
    this.asStream = raw !== undefined;
    // None is needed where there is none; an empty one is as wrong as any other.
    const given = (id: string | undefined) => (id === undefined ? "" : id || "-");
    scratch(engine, `${given(spec.agentId)}\n${given(spec.runId)}`);
    const party = new Party(engine, CALL, 0, this);
    this.#party = party;
    this.#exchange = new Exchange(party, this.#transport, this.#reject, this);
    setOptions(party, this.#transport.renewable, engineOptions(options));
    const online = (online: boolean) => void party.tell(ONLINE, online ? 1 : 0);
    this.#forget = [engine.onCrash(this.#reject), watchPlatform({ online, wake() {}, visible() {} })];
    online(isOnline());
    // The bits of `Manner` in src/js/calls.rs.
    const manner = spec.idle ? 8 : spec.look ? (spec.afterCancel ? 2 : 0) + (spec.doubted ? 4 : 0) : 1;
    party.tell(BEGIN, manner, options.timeoutMs ?? Number.POSITIVE_INFINITY);
  }

  request(): void {
    // Until it is known what becomes of it: who waits may leave before.
    this.#spec.doubted = true;
    this.#exchange.send(this.#spec);
  }

  disconnect(): void {
    this.#exchange.disconnect();
  }

  time(): void {
    this.#party.tell(TIME);
  }

  fail(error: unknown): void {
    this.#reject(error);
  }

  take(body: Uint8Array | ReadableStream<Uint8Array> | null, head: AnswerHead): void {
    const { raw, has } = this.#spec;
    if (raw) {
      this.#value = body;
      return;
    }
    const text = decoder.decode(body as Uint8Array);
    let what = `status ${head.status}, ${head.contentType ?? "no Content-Type"}`;
    try {
      const value = parse(text);
      this.#value = value;
      if (has === undefined || (has === "items" ? Array.isArray(value?.items) : value?.[has] != null)) return;
      what += `, without \`${has}\``;
    } catch {
      // What is wrong is said of the text without keys.
    }
    const redacted = this.#transport.redact(text);
    throw new UnknownAgentError(`Failed to parse Cursor API response: ${what}`, {
      ...this.#where(),
      ...head,
      code: INVALID,
      body: redacted.slice(0, EXCERPT),
      cause: faultOf(redacted),
    });
  }

  news(what: News, news: unknown[]): void {
    if (what === "look") this.#look().catch(this.#reject);
    else if (what === "end") this.#resolve(this.#value);
    else {
      const { redact } = this.#transport;
      this.#spec.doubted = news[DOUBT] !== 0;
      this.#reject(errorOf(news, this.#exchange.cause, { ...this.#where(), redact }));
    }
  }

  async #look(): Promise<void> {
    let found = UNCLEAR;
    try {
      const value = await this.#spec.look!(this.#closed.signal);
      this.#value = value;
      found = value === undefined ? NOTHING : DONE;
    } catch {
      // It cannot be told.
    }
    if (!this.#closed.signal.aborted) this.#party.tell(LOOKED, found);
  }

  #where(): { endpoint: string; operation: string } {
    const { method, path, operation } = this.#spec;
    return { endpoint: `${method} ${path.replace(/\?.*/, "")}`, operation };
  }

  close(): void {
    this.#closed.abort();
    for (const forget of this.#forget) forget();
    this.#exchange.disconnect();
    this.#party.free();
  }
}

function parse(text: string): Answer {
  return text === "" ? undefined : JSON.parse(text);
}

/** What is wrong with a text that is no JSON: an error that quotes it. */
function faultOf(text: string): unknown {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return error;
  }
}
