// Several readers, listeners and waits of one handle: one connection while they keep together, and each its own pace.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { frames, textOf, turns } from "../lib/run-service.mjs";
import { refusal, scriptedRun, status, text, whole } from "../lib/scripted-run.mjs";

await init();

const upTo = (count) => Array.from({ length: count }, (_, at) => at);

/** Reads so many messages, or all there are. */
async function read(stream, count = Number.POSITIVE_INFINITY) {
  const messages = [];
  while (messages.length < count) {
    const { done, value } = await stream.next();
    if (done) break;
    messages.push(value);
  }
  return messages;
}

/** A run of so many texts in chunks of 16, whose connections begin after the id that is sent, as `service.starts` tells. */
function longRun(count, body = "x".repeat(1000)) {
  const made = upTo(count).map((n) => text(n, `${n}:${body};`));
  const service = scriptedRun({
    stream: (connection, _, init) => {
      const id = new Headers(init.headers).get("last-event-id");
      const start = id === null ? 0 : Number.parseInt(id, 10) + 1;
      service.starts.push(start);
      for (let at = start; at < count; at += 16) connection.send(made.slice(at, at + 16).join(""));
      connection.send(whole);
    },
  });
  service.starts = [];
  return service;
}
const numberOf = (message) => Number.parseInt(message.message.content[0].text, 10);

test("a stream, a listener and a wait hold exactly one connection, in every order", async () => {
  const kinds = {
    stream: (handle) => read(handle.stream()),
    listener: (handle) => new Promise((resolve) => handle.onDidChangeStatus(resolve)),
    wait: (handle) => handle.wait(),
  };
  for (const order of [
    "stream listener wait",
    "wait stream listener",
    "listener wait stream",
    "wait listener stream",
  ]) {
    const service = scriptedRun();
    const handle = await service.handle();
    const all = order.split(" ").map((kind) => kinds[kind](handle));
    await turns();
    assert.equal(service.count("stream"), 1, order);
    service.connections[0].send(status("RUNNING"), text(1), whole);
    await Promise.all(all);
    await turns();
    assert.equal(service.count("stream"), 1, order);
    assert.equal(service.open, 0, order);
  }
});

test("streams that begin before the first message share a connection, and each is the whole run", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const all = [read(handle.stream()), read(handle.stream()), read(handle.stream())];
  await turns();
  service.connections[0].send(frames(0, 3));
  await turns();
  service.connections[0].send(frames(3, 10) + whole);
  for (const messages of await Promise.all(all)) assert.deepEqual(messages.map(textOf), upTo(10));
  assert.equal(service.count("stream"), 1);
});

test("what is done to a message of one stream is not seen in the other's", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const [one, other] = [handle.stream(), handle.stream()];
  const both = [one.next(), other.next()];
  await turns();
  service.connections[0].send(text(1, "as it was") + whole);
  const [mine, theirs] = (await Promise.all(both)).map(({ value }) => value);
  assert.notEqual(mine, theirs);
  assert.notEqual(mine.message.content[0], theirs.message.content[0]);
  mine.message.content[0].text = "changed";
  mine.message.content.push({ type: "text", text: "added" });
  mine.agent_id = undefined;
  assert.deepEqual(theirs.message.content, [{ type: "text", text: "as it was" }]);
  assert.equal(theirs.agent_id, handle.agentId);
  await one.return();
  await other.return();
});

test("a warning about a frame comes once, however many read it", async () => {
  const warnings = [];
  const service = scriptedRun();
  const handle = await service.handle({ onWarning: (warning) => warnings.push(warning) });
  const both = [read(handle.stream()), read(handle.stream())];
  await turns();
  service.connections[0].send(`id: 1-0\nevent: assistant\ndata: {"text"\n\n${frames(1, 2)}${whole}`);
  for (const messages of await Promise.all(both)) assert.deepEqual(messages.map(textOf), [1]);
  assert.equal(warnings.length, 1);
});

test("a late stream gets a connection of its own, and is the whole run", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(frames(0, 4)) });
  const handle = await service.handle();
  const first = handle.stream();
  assert.deepEqual((await read(first, 2)).map(textOf), [0, 1]);
  const late = handle.stream();
  assert.deepEqual((await read(late, 3)).map(textOf), [0, 1, 2]);
  assert.equal(service.count("stream"), 2);
  for (const connection of service.connections) connection.send(frames(4, 6) + whole);
  assert.deepEqual((await read(first)).map(textOf), [2, 3, 4, 5]);
  assert.deepEqual((await read(late)).map(textOf), [3, 4, 5]);
  assert.equal(service.open, 0);
});

test("a stream after the end is the whole run again", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(frames(0, 4) + whole) });
  const handle = await service.handle();
  await handle.wait();
  for (let time = 2; time < 5; time++) {
    assert.deepEqual((await read(handle.stream())).map(textOf), upTo(4));
    assert.equal(service.count("stream"), time);
  }
});

test("who waits or listens joins the stream that is read instead of holding a connection beside it", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(frames(0, 4)) });
  const handle = await service.handle();
  const waiting = handle.wait();
  await turns();
  const stream = handle.stream();
  await stream.next();
  await turns();
  assert.equal(service.open, 1);
  service.connections.find(({ open }) => open).send(whole);
  assert.equal((await waiting).status, "finished");
  await stream.return();
  assert.equal(service.open, 0);
});

test("a sole consumer that stops reading pauses the socket", async () => {
  const service = longRun(4000);
  const handle = await service.handle();
  const stream = handle.stream();
  await read(stream, 20);
  await turns(50);
  const { taken } = service.connections[0];
  assert.ok(taken >= 2 && taken <= 3, `${taken} chunks of 16 messages taken for 20`);
  await stream.return();
});

test("with a wait beside it, it pauses when it has fallen a window behind", () =>
  withFakeTime(async (clock) => {
    const service = longRun(4000);
    const handle = await service.handle();
    const stream = handle.stream();
    await read(stream, 20);
    const waiting = handle.wait();
    await clock.advance(0);
    for (let turn = 0; turn < 20; turn++) await turns(50);
    const taken = service.connections[0].taken * 16 * 1050;
    assert.ok(taken > 1024 * 1024 && taken < 1.2 * 1024 * 1024, `${taken} bytes taken`);
    const [{ value }] = [await stream.next()];
    assert.equal(numberOf(value), 20);
    for (const message of await read(stream)) assert.ok(message);
    assert.equal((await waiting).status, "finished");
    assert.equal(service.count("stream"), 1);
  }));

test("the window is 4,096 messages where they are short", async () => {
  const service = longRun(10_000, "");
  const handle = await service.handle();
  const [slow, quick] = [handle.stream(), handle.stream()];
  const first = slow.next();
  await read(quick, 4_096);
  await first;
  assert.deepEqual((await read(slow, 4_095)).map(numberOf), upTo(4_096).slice(1));
  await read(quick, 5_000);
  assert.equal(service.count("stream"), 1, "it goes on alone only when it has read what it holds");
  const rest = await read(slow);
  assert.deepEqual(rest.map(numberOf), upTo(10_000).slice(4_096));
  assert.equal(service.count("stream"), 2);
  assert.ok(service.starts[1] >= 8_000 && service.starts[1] < 8_300, `it resumed at ${service.starts[1]}`);
  await quick.return();
  assert.equal(service.open, 0);
});

test("one that falls out of the window goes on alone from its own point, and loses or repeats nothing", async () => {
  const service = longRun(3000);
  const handle = await service.handle();
  const [slow, quick] = [handle.stream(), handle.stream()];
  const pending = [slow.next(), quick.next()];
  const head = (await Promise.all(pending)).map(({ value }) => numberOf(value));
  assert.deepEqual(head, [0, 0]);
  assert.deepEqual((await read(quick)).map(numberOf), upTo(3000).slice(1));
  assert.equal(service.count("stream"), 1);
  assert.deepEqual((await read(slow)).map(numberOf), upTo(3000).slice(1));
  assert.equal(service.count("stream"), 2);
  assert.ok(service.starts[1] > 900 && service.starts[1] < 1200, `it resumed at ${service.starts[1]}`);
  assert.equal(service.open, 0);
});

test("two that fall behind one after the other both lose nothing", async () => {
  const service = longRun(5000);
  const handle = await service.handle();
  const streams = [handle.stream(), handle.stream(), handle.stream()];
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  assert.equal(heads.length, 3);
  const [first, second, third] = streams;
  const numbers = [[0], [0], [0]];
  const some = async (at, stream, count) => numbers[at].push(...(await read(stream, count)).map(numberOf));
  await some(0, first, 1500);
  await some(1, second, 700);
  await some(0, first);
  await some(2, third, 2000);
  await some(1, second);
  await some(2, third);
  for (const seen of numbers) assert.deepEqual(seen, upTo(5000));
  assert.equal(service.open, 0);
});

test("when all are stalled, wait() asks GET run, first after 2 s and at last every 15 s, until one reads again", () =>
  withFakeTime(async (clock) => {
    const service = longRun(3000);
    const handle = await service.handle();
    const stream = handle.stream();
    await read(stream, 1);
    const waiting = handle.wait();
    for (let turn = 0; turn < 20; turn++) await turns(50);
    const since = clock.now();
    await clock.advance(50_000);
    const times = service
      .of("record")
      .slice(1)
      .map(({ at }) => at - since);
    const gaps = times.map((at, n) => at - (times[n - 1] ?? 0));
    assert.equal(gaps[0], 2_000);
    assert.deepEqual(
      gaps,
      [...gaps].sort((a, b) => a - b),
    );
    assert.deepEqual(gaps.slice(-2), [15_000, 15_000]);
    assert.ok(gaps.length <= 6);
    const asked = service.count("record");
    await read(stream);
    assert.equal((await waiting).status, "finished");
    await clock.advance(50_000);
    assert.equal(service.count("record"), asked);
    assert.equal(clock.timers, 0);
  }));

test("when all are stalled and the record says that the run is over, wait() resolves and the stream loses nothing", () =>
  withFakeTime(async (clock) => {
    let over = false;
    const service = longRun(3000);
    const { fetch } = service;
    service.fetch = (url, init) =>
      over && url.endsWith(handle.id)
        ? Promise.resolve(Response.json({ id: handle.id, status: "FINISHED", result: "R" }))
        : fetch(url, init);
    const handle = await service.handle({ fetch: (url, init) => service.fetch(url, init) });
    const stream = handle.stream();
    await read(stream, 1);
    const waiting = handle.wait();
    for (let turn = 0; turn < 20; turn++) await turns(50);
    over = true;
    await clock.advance(2_000);
    assert.equal((await waiting).result, "R");
    assert.deepEqual((await read(stream)).map(numberOf), upTo(3000).slice(1));
  }));

for (const [name, leave] of [
  [
    "break",
    async (stream) => {
      for await (const _ of stream) break;
    },
  ],
  ["cancel()", (stream) => stream.cancel()],
  ["return()", (stream) => stream.return()],
  ["an abort", (_, controller) => controller.abort()],
]) {
  test(`${name} of one does not disturb the others`, async () => {
    const service = scriptedRun();
    const handle = await service.handle();
    const controller = new AbortController();
    const leaving = handle.stream({ signal: controller.signal });
    const staying = handle.stream();
    const changes = [];
    handle.onDidChangeStatus((value) => changes.push(value));
    const waiting = handle.wait();
    const both = [leaving.next(), staying.next()];
    await turns();
    service.connections[0].send(frames(0, 3));
    await Promise.all(both);
    await leave(leaving, controller);
    await turns();
    assert.equal(service.open, 1);
    service.connections[0].send(frames(3, 5) + whole);
    assert.deepEqual((await read(staying)).map(textOf), [1, 2, 3, 4]);
    assert.equal((await waiting).status, "finished");
    assert.deepEqual(changes, ["finished"]);
    assert.equal(service.count("stream"), 1);
    assert.equal(service.open, 0);
  });
}

test("the connection closes with the last that leaves", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const streams = [handle.stream(), handle.stream()];
  const first = streams.map((stream) => stream.next());
  const stop = handle.onDidChangeStatus(() => {});
  const controller = new AbortController();
  const waiting = assert.rejects(handle.wait({ signal: controller.signal }));
  await turns();
  service.connections[0].send(frames(0, 1));
  await Promise.all(first);
  for (const leave of [
    () => streams[0].return(),
    () => stop(),
    () => controller.abort(),
    () => streams[1].cancel(),
  ]) {
    assert.equal(service.open, 1);
    await leave();
    await turns();
  }
  await waiting;
  assert.equal(service.open, 0);
  assert.equal(service.count("stream"), 1);
});

test("a late stream that is refused leaves the wait its own connection", async () => {
  const service = scriptedRun({
    stream: (connection, n) =>
      n === 2 ? refusal(403, "role_forbidden") : void connection.send(frames(0, 2)),
  });
  const handle = await service.handle();
  const first = handle.stream();
  await first.next();
  const waiting = handle.wait();
  await assert.rejects(handle.stream().next(), { code: "role_forbidden" });
  await turns();
  service.connections[0].send(whole);
  await read(first);
  assert.equal((await waiting).status, "finished");
  assert.equal(service.count("record"), 1, "its own connection was good all the time");
});

test("each of two streams learns of a failure after what it has not read yet", async () => {
  const service = scriptedRun();
  const handle = await service.handle({ maxEventBytes: 200 });
  const streams = [handle.stream(), handle.stream()];
  const heads = streams.map((stream) => stream.next());
  await turns();
  service.connections[0].send(frames(0, 3));
  await Promise.all(heads);
  service.connections[0].send(text(9, "x".repeat(300)));
  for (const stream of streams) {
    const rest = [];
    await assert.rejects(
      async () => {
        for await (const message of stream) rest.push(textOf(message));
      },
      { name: "EventTooLargeError" },
    );
    assert.deepEqual(rest, [1, 2]);
  }
  assert.equal(service.count("stream"), 1);
});
