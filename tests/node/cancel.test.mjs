// run.cancel(): resolves when the run is over, says so when it is not, and tells no lie about how it ended.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError, init, NetworkError } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { runId, turns } from "../lib/run-service.mjs";
import { done, refusal, result, scriptedRun, status, text, whole } from "../lib/scripted-run.mjs";

await init();

const cancelled = result({ status: "CANCELLED", text: "Half" }) + done;
const statusesOf = (messages) =>
  messages.filter(({ type }) => type === "status").map((message) => message.status);

/** Reads a stream to its end beside whatever else happens. */
function readAll(stream) {
  const messages = [];
  const ended = (async () => {
    for await (const message of stream) messages.push(message);
    return messages;
  })();
  return { messages, ended };
}

test("on a handle that is known to be over it resolves at once, without a request", async () => {
  for (const state of ["FINISHED", "ERROR", "CANCELLED", "EXPIRED"]) {
    const service = scriptedRun({ record: { status: state } });
    const handle = await service.handle();
    const { status: before } = handle;
    await handle.cancel();
    assert.equal(handle.status, before);
    assert.equal(service.requests.length, 1, "only getRun's");
  }
});

test("it is one POST without a body, with the key", async () => {
  const service = scriptedRun({ record: (n) => (n === 1 ? {} : { status: "CANCELLED" }) });
  await (await service.handle()).cancel();
  const [post] = service.of("cancel");
  assert.equal(post.method, "POST");
  assert.equal(post.init.body ?? null, null);
  assert.equal(post.headers.get("content-type"), null);
  assert.equal(post.headers.get("authorization"), "Bearer key-of-the-test");
});

test("calls at the same time share one POST", async () => {
  let answer;
  const service = scriptedRun({
    cancel: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    record: (n) => (n === 1 ? {} : { status: "CANCELLED" }),
  });
  const handle = await service.handle();
  const calls = [handle.cancel(), handle.cancel()];
  await turns();
  calls.push(handle.cancel());
  answer({});
  await Promise.all(calls);
  await handle.cancel();
  assert.equal(service.count("cancel"), 1);
});

test("after a 2xx the stream goes on to its terminal frame, and that settles everything", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(status("RUNNING"), text(1)) });
  const handle = await service.handle();
  const { messages, ended } = readAll(handle.stream());
  const waiting = handle.wait();
  await turns();
  const cancelling = handle.cancel();
  await turns();
  assert.equal(handle.status, "running", "not before the run says so");
  service.connections[0].send(text(2));
  await turns();
  assert.equal(messages.length, 3, "what the run still says is delivered");
  service.connections[0].send(text(3), status("CANCELLED"), cancelled);
  await cancelling;
  await ended;
  assert.deepEqual(statusesOf(messages), ["RUNNING", "CANCELLED"]);
  assert.equal(messages.length, 5);
  assert.deepEqual(await waiting, { id: runId, status: "cancelled", result: "Half" });
  assert.equal(service.count("stream"), 1);
  assert.equal(service.count("record"), 1);
});

test("a CANCELLED status is added at the end where the service sent none, after a cancel only", async () => {
  for (const [cancels, expected] of [
    [true, ["RUNNING", "CANCELLED"]],
    [false, ["RUNNING"]],
  ]) {
    const service = scriptedRun({ stream: (connection) => void connection.send(status("RUNNING"), text(1)) });
    const handle = await service.handle();
    const { messages, ended } = readAll(handle.stream());
    await turns();
    const cancelling = cancels ? handle.cancel() : Promise.resolve();
    await turns();
    service.connections[0].send(cancelled);
    await Promise.all([cancelling, ended]);
    assert.deepEqual(statusesOf(messages), expected);
    if (cancels) {
      const { agent_id, run_id, ...added } = messages.at(-1);
      assert.deepEqual(added, { type: "status", status: "CANCELLED" }, "it comes last");
      assert.equal(agent_id, handle.agentId);
      assert.equal(run_id, handle.id);
    }
  }
});

test("no CANCELLED is added to a run whose stream told another terminal status", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(text(1)) });
  const handle = await service.handle();
  const { messages, ended } = readAll(handle.stream());
  await turns();
  const cancelling = handle.cancel();
  await turns();
  service.connections[0].send(status("FINISHED"), whole);
  await Promise.all([cancelling, ended]);
  assert.deepEqual(statusesOf(messages), ["FINISHED"]);
  assert.equal(handle.status, "finished", "the run was faster: that is not overwritten");
});

test("a result that is not a cancelled one gets no CANCELLED, though a cancel had been agreed to", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(status("RUNNING"), text(1)) });
  const handle = await service.handle();
  const { messages, ended } = readAll(handle.stream());
  await turns();
  const cancelling = handle.cancel();
  await turns();
  service.connections[0].send(whole);
  await Promise.all([cancelling, ended]);
  assert.equal(handle.status, "finished");
  assert.deepEqual(statusesOf(messages), ["RUNNING"], "the run has finished: CANCELLED would be a lie");
});

test("a stream that begins after the cancel gets its CANCELLED, too", async () => {
  const service = scriptedRun({
    stream: (connection, n) =>
      void (n === 1 ? connection.send(text(1)) : connection.send(text(1), cancelled)),
  });
  const handle = await service.handle();
  const first = readAll(handle.stream());
  await turns();
  const cancelling = handle.cancel();
  await turns();
  const second = readAll(handle.stream());
  await second.ended;
  service.connections[0].send(cancelled);
  await Promise.all([cancelling, first.ended]);
  assert.deepEqual(statusesOf(first.messages), ["CANCELLED"]);
  assert.deepEqual(statusesOf(second.messages), ["CANCELLED"]);
});

test("without a stream GET run settles it, asked at once and then until 5 s are over", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({ record: (n) => (n <= 3 ? {} : { status: "CANCELLED", result: "Half" }) });
    const handle = await service.handle();
    let over = false;
    const cancelling = handle.cancel().then(() => {
      over = true;
    });
    await clock.advance(0);
    assert.equal(service.count("record"), 2, "getRun's, and one at once");
    await clock.advance(900);
    assert.equal(over, false);
    await clock.advance(4_000);
    await cancelling;
    assert.deepEqual(await handle.wait(), { id: runId, status: "cancelled", result: "Half" });
    assert.equal(service.count("stream"), 0);
    assert.equal(clock.timers, 0);
  }));

test("when neither stream nor record say so within 5 s it is cancelled locally", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({ stream: (connection) => void connection.send(text(1)) });
    const handle = await service.handle();
    const changes = [];
    handle.onDidChangeStatus((value) => changes.push(value));
    const waiting = handle.wait();
    await clock.advance(0);
    let over = false;
    const cancelling = handle.cancel().then(() => {
      over = true;
    });
    await clock.advance(4_999);
    assert.equal(over, false);
    await clock.advance(1);
    await cancelling;
    assert.equal(handle.status, "cancelled");
    assert.deepEqual(await waiting, { id: runId, status: "cancelled" });
    assert.deepEqual(changes, ["cancelled"]);
  }));

test("what the record says of a run that was cancelled locally does not overwrite that", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({ stream: (connection) => void connection.send(text(1)) });
    const handle = await service.handle();
    const { ended } = readAll(handle.stream());
    await clock.advance(0);
    const cancelling = handle.cancel();
    await clock.advance(5_000);
    await cancelling;
    service.connections[0].send(whole);
    await ended;
    assert.equal(handle.status, "cancelled");
    assert.deepEqual(await handle.wait(), { id: runId, status: "cancelled" });
  }));

for (const [name, trouble] of [
  [
    "network errors",
    () => {
      throw new TypeError("fetch failed");
    },
  ],
  ["500", () => refusal(500, "internal_error")],
  ["503", () => refusal(503, "upstream_error")],
]) {
  test(`${name} are tried three times; then it rejects and the run goes on`, () =>
    withFakeTime(async (clock) => {
      const service = scriptedRun({ cancel: trouble });
      const handle = await service.handle();
      const rejected = assert.rejects(handle.cancel(), (error) => {
        assert.ok(error instanceof NetworkError);
        assert.equal(error.operation, "run.cancel");
        assert.match(error.endpoint, /^POST .*\/cancel$/);
        return true;
      });
      await clock.advance(120_000);
      await rejected;
      assert.equal(service.count("cancel"), 3);
      assert.equal(handle.status, "running");
      assert.equal(clock.timers, 0);
    }));

  test(`${name} that pass are not seen`, () =>
    withFakeTime(async (clock) => {
      const service = scriptedRun({
        cancel: (n) => (n < 3 ? trouble() : {}),
        record: (n) => (n === 1 ? {} : { status: "CANCELLED" }),
      });
      const handle = await service.handle();
      const cancelling = handle.cancel();
      await clock.advance(10_000);
      await cancelling;
      assert.equal(service.count("cancel"), 3);
      assert.equal(handle.status, "cancelled");
    }));
}

for (const code of [400, 401, 403, 404]) {
  test(`${code} is not tried again`, async () => {
    const service = scriptedRun({ cancel: () => refusal(code, "no") });
    const handle = await service.handle();
    await assert.rejects(handle.cancel(), { status: code, code: "no" });
    assert.equal(service.count("cancel"), 1);
  });
}

test("a call after a failed one tries again", async () => {
  const service = scriptedRun({
    cancel: (n) => (n === 1 ? refusal(403, "role_forbidden") : {}),
    record: (n) => (n === 1 ? {} : { status: "CANCELLED" }),
  });
  const handle = await service.handle();
  await assert.rejects(handle.cancel(), { code: "role_forbidden" });
  await handle.cancel();
  assert.equal(handle.status, "cancelled");
  assert.equal(service.count("cancel"), 2);
});

test("at 409 GET run tells the real state of a run that is over", async () => {
  for (const [state, is] of [
    ["FINISHED", "finished"],
    ["ERROR", "error"],
    ["EXPIRED", "error"],
    ["CANCELLED", "cancelled"],
  ]) {
    const service = scriptedRun({
      cancel: () => refusal(409, "run_not_cancellable"),
      record: (n) => (n === 1 ? {} : { status: state, result: "R" }),
    });
    const handle = await service.handle();
    const waiting = handle.wait();
    await handle.cancel();
    assert.equal(handle.status, is);
    assert.equal((await waiting).result, "R");
    assert.equal(service.count("record"), 2);
  }
});

test("at 409 of a run that goes on it rejects with code run_not_cancellable", async () => {
  const service = scriptedRun({ cancel: () => refusal(409, "run_not_cancellable") });
  const handle = await service.handle();
  await assert.rejects(handle.cancel(), (error) => {
    assert.ok(error instanceof ConfigurationError);
    assert.equal(error.code, "run_not_cancellable");
    assert.equal(error.status, 409);
    return true;
  });
  assert.equal(handle.status, "running");
  assert.equal(service.count("cancel"), 1);
  assert.equal(service.count("record"), 2);
});

test("a refused cancel adds no CANCELLED", async () => {
  const service = scriptedRun({
    stream: (connection) => void connection.send(text(1)),
    cancel: () => refusal(409, "run_not_cancellable"),
  });
  const handle = await service.handle();
  const { messages, ended } = readAll(handle.stream());
  await turns();
  await assert.rejects(handle.cancel(), { code: "run_not_cancellable" });
  service.connections[0].send(whole);
  await ended;
  assert.deepEqual(statusesOf(messages), []);
});

test("a run that ends while the POST is under way resolves the cancel, whatever comes of the POST", async () => {
  for (const last of [
    () => ({}),
    () => refusal(503, "unavailable"),
    () => refusal(409, "run_not_cancellable"),
  ]) {
    let answer;
    const service = scriptedRun({
      cancel: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const handle = await service.handle();
    const waiting = handle.wait();
    await turns();
    const cancelling = handle.cancel();
    await turns();
    service.connections[0].send(whole);
    await cancelling;
    answer(last());
    await turns();
    assert.equal((await waiting).status, "finished");
    assert.equal(handle.status, "finished");
    assert.equal(service.open, 0);
  }
});

test("cancelling opens no stream of its own", async () => {
  const service = scriptedRun({ record: (n) => (n === 1 ? {} : { status: "CANCELLED" }) });
  const handle = await service.handle();
  await handle.cancel();
  await turns();
  assert.equal(service.count("stream"), 0);
  assert.equal(service.open, 0);
});

test("supports and unsupportedReason say beforehand what cancelling needs", async () => {
  const service = scriptedRun({ record: (n) => (n === 1 ? {} : { status: "CANCELLED" }) });
  const handle = await service.handle();
  assert.equal(handle.supports("cancel"), true);
  assert.equal(handle.unsupportedReason("cancel"), undefined);
  await handle.cancel();
  assert.equal(handle.supports("cancel"), false);
  assert.match(handle.unsupportedReason("cancel"), /cancelled/);
  assert.equal(handle.supports("wait"), true);
  assert.equal(handle.supports("steer"), false);
  assert.match(handle.unsupportedReason("steer"), /steer/);
});
