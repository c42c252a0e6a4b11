// Asks a session host, as a client that knows the wire format and nothing else.

import { createSessionHost } from "runwire/host";
import { scriptedQuery } from "./scripted-query.mjs";
import { turns } from "./run-ids.mjs";

export const base = "https://host.example";

/** A request as a browser or a program would send it; `json` is a body. */
export function request(
  path,
  { json, headers = {}, method = json === undefined ? "GET" : "POST", ...init } = {},
) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const type = json === undefined ? {} : { "content-type": "application/json" };
  return new Request(base + path, { method, headers: { ...type, ...headers }, ...body, ...init });
}

/**
 * A host with a scripted agent. `ask` sends a request and reads an answer of JSON: `{ status, headers, body }`; `user`
 * is whose request it is, where the host asks.
 */
export function hostWith({ script, ...options } = {}) {
  const scripted = scriptedQuery(script);
  const errors = [];
  const host = createSessionHost({
    query: scripted.query,
    authorize: "public",
    onError: (error, context) => errors.push({ error, ...context }),
    ...options,
  });
  const { fetch } = host;
  const ask = async (path, init) => {
    const response = await fetch(request(path, init));
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };
  const session = async (json = {}, init = {}) => {
    const { body } = await ask("/sessions", { json: { clientId: crypto.randomUUID(), ...json }, ...init });
    return `/sessions/${body.id}`;
  };
  const say = (path, text, clientId = crypto.randomUUID()) =>
    ask(`${path}/messages`, { json: { clientId, text } });
  const stream = async (path, after, init = {}) => {
    const headers = { ...(after === undefined ? {} : { "last-event-id": `${after}` }), ...init.headers };
    return new StreamReader(await fetch(request(`${path}/stream`, { ...init, headers })));
  };
  return { host, scripted, errors, fetch, ask, session, say, stream };
}

/** Reads an event stream frame by frame, with a parser of its own. */
export class StreamReader {
  #reader;
  #text = "";
  #decoder = new TextDecoder();
  /** All that has come, as it came. */
  raw = "";

  constructor(response) {
    this.response = response;
    this.#reader = response.body?.getReader();
  }

  /** The next frame: `{ id?, event?, data? }`, a comment as `{ comment }`, nothing at the body's end. */
  async next() {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return frameOf(block);
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      const text = this.#decoder.decode(value, { stream: true });
      this.raw += text;
      this.#text += text;
    }
  }

  /** So many frames. */
  async take(count) {
    const frames = [];
    while (frames.length < count) {
      const frame = await this.next();
      if (!frame) break;
      frames.push(frame);
    }
    return frames;
  }

  /** All frames up to the body's end. */
  rest() {
    return this.take(Number.POSITIVE_INFINITY);
  }

  /** Frames up to one whose data is the end of a turn. */
  async turn() {
    const frames = [];
    for (;;) {
      const frame = await this.next();
      if (!frame) return frames;
      frames.push(frame);
      if (frame.data?.type === "turn-end") return frames;
    }
  }

  cancel() {
    return this.#reader.cancel();
  }
}

function frameOf(block) {
  const frame = {};
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    if (name === "") frame.comment = value;
    else if (name === "data") frame.data = JSON.parse(value);
    else frame[name] = value;
  }
  return frame;
}

/** Lets all that is due happen. */
export const settled = () => turns(10);
