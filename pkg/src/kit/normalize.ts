// normalizeMessages: events of messages, where no session is to be controlled.

import { type MessagesOptions, runQuery, type SessionOptions } from "./run-query.js";
import type { AgentEvents } from "./types.js";

/**
 * The events that an SDK's messages stand for: of an async iterable, a stream of objects, or of an answer whose body
 * is an event stream or lines of JSON. Leaving a loop closes what they come from.
 *
 * @example
 * ```ts
 * const log = new Response(await readFile("session.jsonl"), { headers: { "content-type": "application/x-ndjson" } });
 * for await (const event of normalizeMessages(log)) console.log(event);
 * ```
 */
export function normalizeMessages(
  messages: MessagesOptions["messages"],
  options: SessionOptions = {},
): AgentEvents {
  return runQuery("", { ...options, messages }).events;
}
