// One run of the service, as a stream of whatever bytes a test wants: over HTTP, and as a `fetch` without a network.
// For what the consumer's side does with them; what a server does is the simulator's (`runwire/testing`).

import { createServer } from "node:http";
import { agentId, run, runId, textOf, turns } from "./run-ids.mjs";

export { agentId, run, runId, textOf, turns };
const path = `/v1/agents/${agentId}/runs/${runId}`;
const record = JSON.stringify({ id: runId, agentId, status: "RUNNING", createdAt: "2026-01-01T00:00:00Z" });

/** Frames of the texts from `from` up to `to`. */
export const frames = (from, to) =>
  Array.from({ length: to - from }, (_, at) => textFrame(from + at)).join("");
const textFrame = (n) => `id: ${n + 1}-0\nevent: assistant\ndata: {"text":"${n}"}\n\n`;
/** The end of a run. */
export const ending = `id: end\nevent: result\ndata: {"status":"FINISHED"}\n\nid: end\nevent: done\ndata: {}\n\n`;

/** A body whose chunks are made as they are read; `body.pulls` counts, `body.cancelled` holds the reason. */
export function bodyOf(chunks, { end = "hold", cancel = () => {} } = {}) {
  const left = [...chunks].map((chunk) => new TextEncoder().encode(chunk));
  const body = { pulls: 0, cancelled: undefined };
  body.stream = new ReadableStream(
    {
      pull(controller) {
        if (left.length > 0) {
          body.pulls++;
          controller.enqueue(left.shift());
          return undefined;
        }
        if (end === "close") return controller.close();
        return new Promise(() => {});
      },
      cancel(reason) {
        body.cancelled = { reason };
        return cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return body;
}

/**
 * A `fetch` that answers GET run, and the stream with `answer(url, init)`: a body, a response, or what is thrown.
 * @returns {{ fetch: (url: string, init: RequestInit) => Promise<Response>, streams: { url: string, init: RequestInit }[] }}
 */
export function fetchOf(answer) {
  const streams = [];
  return {
    streams,
    fetch(url, init) {
      if (!url.endsWith("/stream")) return Promise.resolve(Response.json(JSON.parse(record)));
      streams.push({ url, init });
      const made = answer(url, init);
      return made instanceof ReadableStream
        ? Promise.resolve(new Response(made, { headers: { "content-type": "text/event-stream" } }))
        : made;
    },
  };
}

/** Answers requests for the run over HTTP; `connections` are its streams, each with `closed`, a promise of when. */
export function runHandler(onStream) {
  const connections = [];
  const handler = (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === `${path}/stream`) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      const closed = new Promise((resolve) => response.on("close", () => resolve(performance.now())));
      connections.push({ request, response, closed });
      onStream(response, request);
    } else if (pathname === path) {
      response.writeHead(200, { "content-type": "application/json" }).end(record);
    } else {
      response.writeHead(404).end();
    }
  };
  return { handler, connections };
}

/** The run over real HTTP, for as long as `work` takes. */
export async function withRunServer(onStream, work) {
  const { handler, connections } = runHandler(onStream);
  const server = createServer(handler);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work({ baseUrl: `http://127.0.0.1:${server.address().port}`, connections });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
