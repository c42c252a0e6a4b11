// EventStreamDecoderStream: in every order of reading, writing, closing and failing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStreamDecoderStream, EventTooLargeError } from "runwire/sse";

const encode = (text) => new TextEncoder().encode(text);
const event = (data, id = "") => ({ event: "message", data, id });

/** A source that says what became of it. */
function sourceOf(chunks, { end = "close" } = {}) {
  const left = [...chunks];
  const source = { pulls: 0, cancelled: undefined };
  source.stream = new ReadableStream(
    {
      pull(controller) {
        source.pulls++;
        if (left.length > 0) controller.enqueue(left.shift());
        else if (end === "close") controller.close();
        else if (end !== "open") controller.error(end);
      },
      cancel(reason) {
        source.cancelled = { reason };
      },
    },
    { highWaterMark: 0 },
  );
  return source;
}

/** Reads to the end: the values, and what it ended with. */
async function drain(stream) {
  const values = [];
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { values };
      values.push(value);
    }
  } catch (error) {
    return { values, error };
  }
}

/** As a turn of the event loop, so that all that can happen has. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("events come through pipeThrough, whatever the chunks", async () => {
  const source = sourceOf([
    encode("data: a\n\nda"),
    encode("ta: b\n"),
    encode("\n"),
    encode("data: unfinished"),
  ]);
  const { values, error } = await drain(source.stream.pipeThrough(new EventStreamDecoderStream()));
  assert.equal(error, undefined);
  assert.deepEqual(values, [event("a"), event("b")]);
});

test("it takes the options of the decoder", async () => {
  const stream = new EventStreamDecoderStream({ lastEventId: "7" });
  const { values } = await drain(sourceOf([encode("data: a\n\n")]).stream.pipeThrough(stream));
  assert.deepEqual(values, [event("a", "7")]);
  assert.throws(() => new EventStreamDecoderStream({ maxEventBytes: 0 }), RangeError);
});

test("it is iterated, teed and piped on like any other", async () => {
  const stream = () =>
    sourceOf([encode("data: a\n\ndata: b\n\n")]).stream.pipeThrough(new EventStreamDecoderStream());
  const iterated = [];
  for await (const value of stream()) iterated.push(value);
  const [left, right] = stream().tee();
  const sunk = [];
  await stream().pipeTo(new WritableStream({ write: (value) => void sunk.push(value) }));
  for (const values of [iterated, (await drain(left)).values, (await drain(right)).values, sunk]) {
    assert.deepEqual(values, [event("a"), event("b")]);
  }
});

test("a source is read only as far as the events are", async () => {
  const source = sourceOf(Array.from({ length: 50 }, (_, at) => encode(`data: ${at}a\n\ndata: ${at}b\n\n`)));
  const reader = source.stream.pipeThrough(new EventStreamDecoderStream()).getReader();
  for (let read = 0; read < 10; read++) await reader.read();
  await turn();
  // Five chunks are read; one more may wait to be decoded, and one on the way.
  assert.ok(source.pulls >= 5 && source.pulls <= 7, `${source.pulls}`);
});

test("cancelling gives the source the reason", async () => {
  for (const events of [0, 1, 3]) {
    const source = sourceOf([encode("data: a\n\ndata: b\n\n"), encode("data: c\n\ndata: d\n\n")], {
      end: "open",
    });
    const reader = source.stream.pipeThrough(new EventStreamDecoderStream()).getReader();
    for (let read = 0; read < events; read++) await reader.read();
    const reason = new Error("enough");
    await reader.cancel(reason);
    await turn();
    assert.equal(source.cancelled?.reason, reason, `after ${events}`);
    assert.deepEqual(await reader.read(), { done: true, value: undefined });
  }
});

test("aborting the pipe cancels the source and fails the reader with the reason", async () => {
  const source = sourceOf([encode("data: a\n\n")], { end: "open" });
  const controller = new AbortController();
  const reader = source.stream
    .pipeThrough(new EventStreamDecoderStream(), { signal: controller.signal })
    .getReader();
  assert.deepEqual((await reader.read()).value, event("a"));
  const reason = new Error("stop");
  const pending = reader.read();
  controller.abort(reason);
  await assert.rejects(pending, reason);
  assert.equal(source.cancelled?.reason, reason);
});

test("a source that fails has its events delivered first", async () => {
  const failure = new Error("connection lost");
  const source = sourceOf([encode("data: a\n\ndata: b\n\ndata: c\n\ndata: unfinished")], { end: failure });
  const reader = source.stream.pipeThrough(new EventStreamDecoderStream()).getReader();
  const first = await reader.read();
  // The failure comes while events are still waiting to be read.
  await turn();
  const values = [first.value];
  let error;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) values.push(next.value);
  } catch (thrown) {
    error = thrown;
  }
  assert.deepEqual(values, [event("a"), event("b"), event("c")]);
  assert.equal(error, failure);
});

for (const [when, chunks] of [
  [
    "in the middle of a chunk",
    [encode("data: a\n\ndata: b\n\ndata: 0123456789\n\ndata: c\n\n"), encode("data: d\n\n")],
  ],
  ["in the last chunk", [encode("data: a\n\ndata: b\n\ndata: 0123456789")]],
]) {
  test(`what is too large ${when} fails the stream after the events before it`, async () => {
    const source = sourceOf(chunks);
    const stream = source.stream.pipeThrough(new EventStreamDecoderStream({ maxEventBytes: 5 }));
    const reader = stream.getReader();
    const first = await reader.read();
    await turn();
    const second = await reader.read();
    assert.deepEqual([first.value, second.value], [event("a"), event("b")]);
    await assert.rejects(
      reader.read(),
      (error) => error instanceof EventTooLargeError && error.maxEventBytes === 5,
    );
  });
}

test("what is not bytes fails the stream and cancels the source", async () => {
  const source = sourceOf([encode("data: a\n\n"), "data: b\n\n"], { end: "open" });
  const { values, error } = await drain(source.stream.pipeThrough(new EventStreamDecoderStream()));
  assert.deepEqual(values, [event("a")]);
  assert.ok(error instanceof TypeError);
  await turn();
  assert.equal(source.cancelled?.reason, error);
});

test("the writer's side can be driven by hand", async () => {
  const { readable, writable } = new EventStreamDecoderStream();
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  const written = writer.write(encode("data: a\n\n"));
  assert.deepEqual((await reader.read()).value, event("a"));
  await written;
  const closed = writer.close();
  assert.deepEqual(await reader.read(), { done: true, value: undefined });
  await closed;
});

test("an aborted writer fails the reader with its reason", async () => {
  const { readable, writable } = new EventStreamDecoderStream();
  const reader = readable.getReader();
  const pending = reader.read();
  const reason = new Error("no more");
  await writable.abort(reason);
  await assert.rejects(pending, reason);
  await assert.rejects(reader.closed, reason);
});

test("a writer waiting for a reader is let go when the reader cancels, and when it aborts", async () => {
  const cancelled = new EventStreamDecoderStream();
  const writing = cancelled.writable.getWriter().write(encode("data: a\n\n"));
  await cancelled.readable.cancel("gone");
  await settled(writing);

  const aborted = new EventStreamDecoderStream();
  const writer = aborted.writable.getWriter();
  const waiting = writer.write(encode("data: a\n\n"));
  await turn();
  await settled(writer.abort("gone"));
  await settled(waiting);
});

/** Settles one way or the other; a promise that never does fails the test by its time limit. */
const settled = (promise) =>
  promise.then(
    () => {},
    () => {},
  );

test("closing without a reader ends the writer's side", async () => {
  const { readable, writable } = new EventStreamDecoderStream();
  await writable.close();
  assert.deepEqual(await drain(readable), { values: [] });
});
