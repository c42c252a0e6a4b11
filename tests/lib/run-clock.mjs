// A clock whose speed a test sets, for the simulator: what the test looks at does not run away from a slow machine.

/** @implements {import("runwire/testing").SimulatorClock} */
export class RunClock {
  #rate = 1;
  #since = performance.now();
  #then = Date.now();
  #timers = new Set();
  #alarm;

  now() {
    return this.#then + (performance.now() - this.#since) * this.#rate;
  }

  /** How much time passes in a second of the machine's, in seconds; more than 0. */
  set rate(rate) {
    this.#then = this.now();
    this.#since = performance.now();
    this.#rate = rate;
    this.#set();
  }

  setTimeout(callback, ms) {
    const timer = { at: this.now() + ms, callback };
    this.#timers.add(timer);
    this.#set();
    return timer;
  }

  clearTimeout(timer) {
    this.#timers.delete(timer);
    this.#set();
  }

  #set() {
    clearTimeout(this.#alarm);
    if (this.#timers.size === 0) return;
    const next = Math.min(...[...this.#timers].map(({ at }) => at));
    this.#alarm = setTimeout(() => this.#ring(), Math.max(0, (next - this.now()) / this.#rate));
  }

  #ring() {
    const now = this.now();
    for (const timer of [...this.#timers]) {
      if (timer.at <= now && this.#timers.delete(timer)) timer.callback();
    }
    this.#set();
  }
}
