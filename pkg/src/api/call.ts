// One call of the API: its options, its request, and its answer as JSON.

import { BEGIN, CALL, ONLINE, TIME } from "../engine/calls.js";
import type { News, Told } from "../engine/host.js";
import { type Engine, ready } from "../engine/instance.js";
import { Party, scratch } from "../engine/party.js";
import { errorOf, UnknownAgentError } from "../errors/api.js";
import { type ApiRequest, Exchange } from "../run/exchange.js";
import { checkOptions, engineOptions, type RetryOptions, setOptions } from "../run/follow-options.js";
import { type RequestOptions, type Transport, transportOf, unlessAborted } from "../run/transport.js";
import { watchPlatform } from "../run/waking.js";
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
  /** Sending it twice may do more than sending it once. */
  once?: boolean | undefined;
}

/** The code of an answer that is a good one, but not JSON. */
export const INVALID = "invalid_answer";

/** How much of such an answer is kept. */
const EXCERPT = 64 * 1024;

const decoder = new TextDecoder();

/** An agent's place. Whatever an id holds, it cannot reach another. */
export function agentPath(agentId: string): string {
  return `/v1/agents/${encodeURIComponent(agentId)}`;
}

/** Makes a call; gives the JSON of its answer. */
// biome-ignore lint/suspicious/noExplicitAny: what the service sends is looked at by who called
export async function call(given: CallOptions, spec: CallSpec): Promise<any> {
  checkOptions(given, spec.operation);
  const options = withDefaults(given);
  options.signal?.throwIfAborted();
  const engine = await ready();
  const caller = new Caller(engine, options, spec);
  try {
    return await unlessAborted(caller.answer, options.signal);
  } finally {
    caller.close();
  }
}

class Caller implements Told {
  readonly #spec: CallSpec;
  readonly #transport: Transport;
  readonly #party: Party;
  readonly #exchange: Exchange;
  readonly #forget: (() => void)[];
  #resolve!: (answer: unknown) => void;
  #reject!: (error: unknown) => void;
  readonly answer = new Promise<unknown>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  constructor(engine: Engine, options: CallOptions, spec: CallSpec) {
    this.#spec = spec;
    this.#transport = transportOf(options);
    // None is needed where there is none; an empty one is as wrong as any other.
    const given = (id: string | undefined) => (id === undefined ? "" : id || "-");
    scratch(engine, `${given(spec.agentId)}\n${given(spec.runId)}`);
    const party = new Party(engine, CALL, 0, this);
    this.#party = party;
    this.#exchange = new Exchange(party, this.#transport, this.#reject, true);
    setOptions(party, this.#transport.renewable, engineOptions(options));
    const online = (online: boolean) => void party.tell(ONLINE, online ? 1 : 0);
    this.#forget = [engine.onCrash(this.#reject), watchPlatform({ online, wake() {}, visible() {} })];
    if (globalThis.navigator?.onLine === false) online(false);
    party.tell(BEGIN, spec.once ? 0 : 1, options.timeoutMs ?? Number.POSITIVE_INFINITY);
  }

  request(): void {
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

  news(what: News, news: unknown[]): void {
    const { cause, answer } = this.#exchange;
    const { method, path, operation } = this.#spec;
    const endpoint = `${method} ${path.replace(/\?.*/, "")}`;
    if (what === "fail") {
      this.#reject(errorOf(news, cause, { endpoint, operation, redact: this.#transport.redact }));
      return;
    }
    const { bytes, ...head } = answer!;
    const text = decoder.decode(bytes);
    try {
      this.#resolve(parse(text));
    } catch {
      const body = this.#transport.redact(text);
      const what = `status ${head.status}, ${head.contentType ?? "no Content-Type"}`;
      const details = { code: INVALID, endpoint, operation, body: body.slice(0, EXCERPT), ...head };
      const cause = faultOf(body);
      this.#reject(
        new UnknownAgentError(`Failed to parse Cursor API response: ${what}`, { ...details, cause }),
      );
    }
  }

  close(): void {
    for (const forget of this.#forget) forget();
    this.#exchange.disconnect();
    this.#party.free();
  }
}

function parse(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

/** What is wrong with a text that is no JSON: an error that quotes it. */
function faultOf(text: string): unknown {
  try {
    return parse(text) && undefined;
  } catch (error) {
    return error;
  }
}
