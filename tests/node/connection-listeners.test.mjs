// run.onDidChangeConnection(), run.connection and onConnection: how the connection is, for people.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init, NetworkError, openRunStream, RateLimitError } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { run, runId, turns } from "../lib/run-service.mjs";
import { refusal, scriptedRun, text, whole } from "../lib/scripted-run.mjs";

await init();

const closed = { state: "closed", attempt: 0, delayMs: 0, reason: undefined };
const states = (changes) => changes.map(({ state }) => state);

test("a run that nobody disturbs: connecting, open, closed, each once", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  assert.deepEqual(handle.connection, closed);
  const changes = [];
  handle.onDidChangeConnection((connection) => changes.push(connection));
  const waiting = handle.wait();
  await turns();
  assert.equal(handle.connection.state, "open");
  service.connections[0].send(text(1), text(2));
  await turns();
  service.connections[0].send(whole);
  await waiting;
  await turns();
  assert.deepEqual(states(changes), ["connecting", "open", "closed"]);
  assert.deepEqual(handle.connection, closed);
});

test("it opens nothing, and is not called for the value there is", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const changes = [];
  handle.onDidChangeConnection((connection) => changes.push(connection));
  await turns();
  assert.deepEqual(changes, []);
  assert.equal(service.count("stream"), 0);
});

test("while it waits it tells the attempt, the delay and the reason", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection, n) => (n <= 3 ? refusal(503, "unavailable") : void connection.send(whole)),
    });
    const handle = await service.handle();
    const changes = [];
    handle.onDidChangeConnection((connection) => changes.push({ ...connection, at: clock.now() }));
    const waiting = handle.wait();
    await clock.advance(20_000);
    assert.equal((await waiting).status, "finished");
    const waits = changes.filter(({ state }) => state === "waiting");
    assert.deepEqual(
      waits.map(({ attempt }) => attempt),
      [1, 2, 3],
    );
    for (const { reason } of waits) {
      assert.ok(reason instanceof NetworkError);
      assert.equal(reason.status, 503);
      assert.equal(reason.code, "unavailable");
    }
    for (const wait of waits) {
      const next = changes[changes.indexOf(wait) + 1];
      assert.equal(next.state, "connecting");
      const passed = next.at - wait.at;
      assert.ok(
        wait.delayMs > 0 && Math.abs(passed - wait.delayMs) <= 1,
        `${passed} ms instead of ${wait.delayMs}`,
      );
    }
    for (const { state, delayMs } of changes) assert.equal(delayMs > 0, state === "waiting");
    const open = changes.find(({ state }) => state === "open");
    assert.equal(open.reason, undefined);
    assert.deepEqual(handle.connection, closed);
  }));

test("the service's Retry-After, in seconds or as a date, is told as the delay, and is at most 5 minutes", () =>
  withFakeTime(async (clock) => {
    const inSeconds = (seconds) => () => new Date(Date.now() + seconds * 1_000).toUTCString();
    for (const [after, least, most] of [
      [() => "20", 20_000, 21_000],
      [() => " 20 ", 20_000, 21_000],
      // A date has no milliseconds.
      [inSeconds(20), 19_000, 21_000],
      [inSeconds(86_400), 300_000, 301_000],
      [() => "86400", 300_000, 301_000],
      // What is none, and what is over, is none of the service's.
      [() => "soon", 0, 1_000],
      [() => "1.5", 0, 1_000],
      [() => "-20", 0, 1_000],
      [inSeconds(-20), 0, 1_000],
    ]) {
      const service = scriptedRun({
        stream: (connection, n) =>
          n === 1
            ? refusal(429, "rate_limit_exceeded", { "retry-after": after() })
            : void connection.send(whole),
      });
      const handle = await service.handle();
      const waits = [];
      handle.onDidChangeConnection((connection) => connection.state === "waiting" && waits.push(connection));
      const waiting = handle.wait();
      await clock.advance(400_000);
      await waiting;
      assert.equal(waits.length, 1);
      const [{ delayMs, reason }] = waits;
      assert.ok(delayMs >= least && delayMs < most, `${after()}: ${delayMs} ms`);
      assert.ok(reason instanceof RateLimitError);
    }
  }));

test("a lost connection: why is told, and the state that follows has none left over", () =>
  withFakeTime(async (clock) => {
    const lost = new TypeError("connection lost");
    const service = scriptedRun({
      stream: (connection, n) => {
        connection.send(text(1));
        if (n > 1) connection.send(whole);
      },
    });
    const handle = await service.handle();
    const changes = [];
    handle.onDidChangeConnection((connection) => changes.push(connection));
    const waiting = handle.wait();
    await clock.advance(0);
    service.connections[0].fail(lost);
    await clock.advance(5_000);
    await waiting;
    assert.deepEqual(states(changes), ["connecting", "open", "waiting", "connecting", "open", "closed"]);
    const [, , wait] = changes;
    assert.ok(wait.reason instanceof NetworkError);
    assert.equal(wait.reason.cause, lost);
    assert.equal(changes.at(-1).reason, undefined);
  }));

test("when it is given up, closed is told once", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({ stream: () => refusal(503, "unavailable") });
    const handle = await service.handle({ retry: { attempts: 1 } });
    const changes = [];
    handle.onDidChangeConnection((connection) => changes.push(connection));
    const failed = assert.rejects(handle.stream().next(), { status: 503 });
    await clock.advance(60_000);
    await failed;
    assert.deepEqual(states(changes), ["connecting", "waiting", "connecting", "closed"]);
  }));

test("a connection that is handed from one to another is not told as closed", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(text(1)) });
  const handle = await service.handle();
  const changes = [];
  handle.onDidChangeConnection((connection) => changes.push(connection));
  const waiting = handle.wait();
  await turns();
  const stream = handle.stream();
  await stream.next();
  await turns();
  for (const connection of service.connections) if (connection.open) connection.send(whole);
  await waiting;
  await stream.return();
  await turns();
  assert.equal(states(changes).indexOf("closed"), changes.length - 1, states(changes).join());
});

test("a listener that throws is a warning; unsubscribed ones are not called", async () => {
  const warnings = [];
  const service = scriptedRun();
  const handle = await service.handle({ onWarning: (warning) => warnings.push(warning) });
  const error = new Error("mine");
  const changes = [];
  handle.onDidChangeConnection(() => {
    throw error;
  });
  handle.onDidChangeConnection((connection) => changes.push(connection));
  const stop = handle.onDidChangeConnection(() => assert.fail("unsubscribed"));
  stop();
  stop();
  const waiting = handle.wait();
  await turns();
  service.connections[0].send(whole);
  await waiting;
  await turns();
  assert.deepEqual(states(changes), ["connecting", "open", "closed"]);
  assert.equal(warnings.length, 3);
  for (const warning of warnings) {
    assert.equal(warning.code, "listener_threw");
    assert.equal(warning.error, error);
  }
});

test("what a listener does to the run takes effect, in the middle of the change", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const stream = handle.stream();
  handle.onDidChangeConnection(({ state }) => state === "open" && stream.return());
  assert.deepEqual(await stream.next(), { done: true, value: undefined });
  await turns();
  assert.equal(service.open, 0);
  assert.deepEqual(handle.connection, closed);
});

test("openRunStream tells it to onConnection, whatever that does", async () => {
  const service = scriptedRun();
  const { agentId, apiKey } = run;
  const seen = [];
  const onConnection = (connection) => {
    seen.push(connection);
    throw new Error("mine");
  };
  const warnings = [];
  const onWarning = (warning) => warnings.push(warning);
  const stream = openRunStream(runId, { agentId, apiKey, fetch: service.fetch, onConnection, onWarning });
  const first = stream.next();
  await turns();
  service.connections[0].send(text(1), whole);
  assert.equal((await first).value.type, "assistant");
  for await (const _ of stream);
  assert.deepEqual(states(seen), ["connecting", "open", "closed"]);
  assert.equal(warnings.length, 3);
  for (const { code } of warnings) assert.equal(code, "listener_threw");
});
