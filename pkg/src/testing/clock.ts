// Time, and waiting for it.

/** A source of time: the platform's by default, a test's own where waiting must not take any. */
export interface SimulatorClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after that many milliseconds, and returns what `clearTimeout` takes. */
  setTimeout(callback: () => void, ms: number): unknown;
  /** Takes a `setTimeout` back. */
  clearTimeout(timer: unknown): void;
}

/** Looked up at each use, so that a test's replaced timers are used, too. */
export const platformClock: SimulatorClock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
  clearTimeout: (timer) => globalThis.clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** The longest that a platform's timer can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** Those who wait for a time, and can be woken before it. */
export class Waiters {
  readonly #clock: SimulatorClock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: SimulatorClock) {
    this.#clock = clock;
  }

  /** Resolves at the time, when woken, or when the signal aborts; it says nothing about which. */
  until(time: number, signal?: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const ms = Math.ceil(time - this.#clock.now());
      const timer =
        time === Number.POSITIVE_INFINITY
          ? undefined
          : this.#clock.setTimeout(() => wake(), Math.min(Math.max(ms, 0), LONGEST_MS));
      const wake = () => {
        if (!this.#waiting.delete(wake)) return;
        if (timer !== undefined) this.#clock.clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      if (signal?.aborted) wake();
      else signal?.addEventListener("abort", wake);
    });
  }

  wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
