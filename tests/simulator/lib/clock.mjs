// A clock that stands still until it is told to go on, for tests of hours that must not take them.

/** @returns {import("runwire/testing").SimulatorClock & { advance(ms: number): Promise<void>, timers: number }} */
export function fakeClock(start = 1_713_033_000_000) {
  let now = start;
  let timers = [];
  return {
    now: () => now,
    setTimeout(callback, ms) {
      const timer = { at: now + ms, callback };
      timers.push(timer);
      return timer;
    },
    clearTimeout(timer) {
      timers = timers.filter((other) => other !== timer);
    },
    get timers() {
      return timers.length;
    },
    /** Passes the time in the order of the timers in it, and lets each of them take effect. */
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await settled();
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((other) => other !== next);
        now = Math.max(now, next.at);
        next.callback();
      }
      now = end;
      await settled();
    },
  };
}

/** All promise jobs that are due have run. */
export function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}
