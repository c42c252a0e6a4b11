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

/** What an option must be, and whether something is that. */
// biome-ignore lint/suspicious/noExplicitAny: anything may have been given
type Rule = [expected: string, holds: (value: any) => boolean];

const is = (type: string) => (value: unknown) => typeof value === type && value !== null;
const either = (...types: string[]): Rule => [
  types.map((type) => (type === "object" ? "an object" : `a ${type}`)).join(" or "),
  (value) => types.some((type) => is(type)(value)),
];
const oneOf = (...names: string[]): Rule => [names.join(" or "), (value) => names.includes(value)];
const least = (number: number): Rule => [
  `a number, at least ${number}`,
  (value) => typeof value === "number" && value >= number,
];

const FUNCTION = either("function");
const OBJECT = either("object");
const RETRY_RULES = Object.fromEntries(RETRY.map((name) => [name, least(0)]));
const RULES: Record<string, Rule> = {
  apiKey: either("string", "function"),
  auth: oneOf("bearer", "basic"),
  baseUrl: ["a string or a URL", (value) => typeof value === "string" || typeof value?.href === "string"],
  headers: [
    "an object, a list of pairs or a function",
    (value) => Object(value) === value && !is("string")(value[0]),
  ],
  credentials: oneOf("omit", "same-origin", "include"),
  fetch: FUNCTION,
  lastEventIdIn: oneOf("header", "query"),
  signal: [
    "an AbortSignal",
    (value) => typeof value?.aborted === "boolean" && is("function")(value.addEventListener),
  ],
  from: either("string"),
  model: ["a model: { id, params }", (value) => is("string")(value?.id)],
  onWarning: FUNCTION,
  onConnection: FUNCTION,
  onRequest: FUNCTION,
  onDelta: FUNCTION,
  onStep: FUNCTION,
  timeoutMs: least(0),
  retry: OBJECT,
  maxEventBytes: least(1),
  ...Object.fromEntries(TIMES.map((name) => [name, least(0)])),
};

/** Throws a `ConfigurationError` that says what is wrong with options; never what a key is. */
export function checkOptions(options: object | undefined, operation?: string): void {
  check({ options }, { options: OBJECT }, operation);
  check(options, RULES, operation);
  check((options as FollowOptions | undefined)?.retry, RETRY_RULES, operation, "retry.");
}

function check(
  options: object | undefined,
  rules: Record<string, Rule>,
  operation: string | undefined,
  prefix = "",
): void {
  for (const [name, [expected, holds]] of Object.entries(rules)) {
    const value = (options as Record<string, unknown> | undefined)?.[name];
    if (value === undefined || holds(value)) continue;
    // Only of numbers that are none of a key's it is sure that they may be shown.
    const isShown = value === null || (typeof value === "number" && expected.startsWith("a number"));
    const message = `${prefix}${name} is ${isShown ? value : `of type ${typeof value}`}: it must be ${expected}`;
    throw new ConfigurationError(message, { code: "invalid_option", operation });
  }
}
