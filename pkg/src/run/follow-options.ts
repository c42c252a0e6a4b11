// How a run is followed: the options, and the order in which the engine takes them.

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

/** The options in the order of `Handle::option` in src/js/handle.rs; what is absent is left to the engine. */
export function engineOptions(options: FollowOptions): (number | undefined)[] {
  const { retry = {} } = options;
  const durations = {
    "retry.minDelayMs": retry.minDelayMs,
    "retry.maxDelayMs": retry.maxDelayMs,
    "retry.giveUpAfterMs": retry.giveUpAfterMs,
    "retry.attempts": retry.attempts,
    idleTimeoutMs: options.idleTimeoutMs,
    stallTimeoutMs: options.stallTimeoutMs,
    connectTimeoutMs: options.connectTimeoutMs,
    terminalGraceMs: options.terminalGraceMs,
    wakeProbeMs: options.wakeProbeMs,
  };
  for (const [name, value] of Object.entries(durations)) {
    if (value !== undefined && !(value >= 0)) {
      throw new RangeError(`${name} is ${value}: it must be a number, at least 0`);
    }
  }
  return [maxEventBytesOf(options.maxEventBytes), ...Object.values(durations)];
}
