// Follows one run with runwire, as any page would, and keeps its model up to date.

import { Agent } from "runwire";
import { meteredFetch } from "../shared/meter.mjs";
import { ConnectionState } from "./connection.js";
import { RunModel } from "./model.js";
import { readAll } from "./reading.js";

/** The relay's place on this origin: there is no key in the page. */
const BASE_URL = "/api";
/** Less patience than a product would have, because people watch: the defaults are minutes. */
const PATIENCE = { idleTimeoutMs: 6000, retry: { maxDelayMs: 4000, giveUpAfterMs: 120_000 } };
/** Between attempts to fetch the run's record, which is asked for once: its handle needs it. */
const RECORD_DELAY_MS = 1500;

/**
 * @typedef {object} Outcome
 * @property {"ended" | "lost" | "left"} kind ended: it is known how; lost: it is not; left: no longer wanted
 * @property {import("runwire").RunResult} [result] how it ended
 * @property {unknown} [error] why that is not known
 */

/**
 * @typedef {object} Seen what was seen of a run, as JSON would have it
 * @property {string} [token] where the stream was
 * @property {any} model
 * @property {number} bytes
 * @property {number} elapsed
 * @property {number} at when that was, in milliseconds since 1970
 * @property {{ opened: number, gaps: { from: number, to?: number }[] }} connection
 */

export class FollowedRun {
  model;
  connection;
  bytes;
  /** @type {import("runwire").RunStatus | "expired" | undefined} absent until the run's handle is there */
  status;
  /** It is being cancelled. */
  stopping = false;
  /** Why its stream could not be read to the end; the run itself may still go on. @type {unknown} */
  streamError;
  /** @type {Outcome | undefined} */
  outcome;
  #token;
  #began;
  /** When it was over, in the run's time. @type {number | undefined} */
  #endedAt;
  #abort = new AbortController();
  /** @type {Promise<import("runwire").Run> | undefined} */
  #run;
  /** @type {import("runwire").MessageStream<import("runwire").SDKMessage> | undefined} */
  #stream;

  /**
   * @param {{ agentId: string, runId: string }} ids
   * @param {Seen} [seen] by an earlier page, which is gone on from
   */
  constructor(ids, seen) {
    const model = seen?.token === undefined ? undefined : RunModel.from(seen.model);
    const { token, bytes = 0, elapsed = 0, at = Date.now(), connection } = model ? seen : {};
    this.ids = ids;
    this.model = model ?? new RunModel();
    this.bytes = bytes;
    this.#token = token;
    this.#began = performance.now() - elapsed - Math.max(Date.now() - at, 0);
    this.connection = new ConnectionState(() => this.elapsed, { ...connection, until: elapsed });
  }

  /** Milliseconds since the run was first followed; stands still when it is over. */
  get elapsed() {
    return this.#endedAt ?? performance.now() - this.#began;
  }

  /** What another page needs to go on exactly here. @returns {Seen} */
  snapshot() {
    const { bytes, elapsed, connection } = this;
    return {
      token: this.#stream?.resumeToken ?? this.#token,
      model: this.model.snapshot(),
      ...{ bytes, elapsed, at: Date.now() },
      connection: { opened: connection.opened, gaps: connection.gaps },
    };
  }

  /**
   * Follows the run to its end; never rejects.
   * @param {(error: unknown) => void} streamLost called when its stream cannot be read further
   * @returns {Promise<Outcome>}
   */
  async follow(streamLost) {
    const { signal } = this.#abort;
    try {
      this.#run = this.#open();
      const run = await this.#run;
      run.onDidChangeConnection((change) => this.connection.set(change));
      this.#stream = run.stream(this.#token === undefined ? {} : { from: this.#token });
      try {
        const reading = readAll(this.#stream, (message) => this.model.apply(message, this.elapsed));
        // After the first read: whoever listens reads along, and alone would need a connection of their own.
        this.#listen(run);
        await reading;
      } catch (error) {
        signal.throwIfAborted();
        this.streamError = error;
        this.model.end(this.elapsed);
        streamLost(error);
      }
      this.outcome = { kind: "ended", result: await run.wait({ signal }) };
    } catch (error) {
      this.outcome = signal.aborted ? { kind: "left" } : { kind: "lost", error };
    }
    this.#endedAt = this.elapsed;
    this.connection.close();
    this.model.end(this.#endedAt);
    return this.outcome;
  }

  /** The run's handle. Its record may be out of reach just now, as when a page is reloaded in an outage. */
  async #open() {
    const { signal } = this.#abort;
    const options = {
      runtime: "cloud",
      agentId: this.ids.agentId,
      baseUrl: BASE_URL,
      signal,
      ...PATIENCE,
      onWarning: (warning) => this.model.warn(warning, this.elapsed),
      fetch: meteredFetch((count) => {
        this.bytes += count;
      }),
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return await Agent.getRun(this.ids.runId, options);
      } catch (error) {
        const patient = error.isRetryable && attempt * RECORD_DELAY_MS < PATIENCE.retry.giveUpAfterMs;
        if (!patient || signal.aborted) throw error;
        this.connection.set({ state: "waiting", attempt, delayMs: RECORD_DELAY_MS, reason: error });
        await pause(RECORD_DELAY_MS, signal);
      }
    }
  }

  /** @param {import("runwire").Run} run */
  #listen(run) {
    const take = (status) => {
      this.status = status === "error" && run.error?.code === "expired" ? "expired" : status;
    };
    take(run.status);
    run.onDidChangeStatus(take);
  }

  /** Cancels the run. What had come until then is still read. */
  async stop() {
    if (this.stopping || this.outcome) return;
    this.stopping = true;
    try {
      const run = await this.#run;
      await run?.cancel();
    } finally {
      this.stopping = false;
    }
  }

  /** Stops following; the run itself goes on. */
  leave() {
    this.#abort.abort();
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
