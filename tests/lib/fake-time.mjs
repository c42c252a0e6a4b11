// Time that stands still until a test passes it, in place of the platform's.

import { fakeClock } from "../simulator/lib/clock.mjs";

/**
 * Does `work` with timers and a `Date.now` that move only with `clock.advance(ms)`; `clock.timers` counts the timers.
 * What is waited for must have been loaded before (`init()`, `simulator.ready()`): files take real time.
 */
export async function withFakeTime(work) {
  const clock = fakeClock();
  const { setTimeout, clearTimeout } = globalThis;
  const { now } = Date;
  Object.assign(globalThis, { setTimeout: clock.setTimeout, clearTimeout: clock.clearTimeout });
  Date.now = clock.now;
  try {
    return await work(clock);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    Date.now = now;
  }
}
