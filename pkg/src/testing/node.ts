// `runwire/testing/node`: a simulator over real HTTP.

import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Simulator } from "./simulator-types.js";

/** Where to listen. */
export interface ListenOptions {
  /** @defaultValue a free one */
  port?: number;
  /** @defaultValue "127.0.0.1" */
  host?: string;
}

/** A simulator that listens. */
export interface Listening {
  /** The origin, such as `http://127.0.0.1:8080`: a client's `baseUrl`. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and destroys all connections. */
  close(): Promise<void>;
}

/** Serves a simulator over HTTP, on the loopback interface unless told otherwise. */
export async function listen(
  simulator: Pick<Simulator, "fetch">,
  options: ListenOptions = {},
): Promise<Listening> {
  const { port = 0, host = "127.0.0.1" } = options;
  const server = createServer(requestListener(simulator));
  // Streams last for hours.
  server.requestTimeout = 0;
  server.on("connection", (socket) => socket.setNoDelay(true));
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
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
 * A simulator as a request listener, for a server that has other things to serve, too. Each piece of a body is one
 * write; a connection that the simulator cuts is destroyed; one that the client closes is closed in the simulator.
 */
export function requestListener(simulator: Pick<Simulator, "fetch">): RequestListener {
  return (request, response) => {
    void serve(simulator, request, response);
  };
}

async function serve(
  { fetch }: Pick<Simulator, "fetch">,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const answer = await fetch(`http://${request.headers.host ?? "localhost"}${request.url}`, {
      method: request.method ?? "GET",
      headers: headersOf(request),
      body: body.length > 0 ? body : null,
      redirect: "manual",
      signal: gone.signal,
    });
    response.writeHead(answer.status, [...answer.headers].flat());
    response.flushHeaders();
    if (answer.body) for await (const chunk of answer.body) await write(response, chunk);
    response.end();
  } catch {
    // A network error, made by the simulator or suffered by the client: neither leaves anything to say.
    response.destroy();
  }
}

/** `host` and the framing of the connection are the connection's own. */
function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (!/^(host|connection|transfer-encoding|content-length)$/i.test(name))
      headers.push([name, rawHeaders[index + 1]!]);
  }
  return headers;
}

/** Done when the piece has left: what comes next may be the end of the socket. */
function write(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
