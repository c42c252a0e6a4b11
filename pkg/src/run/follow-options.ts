// How a run is followed: the options, what is wrong with them, and the order in which the engine takes them.

import { OPTION, RENEWABLE } from "../engine/calls.js";
import type { Party } from "../engine/party.js";
import { ConfigurationError } from "../errors/api.js";
import { maxEventBytesOf } from "../sse/decoder.js";

/** When to try again, and when to give up. */
export interface RetryOptions {
  /** The shortest delay between attempts in milliseconds. @defaultValue 250 */
  minDelayMs?: number | undefined;
  /** The longest delay between attempts in milliseconds. @defaultValue 30,000 */
  maxDelayMs?: number | undefined;
  /**
   * How long to go on without new content or a connection that stays open, in milliseconds;
   * `Infinity` for ever. Time offline does not count.
   *
   * @defaultValue 600,000 (10 minutes)
   */
  giveUpAfterMs?: number | undefined;
  /** How many attempts to make in that time. @defaultValue no limit */
  attempts?: number | undefined;
}

/** How a run's stream is followed. */
export interface FollowOptions {
  /** The longest event of the stream that is accepted, in bytes. @defaultValue 16 MiB */
  maxEventBytes?: number | undefined;
  /** When to try again, and when to give up. */
  retry?: RetryOptions | undefined;
  /** A connection without a byte for so long is replaced, in milliseconds. @defaultValue 60,000 */
  idleTimeoutMs?: number | undefined;
  /** A connection without content for so long is replaced, in milliseconds. @defaultValue 300,000 */
  stallTimeoutMs?: number | undefined;
  /** A request without an answer for so long has failed, in milliseconds. @defaultValue 30,000 */
  connectTimeoutMs?: number | undefined;
  /** How long content may follow a terminal status, in milliseconds. @defaultValue 5,000 */
  terminalGraceMs?: number | undefined;
  /** How long a connection has to give a byte after the machine woke up, in milliseconds. @defaultValue 3,000 */
  wakeProbeMs?: number | undefined;
}

const RETRY = ["minDelayMs", "maxDelayMs", "giveUpAfterMs", "attempts"] as const;
const TIMES = [
  "idleTimeoutMs",
  "stallTimeoutMs",
  "connectTimeoutMs",
  "terminalGraceMs",
  "wakeProbeMs",
] as const;

/** The options in the order of `Options::set` in src/follow/options.rs; what is absent is left to the engine. */
export function engineOptions(options: FollowOptions): (number | undefined)[] {
  const { retry = {}, maxEventBytes } = options;
  return [
    maxEventBytesOf(maxEventBytes),
    ...RETRY.map((name) => retry[name]),
    ...TIMES.map((name) => options[name]),
  ];
}

/** Tells the engine the options of a run or a call, before anything else. */
export function setOptions(party: Party, renewable: boolean, numbers: (number | undefined)[]): void {
  if (renewable) party.tell(RENEWABLE, 1);
  numbers.forEach((value, place) => {
    if (value !== undefined) party.tell(OPTION, place, value);
  });
}

const TIME = "number";
const FUNCTION = "function";

/** What each option may be: types, and texts in quotes. Numbers are at least 0. */
const RULES: Record<string, string> = {
  apiKey: "string or function",
  auth: '"bearer" or "basic"',
  baseUrl: "string or URL",
  headers: "object or function",
  credentials: '"omit" or "same-origin" or "include"',
  fetch: FUNCTION,
  lastEventIdIn: '"header" or "query"',
  signal: "AbortSignal",
  from: "string",
  onWarning: FUNCTION,
  onConnection: FUNCTION,
  onRequest: FUNCTION,
  onDelta: FUNCTION,
  onStep: FUNCTION,
  timeoutMs: TIME,
  retry: "object",
  maxEventBytes: TIME,
};
for (const name of [...RETRY, ...TIMES]) RULES[name] = TIME;

/** What a value is, in the words of {@link RULES}. */
// biome-ignore lint/suspicious/noExplicitAny: anything may have been given
function kindsOf(value: any): unknown[] {
  if (typeof value === "number") return [value >= 0 && TIME];
  if (typeof value === "string") return ["string", JSON.stringify(value)];
  // Of any realm.
  const isSignal = typeof value?.aborted === "boolean" && typeof value.addEventListener === FUNCTION;
  return [value && typeof value, isSignal && "AbortSignal", typeof value?.href === "string" && "URL"];
}

/** Throws a `ConfigurationError` that says what is wrong with options; never what a key is. */
export function checkOptions(options: object, operation: string, prefix = ""): void {
  for (const [name, value] of Object.entries(options)) {
    const rule = RULES[name];
    if (!rule || value === undefined) continue;
    const kinds = kindsOf(value);
    if (!rule.split(" or ").some((one) => kinds.includes(one))) {
      const given = typeof value === TIME || value === null ? value : `a ${typeof value}`;
      const message = `${prefix}${name} is ${given}: it must be ${rule}${rule === TIME ? ", at least 0" : ""}`;
      throw new ConfigurationError(message, { code: "invalid_option", operation });
    }
    if (name === "retry") checkOptions(value, operation, "retry.");
  }
}
