// One run whose every answer is the test's, as a `fetch` that keeps account: what was asked, what is still open.

import { Agent } from "runwire";
import { agentId, run, runId } from "./run-ids.mjs";

const path = `/v1/agents/${agentId}/runs/${runId}`;
const kinds = { [path]: "record", [`${path}/stream`]: "stream", [`${path}/cancel`]: "cancel" };

export const frame = (event, data, id) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
export const status = (state, more = {}) => frame("status", { runId, status: state, ...more });
/** The text of an assistant frame, under the id `<n>-0`. */
export const text = (n, words = `${n};`) => frame("assistant", { text: words }, `${n}-0`);
export const result = (data = {}) => frame("result", { runId, ...data }, "end");
export const done = frame("done", {}, "end");
export const whole = result({ status: "FINISHED", text: "All done", durationMs: 7 }) + done;

/** An answer that is an error of the API's. */
export const refusal = (code, name, headers) =>
  Response.json({ error: { code: name, message: `It is ${name}` } }, { status: code, headers });

/** What goes over one connection, said by the test. */
export class Connection {
  #forget;
  #sent = 0;
  #controller;
  #encoder = new TextEncoder();

  constructor(signal) {
    this.body = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#close(),
      },
      { highWaterMark: 0 },
    );
    const abort = () => this.fail(signal.reason);
    signal.addEventListener("abort", abort);
    this.#forget = () => signal.removeEventListener("abort", abort);
  }

  get open() {
    return this.#forget !== undefined;
  }

  #close() {
    this.#forget?.();
    this.#forget = undefined;
  }

  get response() {
    return new Response(this.body, { headers: { "content-type": "text/event-stream" } });
  }

  send(...texts) {
    return this.sendBytes(...texts.map((words) => this.#encoder.encode(words)));
  }

  sendBytes(...chunks) {
    for (const chunk of chunks) this.#controller.enqueue(chunk);
    this.#sent += chunks.length;
    return this;
  }

  /** How many of the texts sent have been read. */
  get taken() {
    return this.#sent + this.#controller.desiredSize;
  }

  end(...texts) {
    this.send(...texts);
    this.#close();
    this.#controller.close();
    return this;
  }

  fail(error = new TypeError("The connection is lost")) {
    if (!this.open) return;
    this.#close();
    this.#controller.error(error);
  }
}

/**
 * The run as a service. `record`, `stream` and `cancel` say what the nth request of that kind gets (counted from 1):
 * a `Response`, or for the record members of it (others are those of a run that goes on), for the stream what is done
 * with its {@link Connection}; what they throw, `fetch` rejects with.
 */
export function scriptedRun({ record = {}, stream = () => {}, cancel = {} } = {}) {
  const answers = { record, stream, cancel };
  const service = {
    /** `{ kind, method, path, headers, init, at }` of each. */
    requests: [],
    connections: [],
    /** Requests without an answer. */
    pending: 0,
    /** Requests without an answer, and bodies that have not ended. */
    get open() {
      return service.pending + service.connections.filter(({ open }) => open).length;
    },
    count: (kind) => service.requests.filter((request) => request.kind === kind).length,
    of: (kind) => service.requests.filter((request) => request.kind === kind),
    async fetch(address, init) {
      const url = new URL(address);
      const kind = kinds[url.pathname];
      const { method, signal, headers } = init;
      service.requests.push({
        kind,
        method,
        path: url.pathname + url.search,
        headers: new Headers(headers),
        init,
        at: Date.now(),
      });
      signal.throwIfAborted();
      service.pending++;
      let stop;
      const aborted = new Promise((_, reject) => {
        stop = () => reject(signal.reason);
        signal.addEventListener("abort", stop);
      });
      try {
        return await Promise.race([answer(kind, service.count(kind), init), aborted]);
      } finally {
        service.pending--;
        signal.removeEventListener("abort", stop);
      }
    },
    /** The run's handle. */
    handle: (options = {}) => Agent.getRun(runId, { ...run, fetch: service.fetch, ...options }),
  };

  async function answer(kind, n, init) {
    const given = answers[kind];
    if (kind === "stream") {
      const connection = new Connection(init.signal);
      const response = await given(connection, n, init);
      if (response instanceof Response) return response;
      service.connections.push(connection);
      return connection.response;
    }
    const made = typeof given === "function" ? await given(n, init) : given;
    if (made instanceof Response) return made;
    const base = { id: runId, agentId, status: "RUNNING", createdAt: "2026-01-01T00:00:00Z" };
    return Response.json(kind === "record" ? { ...base, ...made } : { id: runId, ...made });
  }

  return service;
}
