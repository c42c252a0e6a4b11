// The state of the connection as the page shows it: told by the run where it tells, else seen from its requests.

/**
 * @typedef {object} Connection
 * @property {"none" | "connecting" | "open" | "waiting" | "closed"} state
 * @property {number} attempt which one this is, from 1
 * @property {string} [reason] why it waits or is closed
 * @property {number} [retryAt] when it tries again, by `performance.now()`
 * @property {number} opened how many connections have been open
 */

export class ConnectionState {
  /** @type {Connection} */
  current = { state: "none", attempt: 0, opened: 0 };
  /** When there was none, in the run's time; the last may not be over. @type {{ from: number, to?: number }[]} */
  gaps = [];
  version = 0;
  #told = false;
  #now;

  /** @param {() => number} now the run's time */
  constructor(now) {
    this.#now = now;
  }

  /** Takes the run's own word from now on, if it has one. @param {any} run */
  listenTo(run) {
    if (typeof run.onDidChangeConnection !== "function") return;
    run.onDidChangeConnection((change) => {
      this.#told = true;
      this.#set(change.state, change);
    });
  }

  /** What the fetch saw. */
  requested() {
    if (!this.#told) this.#set("connecting", { attempt: this.current.attempt + 1 });
  }

  responded(status) {
    if (this.#told) return;
    if (status === 200) this.#set("open", {});
    else this.#set("closed", { reason: `The service answered ${status}` });
  }

  ended(failed) {
    if (!this.#told) this.#set("closed", { reason: failed ? "The connection was lost" : undefined });
  }

  #set(state, { attempt = this.current.attempt, delay, delayMs = delay, reason }) {
    const opened = this.current.opened + (state === "open" && this.current.state !== "open" ? 1 : 0);
    const retryAt = state === "waiting" ? performance.now() + (delayMs ?? 0) : undefined;
    this.current = { state, attempt, reason: reason && String(reason), retryAt, opened };
    this.version++;
    const gap = this.gaps.at(-1);
    const inGap = gap !== undefined && gap.to === undefined;
    if (state === "open" && inGap) gap.to = this.#now();
    if (state === "waiting" && !inGap) this.gaps.push({ from: this.#now() });
  }
}
