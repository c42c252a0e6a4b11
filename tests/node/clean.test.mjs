// What is left when a run has been followed: no connection, no timer, no listener, no rejection, no memory.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { AuthenticationError, init, openRunStream } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { run, runId, turns } from "../lib/run-service.mjs";
import { refusal, scriptedRun, text, whole } from "../lib/scripted-run.mjs";
import { unhandledDuring } from "../lib/unhandled.mjs";

await init();

const isRelease = process.env.RUNWIRE_TEST_RELEASE === "1";
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

/** Reads the first message, and lets the service go on to the run's end if that is wanted. */
async function first(stream) {
  assert.equal((await stream.next()).value.type, "assistant");
  return stream;
}

const end = (service) => {
  for (const connection of service.connections) if (connection.open) connection.send(whole);
};
const openStream = (service, signal) =>
  openRunStream(runId, { agentId: run.agentId, apiKey: run.apiKey, fetch: service.fetch, signal });

/** Every way in which following a run comes to its end. */
const ways = {
  async "the end of a stream"({ handle, service, signal }) {
    const stream = await first(handle.stream({ signal }));
    end(service);
    for await (const _ of stream);
  },
  async break({ handle, signal }) {
    for await (const _ of handle.stream({ signal })) break;
  },
  "cancel() of a stream": async ({ handle, signal }) => (await first(handle.stream({ signal }))).cancel(),
  async "an abort of a stream"({ handle, signal, controller }) {
    const stream = await first(handle.stream({ signal }));
    controller.abort();
    await assert.rejects(stream.next(), { name: "AbortError" });
  },
  async "an abort of a stream with a read pending"({ handle, signal, controller }) {
    const stream = await first(handle.stream({ signal }));
    const pending = assert.rejects(stream.next(), { name: "AbortError" });
    controller.abort();
    await pending;
  },
  "Symbol.asyncDispose": async ({ handle, signal }) => {
    const stream = await first(handle.stream({ signal }));
    await (Symbol.asyncDispose ? stream[Symbol.asyncDispose]() : stream.return());
  },
  async "the end of openRunStream"({ service, signal }) {
    const stream = await first(openStream(service, signal));
    end(service);
    for await (const _ of stream);
  },
  async "break in openRunStream"({ service, signal }) {
    for await (const _ of openStream(service, signal)) break;
  },
  async "an abort of openRunStream"({ service, signal, controller }) {
    const stream = await first(openStream(service, signal));
    controller.abort();
    await assert.rejects(stream.next());
  },
  async "the end of wait()"({ handle, service, signal }) {
    const waiting = handle.wait({ signal });
    await turns();
    end(service);
    await waiting;
  },
  async "an abort of wait()"({ handle, signal, controller }) {
    const waiting = assert.rejects(handle.wait({ signal }), { name: "AbortError" });
    await turns();
    controller.abort();
    await waiting;
  },
  async "the last unsubscribe"({ handle }) {
    const stops = [handle.onDidChangeStatus(() => {}), handle.onDidChangeConnection(() => {})];
    await turns();
    for (const stop of stops) stop();
  },
  async "the end, with all of them"({ handle, service, signal }) {
    const stop = handle.onDidChangeStatus(() => {});
    const waiting = handle.wait({ signal });
    const streams = [handle.stream({ signal }), handle.stream({ signal })];
    await Promise.all(streams.map(first));
    end(service);
    for (const stream of streams) for await (const _ of stream);
    await waiting;
    stop();
  },
  async "an abort, with all of them"({ handle, signal, controller }) {
    const stop = handle.onDidChangeStatus(() => {});
    const waiting = assert.rejects(handle.wait({ signal }));
    const streams = [handle.stream({ signal }), handle.stream({ signal })];
    await Promise.all(streams.map(first));
    controller.abort();
    for (const stream of streams) await assert.rejects(stream.next());
    await waiting;
    stop();
  },
  async "a cancel"({ handle, service, signal }) {
    const stream = await first(handle.stream({ signal }));
    const cancelling = handle.cancel();
    await turns();
    end(service);
    for await (const _ of stream);
    await cancelling;
  },
  async "an abort of cancel()"({ handle, service, signal, controller }) {
    const stream = await first(handle.stream());
    const cancelling = assert.rejects(handle.cancel({ signal }), { name: "AbortError" });
    await turns();
    controller.abort();
    await cancelling;
    end(service);
    for await (const _ of stream);
  },
  async "a cancel with a signal"({ handle, service, signal }) {
    const stream = await first(handle.stream());
    const cancelling = handle.cancel({ signal });
    await turns();
    end(service);
    for await (const _ of stream);
    await cancelling;
  },
  async "a refusal"({ service, signal }) {
    service.refuses = true;
    await assert.rejects(openStream(service, signal).next());
    service.refuses = false;
  },
  async "an abort while the request is under way"({ handle, service, signal, controller }) {
    service.hangs = true;
    const pending = assert.rejects(handle.stream({ signal }).next());
    await turns();
    assert.equal(service.open, 1);
    controller.abort();
    await pending;
  },
  async "an abort while the next attempt is waited for"({ handle, service, signal, controller }) {
    const stream = await first(handle.stream({ signal }));
    const pending = assert.rejects(stream.next());
    service.connections[0].fail();
    await turns();
    controller.abort();
    await pending;
  },
};

for (const [name, way] of Object.entries(ways)) {
  test(`after ${name} nothing is left`, async () => {
    const before = timers();
    const controller = new AbortController();
    const { signal } = controller;
    const service = scriptedRun({
      stream: (connection) => {
        if (service.refuses) return refusal(403, "role_forbidden");
        if (service.hangs) return new Promise(() => {});
        return void connection.send(text(1));
      },
    });
    const complaints = await unhandledDuring(async () => {
      await way({ handle: await service.handle(), service, signal, controller });
      await turns();
    });
    assert.equal(service.open, 0, "responses in flight");
    assert.equal(timers(), before, "timers");
    assert.equal(getEventListeners(signal, "abort").length, 0, "listeners on the caller's signal");
    assert.deepEqual(complaints, [], "unhandled rejections");
  });
}

for (const name of ["apiKey", "headers"]) {
  test(`an async ${name} that resolves after the close makes no request`, async () => {
    const asked = [];
    const service = scriptedRun();
    let slow = false;
    const value = name === "apiKey" ? "key" : { "x-a": "1" };
    const option = () => (slow ? new Promise((resolve) => asked.push(() => resolve(value))) : value);
    const handle = await service.handle({ [name]: option });
    slow = true;
    const stream = handle.stream();
    const pending = stream.next();
    const controller = new AbortController();
    const waiting = assert.rejects(handle.wait({ signal: controller.signal }));
    await turns();
    assert.equal(asked.length, 1);
    await stream.return();
    controller.abort();
    await waiting;
    assert.deepEqual(await pending, { done: true, value: undefined });
    for (const resolve of asked) resolve();
    await turns();
    assert.equal(service.requests.length, 1, "only getRun's");
    assert.equal(service.open, 0);
  });
}

test("attempts 1 to 20 carry the same method, path, headers and credentials", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection, n) => (n < 20 ? refusal(503, "unavailable") : void connection.send(whole)),
    });
    let asked = 0;
    const handle = await service.handle({
      apiKey: async () => {
        asked++;
        return "from-a-function";
      },
      headers: async () => ({ "x-tenant": "t", cookie: "a=b" }),
      credentials: "include",
      retry: { maxDelayMs: 1_000 },
    });
    const waiting = handle.wait();
    await clock.advance(3_600_000);
    assert.equal((await waiting).status, "finished");
    const attempts = service.of("stream").map(({ method, path, headers, init }) => {
      const { signal, headers: _, ...members } = init;
      assert.ok(signal instanceof AbortSignal);
      return { method, path, headers: [...headers], members };
    });
    assert.equal(attempts.length, 20);
    for (const attempt of attempts) assert.deepEqual(attempt, attempts[0]);
    assert.deepEqual(attempts[0].headers, [
      ["accept", "text/event-stream"],
      ["authorization", "Bearer from-a-function"],
      ["cookie", "a=b"],
      ["x-tenant", "t"],
    ]);
    assert.equal(attempts[0].members.credentials, "include");
    assert.equal(asked, service.requests.length, "asked for each request");
  }));

for (const name of ["apiKey", "headers"]) {
  test(`401 with ${name} from a function is tried once more with a fresh value, then it is an error`, async () => {
    for (const good of [true, false]) {
      let asked = 0;
      const value = () => `key-${++asked}`;
      const option = name === "apiKey" ? value : () => ({ authorization: `Bearer ${value()}` });
      const service = scriptedRun({
        stream: (connection, n) =>
          n === 1 || !good ? refusal(401, "unauthorized") : void connection.send(whole),
      });
      const handle = await service.handle({ [name]: option });
      if (good) assert.equal((await handle.wait()).status, "finished");
      else await assert.rejects(handle.wait(), AuthenticationError);
      const keys = service.of("stream").map(({ headers }) => headers.get("authorization"));
      assert.deepEqual(keys, ["Bearer key-2", "Bearer key-3"]);
      assert.equal(service.open, 0);
    }
  });
}

test("401 with a fixed key is not tried again", async () => {
  const service = scriptedRun({ stream: () => refusal(401, "unauthorized") });
  await assert.rejects((await service.handle()).wait(), AuthenticationError);
  assert.equal(service.count("stream"), 1);
});

test('lastEventIdIn "query" sends the id in the address and leaves the headers as they are', () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection, n) => {
        if (n === 1) connection.send(text(1), text(2), text(3)).end();
        else connection.send(text(2), text(3), text(4), whole);
      },
    });
    const handle = await service.handle({ lastEventIdIn: "query" });
    const waiting = handle.wait();
    await clock.advance(5_000);
    await waiting;
    const [one, two] = service.of("stream");
    assert.ok(!one.path.includes("?"), one.path);
    assert.match(two.path, /\/stream\?Last-Event-ID=\d-0$/);
    assert.deepEqual([...two.headers], [...one.headers]);
  }));

/** What a program beside this file prints. */
async function printed(program, ...args) {
  const file = join(import.meta.dirname, "programs", program);
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", file, ...args]);
  return JSON.parse(stdout);
}

test("handles and streams that are collected close their connections, and those in use do not", async () => {
  const { cases, failures } = await printed("collected.mjs");
  assert.deepEqual(failures, []);
  assert.equal(cases, 10);
});

// Code that gets hot takes room for longer than the fewer take.
for (const [count, most, skip] of [
  [2_000, 400, false],
  [10_000, 100, !isRelease && "with --release"],
]) {
  test(`${count} runs followed in one process end with flat memory`, { skip }, async () => {
    const { samples, timers: left } = await printed("many-runs.mjs", String(count));
    assert.equal(samples.length, 10);
    assert.equal(left, 0);
    // What each run left would show; 400 bytes are 4 % of what one holds.
    const grown = Math.min(...samples.slice(7)) - Math.min(...samples.slice(3, 6));
    const each = grown / (count * 0.4);
    assert.ok(
      each < most,
      `${Math.round(each)} bytes a run: ${samples.map((bytes) => (bytes / 1e6).toFixed(2))} MB`,
    );
  });
}
