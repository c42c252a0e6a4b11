// Leaving run.stream(): every way closes the connection at once, an abort is immediate, nothing is left behind.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { promisify } from "node:util";
import { Agent } from "runwire";
import {
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
import { unhandledDuring } from "../lib/unhandled.mjs";

/** Every way to leave a stream of which at least one message has been read. */
const ways = {
  async "break in for await"(stream) {
    for await (const _ of stream) break;
  },
  async "an error thrown in for await"(stream) {
    const mine = new Error("mine");
    await assert.rejects(async () => {
      for await (const _ of stream) throw mine;
    }, mine);
  },
  async "return()"(stream) {
    await stream.next();
    assert.deepEqual(await stream.return(), { done: true, value: undefined });
  },
  async "return() with a read pending"(stream) {
    for (let read = 0; read < 3; read++) await stream.next();
    const pending = stream.next();
    await stream.return();
    assert.deepEqual(await pending, { done: true, value: undefined });
  },
  async "throw()"(stream) {
    await stream.next();
    const mine = new Error("mine");
    await assert.rejects(stream.throw(mine), mine);
  },
  async "cancel() of the stream"(stream) {
    await stream.next();
    await stream.cancel("enough");
  },
  async "cancel() of a reader, with a read pending"(stream) {
    const reader = stream.getReader();
    for (let read = 0; read < 3; read++) await reader.read();
    const pending = reader.read();
    await reader.cancel();
    assert.deepEqual(await pending, { done: true, value: undefined });
  },
  async "cancel() of both halves of a tee"(stream) {
    const [left, right] = stream.tee();
    const reader = left.getReader();
    await reader.read();
    await Promise.all([reader.cancel(), right.cancel()]);
  },
  async "an abort of the stream's signal"(stream, { own }) {
    await stream.next();
    own.abort(new Error("mine"));
  },
  async "an abort of the handle's signal"(stream, { handles }) {
    await stream.next();
    handles.abort(new Error("mine"));
  },
  async "an abort of pipeTo"(stream) {
    const controller = new AbortController();
    const sink = new WritableStream({ write: () => controller.abort(new Error("mine")) });
    await assert.rejects(stream.pipeTo(sink, { signal: controller.signal }), /mine/);
  },
  async "a sink that fails"(stream) {
    const sink = new WritableStream({ write: () => Promise.reject(new Error("mine")) });
    await assert.rejects(stream.pipeTo(sink), /mine/);
  },
};

if (Symbol.asyncDispose) {
  ways["the end of `await using`"] = async (stream) => {
    await stream.next();
    await stream[Symbol.asyncDispose]();
  };
}

for (const [name, leave] of Object.entries(ways)) {
  test(`${name} closes the connection within 100 ms`, async () => {
    const onStream = (response) => response.write(frames(0, 3));
    await withRunServer(onStream, async ({ baseUrl, connections }) => {
      const times = [];
      for (let attempt = 0; attempt < 5 && !(times.at(-1) < 100); attempt++) {
        const [own, handles] = [new AbortController(), new AbortController()];
        const handle = await Agent.getRun(runId, { ...run, baseUrl, signal: handles.signal });
        const stream = handle.stream({ signal: own.signal });
        // What leaving itself waits for counts, the opening of the connection does not.
        let left = 0;
        const { next } = stream;
        stream.next = async () => {
          const result = await next.call(stream);
          left = performance.now();
          return result;
        };
        await leave(stream, { own, handles });
        left ||= performance.now();
        times.push((await connections.at(-1).closed) - left);
      }
      // A machine that is busy may be late once; a timer in the way would be late each time.
      assert.ok(Math.min(...times) < 100, `${times.map(Math.round)} ms`);
    });
  });
}

test("an abort is immediate: what was queued is dropped, and reads reject with the reason", async () => {
  for (const pending of [false, true]) {
    const service = fetchOf(() => bodyOf([frames(0, 3)]).stream);
    const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch });
    const controller = new AbortController();
    const stream = handle.stream({ signal: controller.signal });
    assert.equal(textOf((await stream.next()).value), 0);
    if (pending) for (let read = 1; read < 3; read++) await stream.next();
    const waiting = pending ? stream.next() : undefined;
    const reason = { any: "value" };
    controller.abort(reason);
    const is = (error) => error === reason;
    if (waiting) await assert.rejects(waiting, is);
    for (let read = 0; read < 2; read++) await assert.rejects(stream.next(), is);
    await assert.rejects(stream.getReader().read(), is);
    assert.ok(service.streams[0].init.signal.aborted);
  }
});

test("an abort without a reason rejects with an AbortError", async () => {
  const service = fetchOf(() => bodyOf([frames(0, 3)]).stream);
  const controller = new AbortController();
  const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch, signal: controller.signal });
  const stream = handle.stream();
  await stream.next();
  controller.abort();
  await assert.rejects(stream.next(), { name: "AbortError" });
});

test("a signal that is aborted already stops everything before a request", async () => {
  const reason = new Error("too late");
  const signal = AbortSignal.abort(reason);
  let requests = 0;
  const fetch = () => {
    requests++;
    return new Promise(() => {});
  };
  await assert.rejects(Agent.getRun(runId, { ...run, fetch, signal }), reason);
  assert.equal(requests, 0);
  const service = fetchOf(() => bodyOf([ending]).stream);
  const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch });
  const stream = handle.stream({ signal });
  await assert.rejects(stream.next(), reason);
  await assert.rejects(stream.getReader().read(), reason);
  assert.equal(service.streams.length, 0);
});

test("a stream that is aborted before its first read rejects then, and requests nothing", async () => {
  const service = fetchOf(() => bodyOf([ending]).stream);
  const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch });
  for (const read of [(stream) => stream.next(), (stream) => stream.getReader().read()]) {
    const controller = new AbortController();
    const stream = handle.stream({ signal: controller.signal });
    const reason = new Error("mine");
    controller.abort(reason);
    await assert.rejects(read(stream), reason);
  }
  assert.equal(service.streams.length, 0);
});

test("an abort while getRun waits rejects with the reason and aborts the request", async () => {
  const controller = new AbortController();
  let asked;
  const fetch = (_, init) => {
    asked = init.signal;
    return new Promise(() => {});
  };
  const pending = Agent.getRun(runId, { ...run, fetch, signal: controller.signal });
  while (!asked) await turns(1);
  const reason = new Error("mine");
  controller.abort(reason);
  await assert.rejects(pending, reason);
  await turns();
  assert.ok(asked.aborted, "the request is aborted");
});

test("a body whose cancel() rejects, and one whose cancel() throws, are nobody's problem", async () => {
  const complaints = await unhandledDuring(async () => {
    for (const cancel of [
      () => Promise.reject(new Error("from cancel")),
      () => {
        throw new Error("from cancel");
      },
    ]) {
      for (const leave of [(stream) => stream.return(), (stream) => stream.cancel()]) {
        const body = bodyOf([frames(0, 2)], { cancel });
        const handle = await Agent.getRun(runId, { ...run, fetch: fetchOf(() => body.stream).fetch });
        const stream = handle.stream();
        await stream.next();
        await leave(stream);
        await turns();
        assert.ok(body.cancelled);
      }
    }
  });
  assert.deepEqual(complaints, []);
});

test("10,000 streams leave no listener on a signal, however they end", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const service = fetchOf(() => bodyOf([frames(0, 2) + ending], { end: "close" }).stream);
  const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch });
  const own = await Agent.getRun(runId, { ...run, fetch: service.fetch, signal });
  const ends = [
    async (stream) => {
      for await (const _ of stream);
    },
    async (stream) => {
      for await (const _ of stream) break;
    },
    (stream) => stream.cancel(),
    (stream) => stream.return(),
    // Never read at all.
    () => {},
  ];
  for (let count = 0; count < 2000; count++) {
    for (const end of ends) {
      await end(count % 2 ? handle.stream({ signal }) : own.stream());
    }
  }
  await turns();
  assert.equal(service.streams.length, 4000);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

/** What can happen to a stream; each is done without looking at what comes of it. */
const events = {
  next: (stream) => void stream.next().catch(() => {}),
  "next, unobserved": (stream) => {
    // Its rejection is the caller's own to handle, so it is observed; later ones must not appear.
    stream.next().then(
      () => {},
      () => {},
    );
  },
  read: (stream) => {
    if (!stream.locked)
      stream
        .getReader()
        .read()
        .catch(() => {});
  },
  cancel: (stream) => void stream.cancel().catch(() => {}),
  return: (stream) => void stream.return(),
  abort: (_, { controller }) => controller.abort(new Error("aborted")),
  "body fails": (_, { fail }) => fail?.(new Error("connection lost")),
  turn: () => turns(2),
};

test("no order of reading, leaving, aborting and failing gives an unhandled rejection", async () => {
  const names = Object.keys(events);
  let orders = 0;
  const complaints = await unhandledDuring(async () => {
    for (const a of names) {
      for (const b of names) {
        for (const c of names) {
          const controller = new AbortController();
          const context = { controller };
          const service = fetchOf(
            () =>
              new ReadableStream({
                start(body) {
                  body.enqueue(new TextEncoder().encode(frames(0, 1)));
                  context.fail = (error) => {
                    try {
                      body.error(error);
                    } catch {
                      // Cancelled before.
                    }
                  };
                },
              }),
          );
          const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch, retry: { attempts: 0 } });
          const stream = handle.stream({ signal: controller.signal });
          for (const name of [a, b, c]) await events[name](stream, context);
          await turns(1);
          controller.abort();
          orders++;
        }
      }
    }
  });
  assert.equal(orders, names.length ** 3);
  assert.deepEqual(complaints, []);
});

test("the guard sees an unhandled rejection", async () => {
  const complaints = await unhandledDuring(async () => {
    Promise.reject(new Error("nobody looks"));
  });
  assert.equal(complaints.length, 1);
});

test("it is iterated where ReadableStream is not iterable", async () => {
  const program = `
    delete ReadableStream.prototype[Symbol.asyncIterator];
    delete ReadableStream.prototype.values;
    const { Agent } = await import("runwire");
    const { bodyOf, ending, fetchOf, frames, run, runId, textOf } = await import("../lib/run-service.mjs");
    const service = fetchOf(() => bodyOf([frames(0, 3) + ending], { end: "close" }).stream);
    const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch });
    const texts = [];
    for await (const message of handle.stream()) texts.push(textOf(message));
    const reader = handle.stream().getReader();
    texts.push(textOf((await reader.read()).value));
    await reader.cancel();
    console.log(JSON.stringify({ texts, deleted: !(Symbol.asyncIterator in new ReadableStream()) }));
  `;
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  assert.deepEqual(JSON.parse(stdout), { texts: [0, 1, 2, 0], deleted: true });
});

test("a process ends by itself when its streams have been left", async () => {
  const program = `
    import { Agent } from "runwire";
    import { bodyOf, ending, fetchOf, frames, run, runId } from "../lib/run-service.mjs";
    const service = fetchOf(() => bodyOf([frames(0, 3), ending]).stream);
    const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch });
    for await (const _ of handle.stream());
    for await (const _ of handle.stream()) break;
    await handle.stream().cancel();
    const at = performance.now();
    process.on("exit", () => console.log(performance.now() - at));
  `;
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  // Timers that were forgotten would hold it for as long as they run: the shortest is seconds.
  assert.ok(Number(stdout) < 900, `${stdout} ms`);
});
