// The way between a client of sessions and a host, without a network: it can cut what comes back.

/** A `fetch` that leads to the host. Each body of a stream breaks off after as many bytes as `cut` gives for it. */
export function networkTo(host, cut = () => Number.POSITIVE_INFINITY) {
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await host.fetch(request);
    if (!request.url.endsWith("/stream") || !response.body) return response;
    return new Response(cutAfter(response.body, cut()), response);
  };
}

/** A `fetch` that leads to the host, and loses the answers of which `loses(request)` says so. */
export function lossyNetworkTo(host, loses) {
  return async (input, init) => {
    const request = new Request(input, init);
    const isLost = loses(request);
    const response = await host.fetch(request);
    if (!isLost) return response;
    await response.body?.cancel();
    throw new TypeError("the connection was cut");
  };
}

/** A body that breaks off after so many bytes. */
function cutAfter(body, bytes) {
  const reader = body.getReader();
  let left = bytes;
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const part = value.subarray(0, left);
        left -= part.length;
        if (part.length > 0) controller.enqueue(part);
        if (left > 0) return;
        await reader.cancel();
        controller.error(new TypeError("the connection was cut"));
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
}
