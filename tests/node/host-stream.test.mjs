// The stream of a session: replayed from any place, by any number of readers, out of a log that has a bound.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { init as loadEngine } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { echo, gate, info, init, result, spoken } from "../lib/scripted-query.mjs";
import { hostWith, request, settled } from "../lib/session-client.mjs";

await loadEngine();

/** A session that has said so many numbered things, each of about `bytes`, and goes on. */
async function spokenHost(count, { bytes = 0, ...options } = {}) {
  const pad = "x".repeat(bytes);
  function* turn() {
    for (let n = 1; n <= count; n++) yield info(`${n} ${pad}`);
  }
  const world = hostWith({ script: { turn }, ...options });
  const path = await world.session();
  /** Lets it say them once more. */
  const speak = async () => {
    await world.say(path, "go");
    await settled();
  };
  await speak();
  return { ...world, path, speak };
}

const ids = (frames) => frames.map(({ id }) => Number(id));
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test("a reader goes on after any event, with nothing lost or repeated", async () => {
  const { stream, path, ask } = await spokenHost(20);
  await ask(`${path}/close`, { method: "POST" });
  const whole = await stream(path);
  const frames = await whole.rest();
  assert.equal(frames.length, 21);
  for (let n = 1; n <= 20; n++) {
    const resumed = await (await stream(path, n)).rest();
    assert.deepEqual(resumed, frames.slice(n), `after ${n}`);
  }
});

test("a reader who leaves in the middle and comes back has what an undisturbed one has", async () => {
  const { stream, path, ask, speak } = await spokenHost(5);
  const undisturbed = await stream(path);
  const collected = [];
  for (let round = 0; round < 4; round++) {
    const reader = await stream(path, collected.at(-1)?.id);
    collected.push(...(await reader.take(3)));
    await reader.cancel();
    await speak();
  }
  await ask(`${path}/close`, { method: "POST" });
  collected.push(...(await (await stream(path, collected.at(-1).id)).rest()));
  assert.deepEqual(collected, await undisturbed.rest());
  assert.deepEqual(ids(collected.slice(0, -1)), range(1, 25));
});

test("an id that is no event of the session is refused, and one that is the last is not", async () => {
  const { stream, path, ask } = await spokenHost(9);
  for (const id of [
    "10",
    "0",
    "-1",
    "1.5",
    "1e1",
    "abc",
    "0x1",
    "007",
    "",
    "\xb3",
    "9".repeat(40),
    "1 2",
    "NaN",
  ]) {
    const { status, body } = await ask(`${path}/stream`, { headers: { "last-event-id": id } });
    assert.deepEqual([status, body.error.code], [400, "invalid_last_event_id"], JSON.stringify(id));
  }
  const reader = await stream(path, 9);
  assert.equal(reader.response.status, 200);
  await ask(`${path}/close`, { method: "POST" });
  assert.deepEqual(await reader.rest(), [{ event: "done", data: {} }]);
});

test("every reader gets every event", async () => {
  const { stream, path, ask, speak } = await spokenHost(6);
  const readers = [await stream(path), await stream(path), await stream(path, 4)];
  const early = await readers[1].take(2);
  await speak();
  const late = await stream(path);
  await ask(`${path}/close`, { method: "POST" });
  const [first, second, third] = await Promise.all(readers.map((reader) => reader.rest()));
  assert.deepEqual(ids(first.slice(0, -1)), range(1, 12));
  assert.deepEqual([...early, ...second], first);
  assert.deepEqual(third, first.slice(4));
  assert.deepEqual(await late.rest(), first);
});

test("a reader who waits gets each event when it comes", async () => {
  const { stream, path, speak } = await spokenHost(1);
  const readers = [await stream(path), await stream(path)];
  for (const reader of readers) await reader.next();
  const waiting = readers.map((reader) => reader.next());
  await speak();
  for (const { id } of await Promise.all(waiting)) assert.equal(id, "2");
});

test("a log over its bound loses its oldest events, and a reader from the beginning is told", async () => {
  const { stream, path, ask } = await spokenHost(50, { bytes: 1_000, maxLogBytes: 10_500 });
  const reader = await stream(path);
  await ask(`${path}/close`, { method: "POST" });
  const [note, ...frames] = await reader.rest();
  const dropped = Number(note.id);
  assert.deepEqual(note, {
    id: `${dropped}`,
    data: { type: "info", text: "What came before is no longer kept", level: "warning" },
  });
  assert.deepEqual(ids(frames.slice(0, -1)), range(dropped + 1, 50));
  const kept = reader.raw.slice(reader.raw.indexOf(`id: ${dropped + 1}\n`)).split("event: done")[0];
  assert.ok(kept.length <= 10_500 && kept.length > 9_000, `${kept.length} bytes`);

  const resumed = await stream(path, dropped);
  assert.deepEqual(await resumed.rest(), frames, "the note's id is one to go on after");
  for (const id of [1, dropped - 1]) {
    const { status, body } = await ask(`${path}/stream`, { headers: { "last-event-id": `${id}` } });
    assert.deepEqual([status, body.error.code], [410, "stream_expired"]);
  }
});

test("what is kept is counted in bytes as they are sent", async () => {
  const text = "€".repeat(400);
  function* turn() {
    for (let n = 0; n < 20; n++) yield info(text);
  }
  const { session, say, stream, ask } = hostWith({ script: { turn }, maxLogBytes: 5_500 });
  const path = await session();
  await say(path, "go");
  await settled();
  await ask(`${path}/close`, { method: "POST" });
  const [note] = await (await stream(path)).rest();
  assert.equal(note.id, "16", "four frames of somewhat over 1,200 bytes are kept");
});

test("an event larger than the log reaches who keeps up, and is kept until the next", async () => {
  const { stream, path, ask, speak } = await spokenHost(1, { bytes: 5_000, maxLogBytes: 1_000 });
  const reader = await stream(path);
  assert.equal((await reader.next()).data.text.length, 5_002);
  await speak();
  assert.equal((await reader.next()).id, "2");
  await ask(`${path}/close`, { method: "POST" });
  assert.deepEqual(await reader.rest(), [{ event: "done", data: {} }]);
});

test("a reader who falls behind the log is ended, and finds that out when it comes back", async () => {
  const { stream, path, host, speak, ask } = await spokenHost(3, { bytes: 100, maxLogBytes: 1_000 });
  const slow = await stream(path);
  assert.equal((await slow.next()).id, "1");
  // More than one chunk of the body is not taken from the log ahead.
  await slow.take(2);
  for (let round = 0; round < 5; round++) await speak();
  assert.equal(host.sessions[0].readers, 0, "its place is free at once");
  assert.deepEqual(await slow.rest(), []);
  const { status, body } = await ask(`${path}/stream`, { headers: { "last-event-id": "3" } });
  assert.deepEqual([status, body.error.code], [410, "stream_expired"]);
});

test("a reader who has not begun to read begins where the log does by then", async () => {
  const { stream, path, speak, ask } = await spokenHost(3, { bytes: 100, maxLogBytes: 1_000 });
  const reader = await stream(path);
  for (let round = 0; round < 5; round++) await speak();
  await ask(`${path}/close`, { method: "POST" });
  const frames = await reader.rest();
  assert.equal(frames[0].data.level, "warning");
  assert.deepEqual(ids(frames.slice(0, -1)), range(Number(frames[0].id), 18));
});

test("a body is filled only as it is read", async () => {
  const { fetch, path } = await spokenHost(400, { bytes: 1_000 });
  const { body } = await fetch(request(`${path}/stream`));
  const reader = body.getReader();
  const sizes = [];
  for (let read = 0; read < 3; read++) sizes.push((await reader.read()).value.length);
  // A piece is about 64 KiB, however much there is.
  for (const size of sizes) assert.ok(size > 60_000 && size < 70_000, `${size} bytes`);
  await reader.cancel();
});

test("a stalled reader holds up neither the agent nor the others", async () => {
  const { stream, path, speak } = await spokenHost(10);
  await stream(path);
  const other = await stream(path);
  assert.equal((await other.take(10)).length, 10);
  await speak();
  assert.deepEqual(ids(await other.take(10)), range(11, 20));
});

for (const [name, leave] of [
  ["cancels its body", ({ body }) => body.cancel()],
  ["aborts its request", ({ controller }) => controller.abort()],
]) {
  for (const isWaiting of [false, true]) {
    test(`a reader who ${name} ${isWaiting ? "while it waits " : ""}is forgotten at once`, () =>
      withFakeTime(async (clock) => {
        const { fetch, path, host } = await spokenHost(2);
        const before = clock.timers;
        const controller = new AbortController();
        const asked = request(`${path}/stream`, { signal: controller.signal });
        const { body } = await fetch(asked);
        assert.equal(host.sessions[0].readers, 1);
        if (isWaiting) {
          const reader = body.getReader();
          await reader.read();
          const pending = reader.read().catch(() => {});
          await settled();
          if (name.startsWith("cancels")) await reader.cancel();
          else controller.abort();
          await pending;
        } else await leave({ body, controller });
        await settled();
        assert.equal(host.sessions[0].readers, 0);
        assert.equal(clock.timers, before);
        assert.equal(getEventListeners(asked.signal, "abort").length, 0);
      }));
  }
}

test("a reader whose request was aborted before is none", async () => {
  const { fetch, path, host } = await spokenHost(2);
  const { body } = await fetch(request(`${path}/stream`, { signal: AbortSignal.abort() }));
  assert.equal(host.sessions[0].readers, 0);
  await assert.rejects(body.getReader().read());
});

test("a connection that brings nothing is shown to be alive, and only then", () =>
  withFakeTime(async (clock) => {
    const { stream, path, speak } = await spokenHost(1, { heartbeatMs: 20_000 });
    const reader = await stream(path);
    await reader.next();
    const next = reader.next();
    await clock.advance(19_999);
    assert.equal(reader.raw.includes("\n:"), false);
    await clock.advance(1);
    assert.deepEqual(await next, { comment: "" });
    assert.ok(reader.raw.endsWith("\n\n:\n\n"));
    const after = reader.next();
    await clock.advance(15_000);
    await speak();
    assert.equal((await after).id, "2", "an event comes in its place");
    const quiet = reader.next();
    await clock.advance(19_999);
    await speak();
    assert.equal((await quiet).id, "3", "the time begins anew with each event");
    await reader.cancel();
  }));

test("without another word it is 8 seconds", () =>
  withFakeTime(async (clock) => {
    const { stream, path } = await spokenHost(1);
    const reader = await stream(path);
    await reader.next();
    const next = reader.next();
    await clock.advance(7_999);
    assert.equal(reader.raw.includes("\n:"), false);
    await clock.advance(1);
    assert.deepEqual(await next, { comment: "" });
    await reader.cancel();
  }));

test("a session that fails says so under an id of its own, and not why", async () => {
  const failure = new Error("ENOENT /home/agent/.key");
  async function* turn() {
    yield init();
    yield* spoken("m", "So far");
    throw failure;
  }
  for (const [describeError, message] of [
    [undefined, "The session has failed"],
    [(error) => `Failed: ${error.message.slice(0, 6)}`, "Failed: ENOENT"],
    [
      () => {
        throw new Error("in describeError");
      },
      "The session has failed",
    ],
  ]) {
    const { session, say, stream, ask, errors } = hostWith({ script: { turn }, describeError });
    const path = await session();
    await say(path, "go");
    const frames = await (await stream(path)).rest();
    assert.deepEqual(frames.slice(-2), [
      { id: `${frames.length - 1}`, event: "failed", data: { message } },
      { event: "done", data: {} },
    ]);
    assert.deepEqual(await (await stream(path, frames.length - 2)).rest(), frames.slice(-2));
    assert.equal((await ask(path)).body.status, "FINISHED");
    assert.equal(errors[0].error, failure);
    assert.equal(`/sessions/${errors[0].sessionId}`, path);
  }
});

test("a run of one prompt that fails after its failed turn has ended well enough", async () => {
  async function* turn() {
    yield init();
    yield result("", { subtype: "error_max_turns", is_error: true, errors: ["too many turns"] });
    throw new Error("Claude Code returned an error result: too many turns");
  }
  const { session, stream, errors } = hostWith({ script: { turn } });
  const frames = await (await stream(await session({ prompt: "go" }))).rest();
  assert.equal(frames.at(-2).data.type, "turn-end");
  assert.deepEqual(frames.at(-1), { event: "done", data: {} });
  assert.deepEqual(errors, []);
});

test("nothing of a session that was closed comes late", async () => {
  const held = gate();
  async function* turn(message) {
    yield* echo(message);
    await held.opened;
    yield info("late");
  }
  const { session, say, stream, ask } = hostWith({ script: { turn } });
  const path = await session();
  await say(path, "go");
  await settled();
  await ask(`${path}/close`, { method: "POST" });
  const frames = await (await stream(path)).rest();
  held.open();
  await settled();
  assert.deepEqual(await (await stream(path)).rest(), frames);
});
