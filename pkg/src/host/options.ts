// How a session host is set up.

import { ConfigurationError } from "../errors/api.js";
import type { QueryFunction } from "../kit/types.js";
import type { Authorize } from "./authorize.js";

/** For whom the options of a session are made. */
export interface SessionContext {
  /** The request that begins the session; its body has been read. */
  request: Request;
  /** The identity that `authorize` gave; `undefined` for somebody without one. */
  user: string | undefined;
}

/** The options of `runQuery` but for `query`: most are the agent SDK's own. */
export type AgentOptions = Record<string, unknown>;

/** What a {@link SessionHost} holds at most, and for how long. Times are in milliseconds; `Infinity` is no limit. */
export interface SessionHostLimits {
  /**
   * Sessions at a time. Those that are over make room for new ones before their `keepMs` have passed; while all go on,
   * a new one is refused with 503 `too_many_sessions`.
   * @defaultValue 100
   */
  maxSessions?: number | undefined;
  /**
   * Bytes of a request's body; a longer one is refused with 413 `body_too_large`.
   * @defaultValue 1048576, which is 1 MiB
   */
  maxBodyBytes?: number | undefined;
  /**
   * Bytes of events that are kept of a session, as they are sent. The oldest are dropped; the newest is always kept.
   * @defaultValue 2097152, which is 2 MiB
   */
  maxLogBytes?: number | undefined;
  /**
   * Open streams of one session; another is refused with 429 `too_many_readers`.
   * @defaultValue 32
   */
  maxReaders?: number | undefined;
  /**
   * Messages of one session that no turn has taken up yet; another is refused with 429 `too_many_messages`.
   * @defaultValue 64
   */
  maxPending?: number | undefined;
  /**
   * Client ids of messages that are remembered of one session, and of interruptions: of so many, the oldest is
   * forgotten.
   * @defaultValue 1000
   */
  maxClientIds?: number | undefined;
  /**
   * A session is closed when for so long nobody has read, nothing was asked of it and it has said nothing.
   * @defaultValue 1800000, which is 30 minutes
   */
  idleMs?: number | undefined;
  /**
   * How long a session can still be read when it is over.
   * @defaultValue 300000, which is 5 minutes
   */
  keepMs?: number | undefined;
  /**
   * After so long without an event, a comment is sent to those who wait for one.
   * Shorter than what servers and proxies take for dead: `Bun.serve` ends what is silent for its `idleTimeout`, 10 s.
   * @defaultValue 8000
   */
  heartbeatMs?: number | undefined;
}

/** Options of `createSessionHost`. */
export interface SessionHostOptions extends SessionHostLimits {
  /** The agent SDK's `query`, or a function of its shape. Called once for each session. */
  query: QueryFunction;
  /**
   * Who may do what: asked for every request but preflights. `"public"` lets everybody who reaches the host begin
   * sessions, and join those whose id they know: pages, too, whose name was made to lead to the host, unless the server
   * checks by which name it is asked, as `runwire/host/node` does.
   */
  authorize: Authorize | "public";
  /**
   * The agent's options for a session, such as the SDK's `cwd` and `includePartialMessages`, or a function that makes them. Nothing of the request's body gets into
   * them. When the function throws, no session begins: the answer is 500 and `onError` is told.
   * @defaultValue none
   */
  options?: AgentOptions | ((context: SessionContext) => AgentOptions | Promise<AgentOptions>) | undefined;
  /**
   * The path in front of `/sessions`, such as `/agent`.
   * @defaultValue ""
   */
  basePath?: string | undefined;
  /**
   * Origins, such as `https://app.example.com`, whose pages may use the host beside its own. They may send cookies.
   * @defaultValue none
   */
  origins?: readonly string[] | undefined;
  /**
   * What readers are told when a session fails. Errors of a server may hold what is not for them: paths, addresses,
   * keys.
   * @defaultValue a sentence that says nothing about the error
   */
  describeError?: ((error: unknown) => string) | undefined;
  /**
   * Is told what went wrong on this side: a session that failed, an agent that refused a command, a function of these
   * options that threw.
   * @defaultValue `console.error`
   */
  onError?: ((error: unknown, context: { sessionId: string | undefined }) => void) | undefined;
}

/** All of them. */
export type Limits = Record<keyof SessionHostLimits, number>;

const LIMITS: Limits = {
  maxSessions: 100,
  maxBodyBytes: 2 ** 20,
  maxLogBytes: 2 * 2 ** 20,
  maxReaders: 32,
  maxPending: 64,
  maxClientIds: 1_000,
  idleMs: 30 * 60_000,
  keepMs: 5 * 60_000,
  heartbeatMs: 8_000,
};

/** The limits with what was not given. */
export function limitsOf(options: SessionHostLimits): Limits {
  const limits = { ...LIMITS };
  for (const name of Object.keys(LIMITS) as (keyof SessionHostLimits)[]) {
    const value = options[name];
    if (value === undefined) continue;
    if (typeof value !== "number" || !(value > 0))
      throw invalid(`\`${name}\` must be a number greater than 0`);
    limits[name] = value;
  }
  return limits;
}

/** The path in front of the routes, without a slash at its end. */
export function basePathOf({ basePath = "" }: SessionHostOptions): string {
  if (typeof basePath === "string" && (basePath === "" || basePath.startsWith("/"))) {
    // As the paths of requests are written.
    return new URL(`http://host${basePath}`).pathname.replace(/\/+$/, "");
  }
  throw invalid('`basePath` must be a path such as "/agent", or empty');
}

export function queryOf({ query }: SessionHostOptions): QueryFunction {
  if (typeof query === "function") return query;
  throw invalid("`query` must be the agent SDK's `query`, or a function of its shape");
}

function invalid(message: string): ConfigurationError {
  return new ConfigurationError(message, { code: "invalid_option", operation: "createSessionHost" });
}
