// Counts the bytes that arrive: a `fetch` for runwire that passes everything on.

/**
 * A `fetch` that tells of each piece of a body. Bodies are read only as far as runwire reads them.
 * @param {(bytes: number) => void} count
 * @returns {(url: string, init: RequestInit) => Promise<Response>}
 */
export function meteredFetch(count) {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(counted(response.body, count), { status, statusText, headers });
  };
}

function counted(body, count) {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return;
        }
        count(value.byteLength);
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
