// What can be asked of a host, and what is answered.

import { json, Refusal } from "./answers.js";
import { type Body, clientIdOf, contentOf } from "./body.js";
import type { Limits } from "./options.js";
import type { Session } from "./session.js";

/** A request to a session by somebody who may ask. */
export interface Call {
  session: Session;
  request: Request;
  body: Body;
  limits: Limits;
  /** Tells the operator of an error. */
  report: (error: unknown) => void;
}

interface Action {
  method: "GET" | "POST";
  answer: (call: Call) => Response | Promise<Response>;
}

/** Where a path leads: to the sessions, or to something about one. */
export type Route = { method: "POST"; sessionId?: undefined } | (Action & { sessionId: string });

/** The form of the ids that are given out. */
const SESSION_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["", { method: "GET", answer: ({ session }) => json(stateOf(session)) }],
  ["stream", { method: "GET", answer: stream }],
  ["messages", { method: "POST", answer: message }],
  ["interrupt", { method: "POST", answer: interrupt }],
  [
    "close",
    {
      method: "POST",
      answer: ({ session }) => {
        session.close();
        return json({});
      },
    },
  ],
  [
    "end",
    {
      method: "POST",
      answer: ({ session }) => {
        session.endInput();
        return json({});
      },
    },
  ],
  ["commands", { method: "GET", answer: commands }],
  [
    "context",
    { method: "GET", answer: async ({ session }) => json({ usage: await session.contextUsage() }) },
  ],
]);

export function routeOf(path: string, basePath: string): Route {
  const root = `${basePath}/sessions`;
  if (path === root) return { method: "POST" };
  if (!path.startsWith(`${root}/`)) throw notFound();
  const [sessionId = "", action = "", ...rest] = path.slice(root.length + 1).split("/");
  const found = ACTIONS.get(action);
  // A slash at the end is another path.
  if (!found || rest.length > 0 || (action === "" && path.endsWith("/"))) throw notFound();
  if (!SESSION_ID.test(sessionId)) throw new Refusal(404, "session_not_found", "There is no such session");
  return { ...found, sessionId };
}

const notFound = () => new Refusal(404, "not_found", "There is nothing at this path");

/** The methods of a route, as `Allow` lists them. */
export function methodsOf({ method }: Route): string {
  return method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
}

/** Whether the route has the request's method; `HEAD` is a `GET` without the body. */
export function checkMethod(route: Route, method: string): void {
  if (method === route.method || (method === "HEAD" && route.method === "GET")) return;
  const allow = methodsOf(route);
  throw new Refusal(405, "method_not_allowed", `This path has the methods ${allow}`, { allow });
}

/** What is told of a session as such. */
export function stateOf({ id, status }: Session) {
  return { id, status };
}

function stream({ session, request, limits }: Call): Response {
  const after = lastEventIdOf(request, session);
  if (session.readers >= limits.maxReaders) {
    const message = `The session has ${limits.maxReaders} readers, and no room for more`;
    throw new Refusal(429, "too_many_readers", message, { "retry-after": RETRY_AFTER });
  }
  const body = request.method === "HEAD" ? null : session.read(after, request.signal);
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Some proxies hold back what they might compress or cache.
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    },
  });
}

/** Seconds after which there may be room. */
const RETRY_AFTER = "5";

/** The id after which to go on, checked against what the session has said and still has. */
function lastEventIdOf(request: Request, { log }: Session): number | undefined {
  const header = request.headers.get("last-event-id");
  if (header === null) return undefined;
  const id = /^[1-9]\d*$/.test(header) ? Number(header) : Number.NaN;
  if (!(id <= log.last)) {
    throw new Refusal(400, "invalid_last_event_id", "Last-Event-ID is no id of this session's events");
  }
  if (id < log.dropped) {
    throw new Refusal(410, "stream_expired", "Events after Last-Event-ID are no longer kept");
  }
  return id;
}

function message({ session, body, limits }: Call): Response {
  const outcome = session.push(clientIdOf(body), contentOf(body));
  if (outcome === "over") throw new Refusal(409, "session_over", "The session takes no more messages");
  if (outcome === "full") {
    const text = `${limits.maxPending} messages wait for the agent, and there is no room for more`;
    throw new Refusal(429, "too_many_messages", text, { "retry-after": RETRY_AFTER });
  }
  return json({ accepted: true }, 202);
}

async function interrupt(call: Call): Promise<Response> {
  const clientId = call.body.clientId === undefined ? undefined : clientIdOf(call.body);
  const result = await asked(call, () => call.session.interrupt(clientId));
  return json(isJson(result) ? { result } : {});
}

async function commands(call: Call): Promise<Response> {
  return json({ items: await asked(call, () => call.session.commands()) });
}

/** What the agent answers; why it did not is the operator's to know. */
async function asked<T>({ report }: Call, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    report(error);
    throw new Refusal(502, "agent_failed", "The agent could not do that");
  }
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
