// `runwire/host/node`: a session host on a server of Node's.

import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json, Refusal } from "./answers.js";
import type { SessionHost } from "./host.js";

/** Under which names a host is reached. */
export interface RequestListenerOptions {
  /**
   * Host names, without a port, by which the server may be asked beside `localhost`, `127.0.0.1` and `[::1]`. Requests
   * with another `Host` get 403 `host_not_allowed`: pages whose name was made to lead to this machine send such.
   * @defaultValue none
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * The origin under which pages know the server, such as `https://agent.example.com`, where a proxy stands in front
   * that ends TLS or changes `Host`. Its host name is allowed, too.
   * @defaultValue made of the connection and the `Host` header
   */
  origin?: string | undefined;
}

/** Where to listen. */
export interface ListenOptions extends RequestListenerOptions {
  /** @defaultValue 0, which is a free one */
  port?: number | undefined;
  /**
   * The address to listen at. A name or address that is not a wildcard such as `0.0.0.0` is allowed as `Host`.
   * @defaultValue "127.0.0.1", which is reached from this machine alone
   */
  hostname?: string | undefined;
}

/** A host that listens. */
export interface Listening {
  /** Where it is reached from this machine, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and cuts all connections. The host's sessions go on: `host.close()` ends them. */
  close(): Promise<void>;
}

/** All addresses of the machine: names for nobody to ask by. */
const WILDCARDS = new Set(["0.0.0.0", "::"]);

/**
 * Serves a host over HTTP, on the loopback interface unless told otherwise.
 *
 * @throws TypeError when `origin` is not an origin, or the error of Node's when the port is taken
 */
export async function listen(
  host: Pick<SessionHost, "fetch">,
  { port = 0, hostname = "127.0.0.1", allowedHosts = [], origin }: ListenOptions = {},
): Promise<Listening> {
  const name = WILDCARDS.has(hostname) ? "localhost" : hostname.includes(":") ? `[${hostname}]` : hostname;
  const options = { allowedHosts: [...allowedHosts, name], ...(origin === undefined ? {} : { origin }) };
  // Node's limits of time are for requests as they arrive; answers may last for hours.
  const server = createServer(requestListener(host, options));
  server.listen(port, hostname);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://${name}:${address.port}`,
    port: address.port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * A host as a request listener, for a server that has other things to serve, too. Bodies are streamed both ways, as
 * fast as the slower side is; a client that goes away aborts its request's signal.
 *
 * @throws TypeError when `origin` is not an origin
 */
export function requestListener(
  host: Pick<SessionHost, "fetch">,
  { allowedHosts = [], origin }: RequestListenerOptions = {},
): RequestListener {
  const known = origin === undefined ? undefined : new URL(origin);
  if (known && known.origin !== origin) throw new TypeError(`"origin" must be as "${known.origin}"`);
  const names = new Set(["localhost", "127.0.0.1", "[::1]"]);
  for (const name of allowedHosts) names.add(name.toLowerCase());
  if (known) names.add(known.hostname);
  return (request, response) => {
    void serve(host, request, response, () => originOf(request, names, known));
  };
}

async function serve(
  { fetch }: Pick<SessionHost, "fetch">,
  incoming: IncomingMessage,
  response: ServerResponse,
  origin: () => string,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const body = new IncomingBody(incoming);
  try {
    await send(response, await answerOf(fetch, incoming, body, origin, gone.signal), gone.signal);
  } catch {
    // The client has gone, or the body has failed: there is nobody or nothing to say more to.
    response.destroy();
  }
  body.discard();
}

async function answerOf(
  fetch: SessionHost["fetch"],
  incoming: IncomingMessage,
  body: IncomingBody,
  origin: () => string,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(requestOf(incoming, body, origin(), signal));
  } catch (error) {
    if (error instanceof Refusal) return error.response;
    return json({ error: { code: "internal_error", message: "The host could not do that" } }, 500);
  }
}

/** The origin that was asked, by a name that leads here on purpose. */
function originOf({ headers, socket }: IncomingMessage, names: Set<string>, known: URL | undefined): string {
  const host = (headers.host ?? "").toLowerCase();
  const [, name = ""] = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/.exec(host) ?? [];
  if (!names.has(name)) {
    throw new Refusal(403, "host_not_allowed", "The server is not asked by this name: see `allowedHosts`");
  }
  return known?.origin ?? `${"encrypted" in socket ? "https" : "http"}://${host}`;
}

function requestOf(
  { url = "", method = "GET", headers, rawHeaders }: IncomingMessage,
  body: IncomingBody,
  origin: string,
  signal: AbortSignal,
): Request {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
  const pairs = rawHeaders.flatMap<[string, string]>((name, at) =>
    at % 2 ? [] : [[name, rawHeaders[at + 1]!]],
  );
  try {
    // A URL in place of the path would be another origin than the one that was checked.
    if (!url.startsWith("/")) throw new TypeError("not a path");
    const init = { method, headers: pairs, signal, body: hasBody ? body.stream() : null, duplex: "half" };
    return new Request(origin + url, init as RequestInit);
  } catch {
    throw new Refusal(400, "invalid_request", "The request is none that the host could answer");
  }
}

/** A request's body, taken from the connection as it is pulled. */
class IncomingBody {
  readonly #incoming: IncomingMessage;
  #detach = () => {};

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
  }

  stream(): ReadableStream<Uint8Array> {
    const incoming = this.#incoming;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const data = (chunk: Uint8Array) => {
            incoming.pause();
            controller.enqueue(chunk);
          };
          const end = () => controller.close();
          const close = () => {
            if (!incoming.complete) controller.error(new Error("The connection was lost"));
          };
          // Before the listener, which would let it flow.
          incoming.pause();
          incoming.on("data", data).on("end", end).on("close", close);
          this.#detach = () => incoming.off("data", data).off("end", end).off("close", close);
        },
        pull: () => void incoming.resume(),
        cancel: () => this.discard(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Throws away what was not read: it would keep the connection from its next request. */
  discard(): void {
    this.#detach();
    this.#incoming.resume();
  }
}

async function send(response: ServerResponse, answer: Response, signal: AbortSignal): Promise<void> {
  response.writeHead(answer.status, [...answer.headers].flat());
  response.flushHeaders();
  const reader = answer.body?.getReader();
  if (reader) {
    const cancel = () => void reader.cancel().catch(() => {});
    signal.addEventListener("abort", cancel);
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        await write(response, read.value);
      }
    } finally {
      cancel();
    }
  }
  response.end();
}

/** Done when the connection has taken the piece: the next one is not asked for before. */
function write(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
