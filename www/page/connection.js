// The connection as the page shows it: what the run last told of it, when it tries again, and the times without one.

/** Times without a connection that are kept for showing: the newest. */
const GAPS_KEPT = 200;

/**
 * @typedef {object} Connection
 * @property {"none" | import("runwire").ConnectionState} state none: the run has not told of one yet
 * @property {number} attempt how many have failed since the last that worked
 * @property {Error} [reason] why there is a delay, where that is known
 * @property {number} delayMs how long the next attempt is waited for
 * @property {number} [retryAt] when it is due, by `performance.now()`
 */

export class ConnectionState {
  /** @type {Connection} */
  current = { state: "none", attempt: 0, delayMs: 0 };
  /** How many connections have been open. */
  opened;
  /** When there was none, in the run's time; the last may not be over. @type {{ from: number, to?: number }[]} */
  gaps;
  #now;
  /** Since when the last one is no longer open. */
  #brokeAt;

  /**
   * @param {() => number} now the run's time
   * @param {{ opened?: number, gaps?: { from: number, to?: number }[], until?: number }} [earlier] what an earlier page
   * saw, until it was left
   */
  constructor(now, { opened = 0, gaps = [], until = 0 } = {}) {
    this.#now = now;
    this.opened = opened;
    this.gaps = gaps;
    this.#brokeAt = until;
  }

  /** The run tells of a change. @param {Omit<import("runwire").ConnectionInfo, "reason"> & { reason?: unknown }} change */
  set({ state, attempt, delayMs, reason }) {
    const before = this.current.state;
    const retryAt = state === "waiting" ? performance.now() + delayMs : undefined;
    this.current = { state, attempt, delayMs, reason, retryAt };
    if (before === "open" && state !== "open") this.#brokeAt = this.#now();
    if (state === "open") {
      if (before !== "open") this.opened++;
      this.#endGap();
    } else if (state !== "closed" && this.opened > 0 && this.#gap === undefined) {
      // The last connection closes, too; a gap it is only if another is sought.
      this.gaps.push({ from: this.#brokeAt });
      if (this.gaps.length > GAPS_KEPT) this.gaps.shift();
    }
  }

  /** The run is no longer followed. */
  close() {
    this.current = { ...this.current, state: "closed", retryAt: undefined };
    this.#endGap();
  }

  /** How long there was none, in all that is kept of it. */
  get timeApart() {
    return this.gaps.reduce((sum, { from, to = this.#now() }) => sum + to - from, 0);
  }

  /** The one that is not over. */
  get #gap() {
    const last = this.gaps.at(-1);
    return last?.to === undefined ? last : undefined;
  }

  #endGap() {
    const gap = this.#gap;
    if (gap) gap.to = this.#now();
  }
}
