// Streams of the simulator's fetch: made as they are read, given back when they are not.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { TextChecksum } from "runwire/testing";
import { fakeClock, settled } from "./lib/clock.mjs";
import { blocks, start, textOf } from "./lib/run.mjs";

test("an undisturbed stream brings what is expected, by text and by checksum", async () => {
  const { simulator, runId, stream } = await start({ pace: "instant" });
  const response = await stream();
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const text = await response.text();
  assert.equal(textOf(text, "assistant"), await simulator.expectedText(runId));
  const expected = await simulator.expected(runId);
  for (const event of ["assistant", "thinking"]) {
    const { length, checksum } = new TextChecksum().update(textOf(text, event));
    assert.deepEqual({ length, checksum }, expected[event]);
  }
  const inPieces = new TextChecksum();
  for (const unit of textOf(text, "assistant").split("")) inPieces.update(unit);
  assert.equal(inPieces.checksum, expected.assistant.checksum);
  assert.equal(simulator.openConnections, 0);
});

test("nothing is made before it is read, and no more than a piece ahead", async () => {
  const { simulator, stream } = await start({ pace: "demand", scenario: "long:100000" });
  const reader = (await stream()).body.getReader();
  await settled();
  assert.equal((await simulator.counters()).streamBytes, 0);
  for (let read = 1; read <= 3; read++) {
    await reader.read();
    await settled();
    assert.ok((await simulator.counters()).streamBytes <= (read + 1) * 16_384);
  }
  await reader.cancel();
  assert.equal(simulator.openConnections, 0);
});

test("cancelling a body gives its connection back, also while it waits", async () => {
  const clock = fakeClock();
  const { simulator, stream } = await start({ clock });
  const reader = (await stream()).body.getReader();
  await reader.read();
  const pending = reader.read();
  await settled();
  assert.equal(simulator.openConnections, 1);
  await reader.cancel();
  assert.deepEqual(await pending, { done: true, value: undefined });
  await settled();
  assert.equal(simulator.openConnections, 0);
  assert.equal((await simulator.counters()).streamsOpen, 0);
  assert.equal(clock.timers, 0);
});

test("aborting fails the body with the signal's reason and leaves nothing behind", async () => {
  const clock = fakeClock();
  const { simulator, stream } = await start({ clock });
  const controller = new AbortController();
  const reader = (await stream({ signal: controller.signal })).body.getReader();
  await reader.read();
  const pending = reader.read();
  await settled();
  const reason = new Error("enough");
  controller.abort(reason);
  await assert.rejects(pending, reason);
  await settled();
  assert.equal(simulator.openConnections, 0);
  assert.equal((await simulator.counters()).streamsOpen, 0);
  assert.equal(clock.timers, 0);
  assert.equal(getEventListeners(controller.signal, "abort").length, 0);
});

test("aborting fails a body that nobody is reading", async () => {
  const { simulator, stream } = await start({ pace: "instant" });
  const controller = new AbortController();
  const { body } = await stream({ signal: controller.signal });
  controller.abort();
  assert.equal(simulator.openConnections, 0);
  await assert.rejects(body.getReader().read(), { name: "AbortError" });
});

test("a signal used for many requests keeps no listener of a finished one", async () => {
  const { stream } = await start({ pace: "instant" });
  const { signal } = new AbortController();
  for (let count = 0; count < 20; count++) await (await stream({ signal })).text();
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("a run of a minute takes a minute of the clock and none of the test's", async () => {
  const clock = fakeClock();
  const { simulator, runId, stream, record } = await start({ clock });
  const began = clock.now();
  let ended;
  const text = (await stream()).text().then((all) => {
    ended = clock.now();
    return all;
  });
  await clock.advance(20_000);
  assert.equal((await record()).status, "RUNNING");
  assert.equal(ended, undefined);
  await clock.advance(100_000);
  assert.equal(textOf(await text, "assistant"), await simulator.expectedText(runId));
  assert.ok(ended - began > 45_000 && ended - began < 90_000, `${ended - began} ms`);
  assert.equal((await record()).status, "FINISHED");
});

test("a quiet run sends heartbeats for hours", async () => {
  const clock = fakeClock();
  const { stream } = await start({ clock, scenario: "quiet:8" });
  const text = (await stream()).text();
  await clock.advance(9 * 3_600_000);
  const beats = blocks(await text).filter(({ event }) => event === "heartbeat");
  assert.ok(beats.length > 1_900);
});

test("cutting connections fails bodies that wait, and those not yet read", async () => {
  const clock = fakeClock();
  const { simulator, runId, stream } = await start({ clock });
  const waiting = (await stream()).body.getReader();
  await waiting.read();
  const pending = waiting.read();
  const unread = await stream();
  await settled();
  assert.equal(await simulator.cutConnections({ runId: "run-other" }), 0);
  assert.equal(await simulator.cutConnections({ runId }), 2);
  await assert.rejects(pending, TypeError);
  await assert.rejects(unread.text(), TypeError);
  assert.equal(simulator.openConnections, 0);
});

test("connections can be cut cleanly", async () => {
  const { simulator, stream } = await start({ pace: 0.001 });
  const reader = (await stream()).body.getReader();
  await reader.read();
  const pending = reader.read();
  await settled();
  await simulator.cutConnections({ how: "end" });
  assert.equal((await pending).done, true);
});

test("held connections say nothing, and go on where they were", async () => {
  const clock = fakeClock();
  const { simulator, runId, stream } = await start({ clock });
  const text = (await stream()).text();
  await clock.advance(10_000);
  const before = (await simulator.counters()).streamBytes;
  assert.equal(await simulator.holdConnections({ ms: 30_000 }), 1);
  await clock.advance(29_000);
  assert.equal((await simulator.counters()).streamBytes, before);
  await clock.advance(60_000);
  assert.equal(textOf(await text, "assistant"), await simulator.expectedText(runId));
});

test("cancelling a run ends streams that are waiting", async () => {
  const clock = fakeClock();
  const { simulator, runId, stream } = await start({ clock });
  const text = (await stream()).text();
  await clock.advance(10_000);
  assert.equal(await simulator.cancelRun(runId), true);
  const [status, result, done] = blocks(await text).slice(-3);
  assert.equal(JSON.parse(status.data).status, "CANCELLED");
  assert.equal(JSON.parse(result.data).status, "CANCELLED");
  assert.equal(done.id, result.id);
  assert.equal(await simulator.runState(runId), "CANCELLED");
});

test("a resumed stream goes on after the id", async () => {
  const { stream } = await start({ pace: "instant" });
  const all = blocks(await (await stream()).text());
  const { id } = all[100];
  const rest = blocks(await (await stream({ headers: { "last-event-id": id } })).text());
  const last = all.findLastIndex((block) => block.id === id);
  assert.deepEqual(
    rest.slice(1),
    all.slice(last + 1).filter(({ event }) => event !== "status"),
  );
});

test("bytes can be read into the reader's own buffer", async () => {
  const { stream } = await start({ pace: "instant" });
  const whole = await (await stream()).text();
  const reader = (await stream()).body.getReader({ mode: "byob" });
  let text = "";
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(100));
    if (done) break;
    assert.ok(value.length <= 100);
    text += decoder.decode(value, { stream: true });
  }
  assert.equal(text, whole);
});
