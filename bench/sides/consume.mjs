// What every side does with a message: enough to read it, the same for all, and little beside making it.

// A page keeps a message at least until it is shown. Dropped at once, engines may not make the object at all where
// the one who makes it and the one who reads it end up in one compiled function, and would then measure nothing.
const recent = new Array(64).fill(undefined);
let count = 0;

/** A number that depends on the message's text and, for a tool call, on its parsed arguments and result. */
export function weigh(message) {
  recent[count++ & 63] = message;
  switch (message.type) {
    case "assistant":
      return message.message.content[0].text.length;
    case "thinking":
      return message.text.length;
    case "tool_call":
      return (
        message.call_id.length + (message.args === undefined ? 0 : 1) + (message.result === undefined ? 0 : 2)
      );
    default:
      return 1;
  }
}

/** A response as `fetch` gives it: one chunk for each time the reader asks. */
export function eventStream(chunks) {
  const source = chunks[Symbol.iterator]();
  const body = new ReadableStream({
    pull(controller) {
      const { done, value } = source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      source.return?.();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Read a stream with a reader to its end, and add up what `take` makes of each chunk. */
export async function readAll(stream, take) {
  const reader = stream.getReader();
  let sum = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return sum;
    sum += take(value);
  }
}
