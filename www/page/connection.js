// The state of the connection as the page shows it: told by the run where it tells, else seen from its requests.

/**
 * @typedef {object} Connection
 * @property {"none" | "connecting" | "open" | "waiting" | "closed"} state
 * @property {number} attempt which one this is since a connection was open, from 1
 * @property {string} [reason] why it waits or is closed
 * @property {number} [retryAt] when it tries again, by `performance.now()`, if that is known
 * @property {number} opened how many connections have been open
 */

export class ConnectionState {
  /** @type {Connection} */
  current = { state: "none", attempt: 0, opened: 0 };
  /** When there was none, in the run's time; the last may not be over. @type {{ from: number, to?: number }[]} */
  gaps = [];
  #told = false;
  #now;
  /** Since when the last one is no longer open. */
  #brokeAt = 0;

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

  /** A stream is asked for. */
  requested() {
    const { attempt, reason } = this.current;
    // Why it had to be asked for again is still so.
    if (!this.#told) this.#set("connecting", { attempt: attempt + 1, reason });
  }

  /** The answer's head is there. @param {number} status */
  responded(status) {
    if (this.#told) return;
    if (status === 200) this.#set("open", { attempt: 0 });
    else this.#set("waiting", { reason: `answer ${status}` });
  }

  /** The stream is over, or there was no answer at all. @param {boolean} failed not by itself */
  ended(failed) {
    if (this.#told) return;
    if (failed) this.#set("waiting", { reason: "cut off" });
    else this.#set("closed", {});
  }

  /** The run is no longer followed. */
  close() {
    if (this.current.state !== "closed") this.#set("closed", {});
    const gap = this.gaps.at(-1);
    if (gap) gap.to ??= this.#now();
  }

  #set(state, { attempt = this.current.attempt, delay, delayMs = delay, reason }) {
    const before = this.current;
    const opened = before.opened + (state === "open" && before.state !== "open" ? 1 : 0);
    const retryAt = state === "waiting" && delayMs !== undefined ? performance.now() + delayMs : undefined;
    this.current = { state, attempt, reason: reason && String(reason), retryAt, opened };
    if (before.state === "open") this.#brokeAt = this.#now();
    const gap = this.gaps.at(-1);
    const inGap = gap !== undefined && gap.to === undefined;
    if (state === "open" && inGap) gap.to = this.#now();
    // The last connection closes, too; a gap it is only if another is sought.
    const seeks = state === "waiting" || state === "connecting";
    if (seeks && opened > 0 && !inGap) this.gaps.push({ from: this.#brokeAt });
  }
}
