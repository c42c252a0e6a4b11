// Follows one run with runwire, as any page would, and keeps its model up to date.

import { Agent } from "runwire";
import { meteredFetch } from "../shared/meter.mjs";
import { ConnectionState } from "./connection.js";
import { RunModel } from "./model.js";

/** The relay's place on this origin: there is no key in the page. */
const BASE_URL = "/api";
/** Less patience than a product would have, because people watch: the defaults are minutes. */
const PATIENCE = { idleTimeoutMs: 6000, retry: { maxDelayMs: 4000, giveUpAfterMs: 120_000 } };
/** So long the page may be busy with messages before it lets the browser draw and react. */
const BUSY_MS = 12;
/** So long a stopped run has to end by itself. */
const STOP_GRACE_MS = 6000;

/**
 * @typedef {object} Outcome
 * @property {"ended" | "lost" | "left"} kind ended: the run is over; lost: it could not be followed; left: no longer wanted
 * @property {import("runwire").Run} [run] its record when it was over
 * @property {unknown} [error] why it was lost
 */

export class FollowedRun {
  model;
  connection;
  bytes = 0;
  stopping = false;
  /** @type {Outcome | undefined} */
  outcome;
  /** @type {number | undefined} when it was over, in the run's time */
  endedAt;
  #began;
  #abort = new AbortController();
  #run;
  #stream;
  #options;

  /**
   * @param {{ agentId: string, runId: string }} ids
   * @param {{ model?: RunModel, elapsed?: number, bytes?: number }} [earlier] what was seen of it before
   */
  constructor(ids, { model = new RunModel(), elapsed = 0, bytes = 0 } = {}) {
    this.ids = ids;
    this.model = model;
    this.bytes = bytes;
    this.#began = performance.now() - elapsed;
    this.connection = new ConnectionState(() => this.elapsed);
    const { connection } = this;
    this.#options = {
      runtime: "cloud",
      agentId: ids.agentId,
      baseUrl: BASE_URL,
      signal: this.#abort.signal,
      ...PATIENCE,
      onWarning: (warning) => this.model.warn(warning, this.elapsed),
      fetch: meteredFetch({
        request: (path) => path.endsWith("/stream") && connection.requested(),
        response: (status, path) => path.endsWith("/stream") && connection.responded(status),
        bytes: (count) => {
          this.bytes += count;
        },
        end: (failed) => connection.ended(failed),
      }),
    };
  }

  /** Milliseconds since the run was first followed; stands still when it is over. */
  get elapsed() {
    return this.endedAt ?? performance.now() - this.#began;
  }

  /** From where another page could go on, if this version of runwire can say. @returns {string | undefined} */
  get resumeToken() {
    return this.#stream?.resumeToken ?? this.#run?.resumeToken;
  }

  /**
   * Reads the run to its end; never rejects.
   * @param {string} [from] the resume token of an earlier page
   * @returns {Promise<Outcome>}
   */
  async follow(from) {
    try {
      this.#run = await Agent.getRun(this.ids.runId, this.#options);
      this.connection.listenTo(this.#run);
      this.#stream = this.#run.stream(from === undefined ? {} : { from });
      await this.#read(this.#stream);
      this.outcome = { kind: "ended", run: await this.#record() };
    } catch (error) {
      this.outcome = this.#abort.signal.aborted ? { kind: "left" } : { kind: "lost", error };
    }
    this.endedAt = performance.now() - this.#began;
    this.connection.close();
    this.model.end(this.endedAt);
    return this.outcome;
  }

  async #read(stream) {
    let since = performance.now();
    for await (const message of stream) {
      this.model.apply(message, this.elapsed);
      // What is there already is handed over without a pause: at full speed nothing else would have its turn.
      if (performance.now() - since > BUSY_MS) {
        await nextTask();
        since = performance.now();
      }
    }
  }

  /** What `wait()` gives, in this version or the next. */
  async #record() {
    if (typeof this.#run.wait === "function") await this.#run.wait();
    return Agent.getRun(this.ids.runId, this.#options);
  }

  /** Cancels the run. It goes on to its last event, which comes soon. */
  async stop() {
    if (this.stopping || this.outcome) return;
    this.stopping = true;
    const giveUp = setTimeout(() => this.leave(), STOP_GRACE_MS);
    try {
      if (typeof this.#run?.cancel === "function") await this.#run.cancel();
      else await postCancel(this.ids);
    } catch (error) {
      clearTimeout(giveUp);
      this.stopping = false;
      throw error;
    }
  }

  /** Stops following; the run itself goes on. */
  leave() {
    this.#abort.abort();
  }
}

/** Until `run.cancel()` exists: the request that it is going to make. */
async function postCancel({ agentId, runId }) {
  const response = await fetch(`${BASE_URL}/v1/agents/${agentId}/runs/${runId}/cancel`, { method: "POST" });
  // 409: it was over.
  if (!response.ok && response.status !== 409) throw new Error(`The service answered ${response.status}`);
}

function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
