// A session is read as far as its events are: whoever does not read on holds up the agent, the stream or the socket.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { StreamExpiredError } from "runwire";
import { createInputQueue, init as loadEngine, runQuery } from "runwire/kit";
import { delta } from "../lib/fake-query.mjs";
import { gate, info } from "../lib/scripted-query.mjs";
import { base, hostWith, settled } from "../lib/session-client.mjs";

await loadEngine();

/** Endless messages; `pulled` counts. */
function endless(limit = Number.POSITIVE_INFINITY) {
  const source = { pulled: 0 };
  source.next = async () => {
    if (source.pulled === limit) return { done: true, value: undefined };
    return { done: false, value: delta(`${source.pulled++}`) };
  };
  source[Symbol.asyncIterator] = () => source;
  return source;
}

for (const [name, optionsOf] of [
  ["a query()", (source) => ({ query: () => source })],
  ["an iterable", (source) => ({ messages: source })],
  [
    "a stream of objects",
    (source) => ({
      messages: new ReadableStream(
        {
          async pull(controller) {
            controller.enqueue((await source.next()).value);
          },
        },
        { highWaterMark: 0 },
      ),
    }),
  ],
]) {
  test(`${name} is pulled once for each event that is read`, async () => {
    const source = endless();
    const run = runQuery(createInputQueue().iterable, optionsOf(source));
    await settled();
    assert.equal(source.pulled, 0);
    for (let read = 1; read <= 20; read++) {
      assert.equal((await run.events.next()).value.text, `${read - 1}`);
      await settled();
      assert.equal(source.pulled, read);
    }
    run.close();
  });
}

/** Serves lines without an end, as fast as the socket takes them; `written` counts bytes. */
async function floodingServer(type, write) {
  const flood = { written: 0 };
  const text = "x".repeat(32_000);
  function* chunks() {
    for (let n = 0; ; n++) {
      const chunk = Buffer.from(write(JSON.stringify(delta(`${n} ${text}`))));
      flood.written += chunk.length;
      yield chunk;
    }
  }
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": type });
    flood.closed = once(response, "close");
    pipeline(Readable.from(chunks(), { highWaterMark: 1 }), response).catch(() => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  flood.url = `http://127.0.0.1:${server.address().port}`;
  flood.close = () => {
    server.closeAllConnections();
    server.close();
  };
  /** Bytes that have been written when the socket takes no more: real buffers fill in real time. */
  flood.stalled = async () => {
    for (let before = -1; before !== flood.written; ) {
      before = flood.written;
      await wait(150);
    }
    return flood.written;
  };
  return flood;
}

for (const [type, write] of [
  ["application/x-ndjson", (json) => `${json}\n`],
  ["text/event-stream", (json) => `data: ${json}\n\n`],
]) {
  test(`a socket that brings ${type} is drained only as its events are read`, async () => {
    const flood = await floodingServer(type, write);
    try {
      const run = runQuery("x", { messages: await fetch(flood.url) });
      const read = async () => Number((await run.events.next()).value.text.split(" ")[0]);
      assert.equal(await read(), 0);
      const held = await flood.stalled();
      // What the system and fetch hold for a connection, and no more.
      assert.ok(held < 32 * 2 ** 20, `${held} bytes`);
      for (let n = 1; n < 1_000; n++) assert.equal(await read(), n);
      const later = await flood.stalled();
      assert.ok(later > held, "it goes on");
      assert.ok(later - 1_000 * 32_000 < 32 * 2 ** 20, `${later} bytes`);
      run.close();
      await flood.closed;
    } finally {
      flood.close();
    }
  });
}

/** A `fetch` that leads to the host, and counts what is asked and what is pulled of streams. */
function countingNetworkTo(host) {
  const counts = { requests: 0, pulls: 0 };
  counts.fetch = async (url, init) => {
    counts.requests++;
    const response = await host.fetch(new Request(url, init));
    if (!url.endsWith("/stream")) return response;
    const reader = response.body.getReader();
    const body = new ReadableStream(
      {
        async pull(controller) {
          counts.pulls++;
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(body, response);
  };
  return counts;
}

test("a session with a host asks for nothing before it is read, and for no more than is read", async () => {
  function* turn() {
    for (let n = 0; n < 1_000; n++) yield info(`${n} ${"x".repeat(1_000)}`);
  }
  const { host } = hostWith({ script: { turn } });
  const counts = countingNetworkTo(host);
  const queue = createInputQueue();
  const run = runQuery(queue.iterable, { url: base, fetch: counts.fetch });
  queue.push("go");
  await settled();
  assert.equal(counts.requests, 0);
  await run.events.next();
  await settled();
  const first = counts.pulls;
  // A pull brings about 64 events of this size.
  assert.ok(first <= 2, `${first} pulls`);
  for (let n = 1; n < 1_000; n++) {
    assert.equal((await run.events.next()).value.text.split(" ")[0], `${n}`);
    assert.ok(counts.pulls <= 2 + n / 60, `${counts.pulls} pulls after ${n + 1} events`);
  }
  assert.ok(counts.pulls > 10);
  run.close();
});

/** A session that has said so many things of 500, and says the others when it is told to. */
function bigSession(count) {
  const held = gate();
  async function* turn() {
    for (let n = 0; n < 500; n++) {
      if (n === count) await held.opened;
      yield info(`${n} ${"x".repeat(1_000)}`);
    }
  }
  const { host } = hostWith({ script: { turn }, maxLogBytes: 100_000 });
  const options = { url: base, fetch: countingNetworkTo(host).fetch };
  const queue = createInputQueue();
  queue.push("go");
  return { options, queue, speak: held.open };
}

const numberOf = async (run) => Number((await run.events.next()).value.text.split(" ")[0]);
const isGone = { type: "info", level: "warning", text: "What came before is no longer kept" };

test("a reader who is slower than the host's log is told that events are gone; whoever joins anew is, too", async () => {
  const { options, queue, speak } = bigSession(3);
  const run = runQuery(queue.iterable, options);
  for (let n = 0; n < 3; n++) assert.equal(await numberOf(run), n);
  speak();
  await settled();
  await assert.rejects(run.events.next(), StreamExpiredError);
  assert.deepEqual(await run.events.next(), { done: true, value: undefined });

  const again = runQuery(createInputQueue().iterable, { ...options, session: await run.sessionId });
  assert.deepEqual((await again.events.next()).value, isGone);
  const next = await numberOf(again);
  assert.ok(next > 350, `${next}`);
  for (let n = next + 1; n < 500; n++) assert.equal(await numberOf(again), n);
  again.close();
});

test("a reader of whom the host does not know where it is goes on with what is kept, and is told, too", async () => {
  const { options, queue, speak } = bigSession(1);
  const warnings = [];
  const run = runQuery(queue.iterable, { ...options, onWarning: ({ code }) => warnings.push(code) });
  assert.equal(await numberOf(run), 0);
  speak();
  await settled();
  assert.deepEqual((await run.events.next()).value, isGone);
  assert.deepEqual(warnings, ["events_lost"]);
  run.close();
});
