// Counts what arrives: a `fetch` for runwire that passes everything on and tells of it.

/**
 * @typedef {object} MeterEvents
 * @property {(path: string) => void} [request] a request is made
 * @property {(status: number, path: string) => void} [response] its answer's head is there
 * @property {(bytes: number) => void} [bytes] a piece of a body has been read
 * @property {(failed: boolean) => void} [end] an event stream is over, by itself or not; or it was never answered
 */

/**
 * A `fetch` that reports to `events`. Bodies are read only as far as runwire reads them.
 * @param {MeterEvents} events
 * @param {(url: string, init: RequestInit) => Promise<Response>} [fetch]
 */
export function meteredFetch(events, fetch = globalThis.fetch.bind(globalThis)) {
  return async (url, init) => {
    events.request?.(url);
    let response;
    try {
      response = await fetch(url, init);
    } catch (error) {
      if (url.endsWith("/stream")) events.end?.(!init?.signal?.aborted);
      throw error;
    }
    events.response?.(response.status, url);
    if (!response.body) return response;
    const streaming = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    const ended = streaming ? events.end : undefined;
    return new Response(counted(response.body, events, ended, init?.signal), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

function counted(body, events, ended, signal) {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            ended?.(false);
            controller.close();
            return;
          }
          events.bytes?.(value.byteLength);
          controller.enqueue(value);
        } catch (error) {
          ended?.(!signal?.aborted);
          controller.error(error);
        }
      },
      cancel(reason) {
        ended?.(false);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
