// run.onDidChangeStatus(): every change once, by itself, and nothing is left when nobody listens.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { turns } from "../lib/run-service.mjs";
import { refusal, result, scriptedRun, status, text, whole } from "../lib/scripted-run.mjs";

await init();

test("it works alone: it opens the stream, and tells how the run ended", async () => {
  for (const [words, is] of [
    [whole, "finished"],
    [result({ status: "ERROR", text: "" }), "error"],
    [result({ status: "EXPIRED", text: "" }), "error"],
    [result({ status: "CANCELLED", text: "" }), "cancelled"],
  ]) {
    const service = scriptedRun();
    const handle = await service.handle();
    const changes = [];
    handle.onDidChangeStatus((value) => changes.push([value, handle.status]));
    await turns();
    assert.equal(service.count("stream"), 1);
    service.connections[0].send(status("RUNNING"), text(1));
    await turns();
    assert.deepEqual(changes, []);
    service.connections[0].send(words);
    await turns();
    assert.deepEqual(changes, [[is, is]]);
  }
});

test("CREATING to RUNNING is no change, nor is what the service says again", async () => {
  const service = scriptedRun({ record: { status: "CREATING" } });
  const handle = await service.handle();
  const changes = [];
  handle.onDidChangeStatus((value) => changes.push(value));
  await turns();
  const { send } = service.connections[0];
  send.call(service.connections[0], status("CREATING"), status("RUNNING"), status("RUNNING"), text(1));
  await turns();
  assert.deepEqual(changes, []);
  service.connections[0].send(status("FINISHED"), status("FINISHED"), whole);
  await turns();
  assert.deepEqual(changes, ["finished"]);
  assert.equal(handle.status, "finished");
});

test("a result that the record completes is one change", async () => {
  const service = scriptedRun({ record: (n) => (n === 1 ? {} : { status: "FINISHED", result: "R" }) });
  const handle = await service.handle();
  const changes = [];
  handle.onDidChangeStatus((value) => changes.push(value));
  await turns();
  service.connections[0].send(result({ status: "FINISHED" }));
  await turns();
  assert.deepEqual(changes, ["finished"]);
  assert.equal(handle.result, "R");
});

test("it is not called for the value there is, and opens nothing on a handle that is over", async () => {
  const service = scriptedRun({ record: { status: "FINISHED" } });
  const handle = await service.handle();
  const changes = [];
  const stop = handle.onDidChangeStatus((value) => changes.push(value));
  await turns();
  stop();
  await turns();
  assert.deepEqual(changes, []);
  assert.equal(service.requests.length, 1);
});

test("the connection closes with the last unsubscribe, not before", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const listener = () => {};
  const stops = [
    handle.onDidChangeStatus(listener),
    handle.onDidChangeStatus(listener),
    handle.onDidChangeStatus(() => {}),
  ];
  await turns();
  assert.equal(service.count("stream"), 1);
  stops[0]();
  stops[0]();
  stops[1]();
  await turns();
  assert.equal(service.open, 1, "unsubscribing twice counts once");
  stops[2]();
  await turns();
  assert.equal(service.open, 0);
});

test("one that unsubscribes at once opens nothing, and one that comes back opens again", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  handle.onDidChangeStatus(() => {})();
  await turns();
  assert.equal(service.count("stream"), 0);
  for (let time = 1; time <= 3; time++) {
    const changes = [];
    const stop = handle.onDidChangeStatus((value) => changes.push(value));
    await turns();
    assert.equal(service.count("stream"), time);
    stop();
    await turns();
    assert.equal(service.open, 0);
    assert.deepEqual(changes, []);
  }
});

test("unsubscribed listeners are not called, also not by the change in which they are", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const changes = [];
  const stopFirst = handle.onDidChangeStatus(() => changes.push("first"));
  handle.onDidChangeStatus(() => {
    changes.push("second");
    stopThird();
  });
  const stopThird = handle.onDidChangeStatus(() => changes.push("third"));
  await turns();
  stopFirst();
  service.connections[0].send(whole);
  await turns();
  assert.deepEqual(changes, ["second"]);
});

test("a listener that throws is a warning, and harms nobody", async () => {
  const warnings = [];
  const service = scriptedRun();
  const handle = await service.handle({ onWarning: (warning) => warnings.push(warning) });
  const error = new Error("mine");
  const changes = [];
  handle.onDidChangeStatus(() => {
    throw error;
  });
  handle.onDidChangeStatus((value) => changes.push(value));
  const messages = [];
  const reading = (async () => {
    for await (const message of handle.stream()) messages.push(message.type);
  })();
  const waiting = handle.wait();
  await turns();
  service.connections[0].send(text(1), whole);
  await reading;
  assert.equal((await waiting).status, "finished");
  assert.deepEqual(changes, ["finished"]);
  assert.deepEqual(messages, ["assistant"]);
  assert.equal(service.count("stream"), 1);
  assert.equal(warnings.length, 1);
  assert.equal(warnings[0].code, "listener_threw");
  assert.equal(warnings[0].error, error);
});

test("an onWarning that throws harms nobody either", async () => {
  const service = scriptedRun();
  const handle = await service.handle({
    onWarning: () => {
      throw new Error("also mine");
    },
  });
  const changes = [];
  handle.onDidChangeStatus(() => {
    throw new Error("mine");
  });
  handle.onDidChangeStatus((value) => changes.push(value));
  await turns();
  service.connections[0].send(whole);
  assert.equal((await handle.wait()).status, "finished");
  assert.deepEqual(changes, ["finished"]);
});

test("a listener goes on through lost connections", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection, n) => {
        connection.send(text(1));
        if (n < 3) connection.fail();
        else connection.send(whole);
      },
    });
    const handle = await service.handle();
    const changes = [];
    handle.onDidChangeStatus((value) => changes.push(value));
    await clock.advance(5_000);
    assert.deepEqual(changes, ["finished"]);
    assert.equal(service.open, 0);
    assert.equal(clock.timers, 0);
  }));

test("of a run whose stream has expired it is told from GET run", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: () => refusal(410, "stream_expired"),
      record: (n) => (n < 4 ? {} : { status: "CANCELLED" }),
    });
    const handle = await service.handle();
    const changes = [];
    const stop = handle.onDidChangeStatus((value) => changes.push(value));
    await clock.advance(20_000);
    assert.deepEqual(changes, ["cancelled"]);
    stop();
    assert.equal(clock.timers, 0);
  }));

test("unsubscribing ends the questions to GET run, too", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({ stream: () => refusal(410, "stream_expired") });
    const handle = await service.handle();
    const stop = handle.onDidChangeStatus(() => {});
    await clock.advance(20_000);
    const asked = service.count("record");
    assert.ok(asked > 3);
    stop();
    await clock.advance(100_000);
    assert.equal(service.count("record"), asked);
    assert.equal(clock.timers, 0);
  }));

test("it reads along with a stream on one connection, which stays when either leaves", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const changes = [];
  const stop = handle.onDidChangeStatus((value) => changes.push(value));
  const stream = handle.stream();
  const first = stream.next();
  await turns();
  service.connections[0].send(text(1));
  await first;
  assert.equal(service.count("stream"), 1);
  stop();
  await turns();
  assert.equal(service.open, 1, "the stream's");
  const again = handle.onDidChangeStatus((value) => changes.push(value));
  await stream.return();
  await turns();
  assert.equal(service.open, 1, "the listener's");
  assert.equal(service.count("stream"), 1, "still the same");
  service.connections[0].send(whole);
  await turns();
  assert.deepEqual(changes, ["finished"]);
  again();
});
