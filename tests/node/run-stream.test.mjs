// run.stream() as an async generator and as a ReadableStream: what it gives, and how far it reads.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, EventTooLargeError } from "runwire";
import {
  agentId,
  bodyOf,
  ending,
  fetchOf,
  frames,
  run,
  runId,
  textOf,
  turns,
  withRunServer,
} from "../lib/run-service.mjs";

/** A handle whose streams each get a body of these chunks. */
async function handleOf(chunks, options = {}) {
  const bodies = [];
  const service = fetchOf(() => {
    bodies.push(bodyOf(chunks, { end: "close" }));
    return bodies.at(-1).stream;
  });
  const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch, ...options });
  return { handle, bodies, streams: service.streams };
}

const upTo = (count) => Array.from({ length: count }, (_, at) => at);

test("for await gives every message in order, and ends", async () => {
  const { handle, streams } = await handleOf([frames(0, 3), frames(3, 4), frames(4, 9) + ending]);
  const texts = [];
  for await (const message of handle.stream()) {
    assert.equal(message.agent_id, agentId);
    assert.equal(message.run_id, runId);
    texts.push(textOf(message));
  }
  assert.deepEqual(texts, upTo(9));
  assert.equal(streams.length, 1);
});

test("next() by hand, overlapping, is answered in order", async () => {
  const { handle } = await handleOf([frames(0, 2), frames(2, 3), frames(3, 6) + ending]);
  const stream = handle.stream();
  const order = [];
  const results = upTo(8).map((at) =>
    stream.next().then((result) => {
      order.push(at);
      return result;
    }),
  );
  const settled = await Promise.all(results);
  assert.deepEqual(order, upTo(8));
  assert.deepEqual(
    settled.slice(0, 6).map(({ value }) => textOf(value)),
    upTo(6),
  );
  for (const result of settled.slice(6)) assert.deepEqual(result, { done: true, value: undefined });
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
});

test("a reader, pipeTo, pipeThrough and tee give every message", async () => {
  const chunks = [frames(0, 3), frames(3, 5) + ending];
  const ways = {
    async reader(stream) {
      const texts = [];
      const reader = stream.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read())
        texts.push(textOf(read.value));
      await reader.closed;
      return [texts];
    },
    async "reads at once"(stream) {
      const reader = stream.getReader();
      const results = await Promise.all(upTo(7).map(() => reader.read()));
      assert.deepEqual(
        results.map(({ done }) => done),
        [false, false, false, false, false, true, true],
      );
      return [results.slice(0, 5).map(({ value }) => textOf(value))];
    },
    async pipeTo(stream) {
      const texts = [];
      await stream.pipeTo(new WritableStream({ write: (message) => void texts.push(textOf(message)) }));
      return [texts];
    },
    async pipeThrough(stream) {
      const texts = [];
      for await (const text of stream.pipeThrough(
        new TransformStream({ transform: (message, to) => to.enqueue(textOf(message)) }),
      )) {
        texts.push(text);
      }
      return [texts];
    },
    async tee(stream) {
      return Promise.all(stream.tee().map(async (half) => (await Array.fromAsync(half)).map(textOf)));
    },
  };
  Array.fromAsync ??= async (iterable) => {
    const list = [];
    for await (const value of iterable) list.push(value);
    return list;
  };
  for (const [name, way] of Object.entries(ways)) {
    const { handle, streams } = await handleOf(chunks);
    const all = await way(handle.stream());
    for (const texts of all) assert.deepEqual(texts, upTo(5), name);
    assert.equal(streams.length, 1, name);
  }
});

test("next() and readers take turns without losing or repeating anything", async () => {
  const { handle } = await handleOf([frames(0, 4), frames(4, 5), frames(5, 8) + ending]);
  const stream = handle.stream();
  const texts = [textOf((await stream.next()).value)];
  for (let turn = 0; turn < 3; turn++) {
    const reader = stream.getReader();
    texts.push(textOf((await reader.read()).value));
    await assert.rejects(stream.next(), TypeError, "locked by the reader");
    reader.releaseLock();
    texts.push(textOf((await stream.next()).value));
  }
  for await (const message of stream) texts.push(textOf(message));
  assert.deepEqual(texts, upTo(8));
});

test("it is its own iterator, and a ReadableStream", async () => {
  const { handle } = await handleOf([ending]);
  const stream = handle.stream();
  assert.equal(stream[Symbol.asyncIterator](), stream);
  assert.ok(stream instanceof ReadableStream);
  for (const name of ["next", "return", "throw"]) assert.equal(typeof stream[name], "function");
  assert.deepEqual(await stream.return(), { done: true, value: undefined });
});

test("each stream of a handle is the whole run", async () => {
  const { handle, streams } = await handleOf([frames(0, 3) + ending]);
  for (let time = 0; time < 3; time++) {
    const texts = [];
    for await (const message of handle.stream()) texts.push(textOf(message));
    assert.deepEqual(texts, upTo(3));
  }
  assert.equal(streams.length, 3);
});

test("nothing is requested before the first read", async () => {
  for (const read of [
    (stream) => stream.next(),
    (stream) => stream.getReader().read(),
    (stream) => stream.tee()[0].getReader().read(),
  ]) {
    const { handle, streams } = await handleOf([frames(0, 1) + ending]);
    const left = new AbortController();
    const stream = handle.stream({ signal: left.signal });
    await turns();
    assert.equal(streams.length, 0);
    const { value } = await read(stream);
    assert.equal(textOf(value), 0);
    assert.equal(streams.length, 1);
    left.abort();
  }
});

test("a stream that is left before its first read requests nothing, ever", async () => {
  const { handle, streams } = await handleOf([frames(0, 1) + ending]);
  for (const leave of [
    (stream) => stream.return(),
    (stream) => stream.cancel(),
    (stream) => stream.throw(new Error("mine")).catch(() => {}),
  ]) {
    const stream = handle.stream();
    await leave(stream);
    assert.deepEqual(await stream.next(), { done: true, value: undefined });
  }
  await turns();
  assert.equal(streams.length, 0);
});

test("a chunk is asked for only when what came before has been read", async () => {
  const chunks = upTo(20).map((at) => frames(at * 4, at * 4 + 4));
  for (const how of ["next", "reader", "for await"]) {
    const { handle, bodies } = await handleOf([...chunks, ending]);
    const stream = handle.stream();
    const reader = how === "reader" ? stream.getReader() : undefined;
    let read = 0;
    const check = async () => {
      read++;
      await turns(2);
      // The chunk that the message was in, and at most one ahead.
      const needed = Math.ceil(read / 4);
      assert.ok(
        bodies[0].pulls >= needed && bodies[0].pulls <= needed + 1,
        `${how}: ${read} read, ${bodies[0].pulls} pulled`,
      );
    };
    if (how === "for await") {
      for await (const _ of stream) {
        await check();
        if (read === 40) break;
      }
    } else {
      for (; read < 40; await check()) await (reader ?? stream)[reader ? "read" : "next"]();
      await (reader ?? stream)[reader ? "cancel" : "return"]();
    }
    assert.ok(bodies[0].pulls <= 11, `${bodies[0].pulls} of 20 chunks`);
  }
});

test("a consumer that stops reading stops the socket", async () => {
  const text = "x".repeat(1000);
  const chunk = upTo(64)
    .map(() => `event: assistant\ndata: {"text":"${text}"}\n\n`)
    .join("");
  const most = 512;
  let sent = 0;
  const onStream = (response) => {
    const more = () => {
      while (sent < most && response.write(chunk)) sent++;
      if (sent++ >= most) response.end(ending);
    };
    response.on("drain", more);
    more();
  };
  await withRunServer(onStream, async ({ baseUrl }) => {
    const handle = await Agent.getRun(runId, { ...run, baseUrl });
    const stream = handle.stream();
    for (let read = 0; read < 10; read++) await stream.next();
    // Until the sockets are full and nothing moves any more.
    for (let before = -1; before !== sent; ) {
      before = sent;
      await turns(200);
    }
    assert.ok(sent < most / 2, `${sent} of ${most} chunks of 64 KiB were taken`);
    let count = 10;
    for await (const _ of stream) count++;
    assert.equal(count, most * 64);
  });
});

for (const [how, read] of [
  [
    "next()",
    async (stream, values) => {
      for (let next = await stream.next(); !next.done; next = await stream.next()) values.push(next.value);
    },
  ],
  [
    "a reader",
    async (stream, values) => {
      const reader = stream.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        values.push(next.value);
        await turns(2);
      }
    },
  ],
  [
    "for await",
    async (stream, values) => {
      for await (const value of stream) values.push(value);
    },
  ],
  [
    "pipeTo",
    (stream, values) =>
      stream.pipeTo(
        new WritableStream({
          write: async (value) => {
            await turns(2);
            values.push(value);
          },
        }),
      ),
  ],
]) {
  test(`a failure comes after what was decoded before it, by ${how}`, async () => {
    const large = `event: assistant\ndata: {"text":"${"x".repeat(100)}"}\n\n`;
    const { handle, streams } = await handleOf([frames(0, 5) + large, frames(5, 6)], { maxEventBytes: 50 });
    const values = [];
    await assert.rejects(
      read(handle.stream(), values),
      (error) => error instanceof EventTooLargeError && error.maxEventBytes === 50,
    );
    assert.deepEqual(values.map(textOf), upTo(5));
    assert.equal(streams.length, 1, "what is too large once is so the next time");
  });
}

test("after a failure the iteration is over", async () => {
  const { handle } = await handleOf([`data: ${"x".repeat(100)}\n\n`], { maxEventBytes: 50 });
  const stream = handle.stream();
  await assert.rejects(stream.next(), EventTooLargeError);
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
});

test("a bad frame is a warning to onWarning, and the stream goes on", async () => {
  const warnings = [];
  const bad = `id: 9-9\nevent: assistant\ndata: {"text"\n\n`;
  const { handle } = await handleOf([frames(0, 1) + bad + frames(1, 2), bad, frames(2, 3) + ending], {
    onWarning: (warning) => warnings.push(warning),
  });
  const texts = [];
  for await (const message of handle.stream()) texts.push(textOf(message));
  assert.deepEqual(texts, upTo(3));
  assert.deepEqual(
    warnings.map(({ code, event, id, excerpt }) => [code, event, id, excerpt]),
    [0, 1].map(() => ["invalid_json", "assistant", "9-9", `{"text"`]),
  );
});

test("onWarning may leave, abort and follow while it is called", async () => {
  const bad = "event: assistant\ndata: wrong\n\n";
  const ways = {
    leave: (stream) => void stream.return(),
    cancel: (stream) => void stream.cancel(),
    abort: (_, controller) => controller.abort(new Error("mine")),
    follow: (_, __, handle) => void handle.stream().return(),
  };
  for (const [name, way] of Object.entries(ways)) {
    const controller = new AbortController();
    let stream;
    let calls = 0;
    const { handle } = await handleOf([frames(0, 1) + bad + frames(1, 2), frames(2, 3) + ending], {
      signal: controller.signal,
      onWarning() {
        calls++;
        way(stream, controller, handle);
      },
    });
    stream = handle.stream();
    const texts = [];
    const ended = await (async () => {
      for await (const message of stream) texts.push(textOf(message));
    })().catch(({ message }) => message);
    assert.equal(calls, 1, name);
    assert.equal(ended, name === "abort" ? "mine" : undefined, name);
    // What was decoded with the bad frame is the stream's no more once that has been left.
    assert.deepEqual(texts, name === "follow" ? upTo(3) : [], name);
  }
});
