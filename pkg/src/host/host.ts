// The fetch handler, from the request to the answer.

import { runQuery } from "../kit/run-query.js";
import { json, Refusal } from "./answers.js";
import { type Gate, gateOf } from "./authorize.js";
import { clientIdOf, promptOf, readBody } from "./body.js";
import { SessionInput } from "./input.js";
import {
  type AgentOptions,
  basePathOf,
  type Limits,
  limitsOf,
  queryOf,
  type SessionHostOptions,
} from "./options.js";
import { Origins, optionsAnswer } from "./origins.js";
import { checkMethod, methodsOf, type Route, routeOf, stateOf } from "./routes.js";
import { Session } from "./session.js";
import { hostClosed, Sessions } from "./sessions.js";

/** What an operator may know of a session. */
export interface HostedSession {
  readonly id: string;
  /** The identity that `authorize` gave; `undefined` for somebody without one. */
  readonly user: string | undefined;
  readonly status: "RUNNING" | "FINISHED";
  /** Open streams. */
  readonly readers: number;
}

/** Serves agent sessions over HTTP. The wire format is in docs/session-protocol.md. */
export interface SessionHost {
  /**
   * Answers a request. Bound, so that it can be given to `Bun.serve`, `Deno.serve` or a router as it is; for Node see
   * `runwire/host/node`. It can also be the `fetch` of a client in the same process, as in tests. Never rejects: what
   * goes wrong is an answer, and `onError` is told.
   *
   * @param init only for an address: what servers give beside a request is not looked at
   */
  readonly fetch: (request: Request | string | URL, init?: unknown) => Promise<Response>;
  /** The sessions at this moment, those that are over and still kept included. */
  readonly sessions: readonly HostedSession[];
  /** Closes all sessions, and resolves when their agents have ended. Requests get 503 `host_closed` from then on. */
  close(): Promise<void>;
}

/**
 * Makes a host: agent sessions that are begun, followed and talked to over HTTP. A session works on whether or not
 * somebody reads; what it says is kept, within limits, for readers who come late or come back.
 *
 * @throws ConfigurationError with code `invalid_option` when `authorize` or `query` is missing, or an option is not
 * what it must be
 *
 * @example
 * ```ts
 * import { query } from "@anthropic-ai/claude-agent-sdk";
 * const host = createSessionHost({
 *   query,
 *   authorize: (request) => userOf(request.headers.get("cookie")),
 *   options: ({ user }) => ({ cwd: `/srv/${user}`, includePartialMessages: true }),
 * });
 * Deno.serve(host.fetch);
 * ```
 */
export function createSessionHost(options: SessionHostOptions): SessionHost {
  const handler = new Handler(options);
  return {
    fetch: async (request, init) => {
      const isAddress = typeof request === "string" || request instanceof URL;
      return handler.fetch(isAddress ? new Request(request, init as RequestInit) : request);
    },
    get sessions() {
      return handler.summary();
    },
    close: () => handler.close(),
  };
}

const FAILED = "The session has failed";

class Handler {
  readonly #options: SessionHostOptions;
  readonly #gate: Gate;
  readonly #limits: Limits;
  readonly #basePath: string;
  readonly #origins: Origins;
  readonly #sessions: Sessions;

  constructor(options: SessionHostOptions) {
    queryOf(options);
    this.#options = options;
    this.#gate = gateOf(options.authorize);
    this.#limits = limitsOf(options);
    this.#basePath = basePathOf(options);
    this.#origins = new Origins(options.origins ?? []);
    this.#sessions = new Sessions(this.#limits);
  }

  summary(): HostedSession[] {
    return [...this.#sessions].map(({ id, user, status, readers }) => ({ id, user, status, readers }));
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }

  async fetch(request: Request): Promise<Response> {
    let origin: string | undefined;
    try {
      const url = new URL(request.url);
      origin = this.#origins.check(request, url);
      return this.#origins.share(await this.#answer(request, url.pathname, origin), origin);
    } catch (error) {
      return this.#origins.share(this.#refusal(error).response, origin);
    }
  }

  /** A failure that is no refusal is one of the operator's functions. */
  #refusal(error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    this.#report(error, undefined);
    return new Refusal(500, "internal_error", "The host could not do that");
  }

  async #answer(request: Request, path: string, origin: string | undefined): Promise<Response> {
    const route = routeOf(path, this.#basePath);
    if (request.method === "OPTIONS") return optionsAnswer(request, methodsOf(route), origin);
    checkMethod(route, request.method);
    if (this.#sessions.isClosed) throw hostClosed();
    const answer = await this.#answerIfAllowed(request, route);
    return request.method === "HEAD" ? new Response(null, answer) : answer;
  }

  async #answerIfAllowed(request: Request, route: Route): Promise<Response> {
    const { sessionId } = route;
    const visitor = await this.#gate(
      request,
      sessionId === undefined ? { action: "create", sessionId } : { action: "join", sessionId },
    );
    if (visitor instanceof Response) return visitor;
    if (sessionId === undefined) return this.#create(request, visitor.user);
    const session = this.#sessions.find(sessionId, visitor.user);
    session.touch();
    const body = await readBody(request, this.#limits.maxBodyBytes);
    const report = (error: unknown) => this.#report(error, sessionId);
    return route.answer({ session, request, body, limits: this.#limits, report });
  }

  async #create(request: Request, user: string | undefined): Promise<Response> {
    const body = await readBody(request, this.#limits.maxBodyBytes);
    const prompt = promptOf(body);
    const { session, isNew } = await this.#sessions.open(user, clientIdOf(body), async () => {
      const options = await this.#queryOptions(request, user);
      return () => this.#begin(user, prompt, options);
    });
    return json(stateOf(session), isNew ? 201 : 200);
  }

  async #queryOptions(request: Request, user: string | undefined): Promise<AgentOptions> {
    const { options } = this.#options;
    return typeof options === "function" ? await options({ request, user }) : { ...options };
  }

  #begin(user: string | undefined, prompt: string | undefined, options: AgentOptions): Session {
    const id = crypto.randomUUID();
    const input = prompt === undefined ? new SessionInput() : undefined;
    const run = runQuery(input?.iterable ?? prompt!, { ...options, query: this.#options.query });
    const describe = (error: unknown) => {
      this.#report(error, id);
      return this.#described(error);
    };
    return new Session({ id, user, run, input, limits: this.#limits, describe });
  }

  #described(error: unknown): string {
    const { describeError } = this.#options;
    if (!describeError) return FAILED;
    try {
      return String(describeError(error));
    } catch (failure) {
      this.#report(failure, undefined);
      return FAILED;
    }
  }

  #report(error: unknown, sessionId: string | undefined): void {
    const { onError = (reason) => console.error(reason) } = this.#options;
    // What it throws itself is unhandled, as anywhere: nothing here can tell of it.
    void (async () => onError(error, { sessionId }))();
  }
}
