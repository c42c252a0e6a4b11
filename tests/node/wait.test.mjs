// run.wait(): how the run ended, or why that cannot be seen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthenticationError, ConfigurationError, init, NetworkError, UnknownAgentError } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { runId, turns } from "../lib/run-service.mjs";
import { done, frame, refusal, result, scriptedRun, status, text, whole } from "../lib/scripted-run.mjs";

await init();

/** What wait() gives when the stream says this and the record, after getRun's, that. */
async function outcomeOf(words, record = {}, { end = false } = {}) {
  const service = scriptedRun({
    stream: (connection) => void (end ? connection.end(words) : connection.send(words)),
    record: (n) => (n === 1 ? {} : record),
  });
  const handle = await service.handle();
  return { result: await handle.wait(), records: service.count("record") - 1, handle, service };
}

test("a run that finished resolves with all that is known of it, and nothing undefined", async () => {
  const git = { branches: [{ repoUrl: "github.com/o/r", branch: "b" }] };
  const all = { status: "FINISHED", text: "T", durationMs: 12, git };
  const { result: ended, handle, records } = await outcomeOf(text(1) + result(all) + done);
  assert.deepEqual(ended, { id: runId, status: "finished", result: "T", durationMs: 12, git });
  assert.deepEqual([handle.status, handle.result, handle.durationMs], ["finished", "T", 12]);
  assert.deepEqual(handle.git, git);
  assert.equal(records, 0, "a whole result asks for nothing");
});

test("a run that failed resolves with status error and the reason", async () => {
  const error = { code: "tool_failed", message: "No disk" };
  const { result: ended, handle } = await outcomeOf(result({ status: "ERROR", text: "T", error }) + done);
  assert.deepEqual(ended, { id: runId, status: "error", result: "T", error });
  assert.deepEqual(handle.error, error);
});

test("a run that failed without a reason resolves without one", async () => {
  const { result: ended } = await outcomeOf(result({ status: "ERROR", text: "T" }) + done);
  assert.deepEqual(ended, { id: runId, status: "error", result: "T" });
});

test("a failed run's status message is its reason where the result and the record give none", async () => {
  const { result: ended } = await outcomeOf(
    status("ERROR", { message: "Out of credits" }),
    {},
    { end: true },
  );
  assert.deepEqual(ended, { id: runId, status: "error", error: { message: "Out of credits" } });
});

test("an expired run has code expired where the service gave no error, and the service's where it did", async () => {
  const bare = await outcomeOf(result({ status: "EXPIRED", text: "T" }) + done);
  assert.equal(bare.result.status, "error");
  assert.equal(bare.result.error.code, "expired");
  assert.ok(bare.result.error.message);
  const error = { code: "c1", message: "m1" };
  const given = await outcomeOf(result({ status: "EXPIRED", text: "T", error }) + done);
  assert.deepEqual(given.result.error, error);
  const record = await outcomeOf(text(1) + done, { status: "EXPIRED" }, { end: true });
  assert.equal(record.result.error.code, "expired");
});

for (const [name, said, record, expected] of [
  [
    "without text",
    { status: "FINISHED" },
    { status: "FINISHED", result: "R", durationMs: 3 },
    { status: "finished", result: "R", durationMs: 3 },
  ],
  ["without status", { text: "T" }, { status: "ERROR", result: "R" }, { status: "error", result: "T" }],
  ["without either", {}, { status: "CANCELLED", result: "R" }, { status: "cancelled", result: "R" }],
]) {
  test(`a result ${name} is completed by exactly one GET run`, async () => {
    const { result: ended, records } = await outcomeOf(result(said) + done, record);
    assert.deepEqual(ended, { id: runId, ...expected });
    assert.equal(records, 1);
  });
}

test("a record of another terminal status does not complete a result", async () => {
  const { result: ended, records } = await outcomeOf(result({ status: "FINISHED" }) + done, {
    status: "ERROR",
    result: "R",
    error: { message: "m" },
  });
  assert.deepEqual(ended, { id: runId, status: "finished" });
  assert.equal(records, 1);
});

for (const [name, record] of [
  ["says that the run goes on", {}],
  ["is refused", refusal(503, "unavailable")],
]) {
  test(`a result settles with what it says when the record ${name}`, async () => {
    const { result: ended, records } = await outcomeOf(result({ status: "FINISHED" }) + done, record);
    assert.deepEqual(ended, { id: runId, status: "finished" });
    assert.equal(records, 1);
  });
}

test("a terminal status and then the end of the body is believed, with text and git of one GET run", async () => {
  const record = { status: "FINISHED", result: "R", git: { branches: [] } };
  const known = await outcomeOf(text(1) + status("FINISHED"), record, { end: true });
  assert.deepEqual(known.result, { id: runId, status: "finished", result: "R", git: { branches: [] } });
  assert.equal(known.records, 1);
  const frozen = await outcomeOf(text(1) + status("FINISHED"), { status: "RUNNING" }, { end: true });
  assert.deepEqual(frozen.result, { id: runId, status: "finished" });
  assert.equal(frozen.records, 1);
});

test("a terminal status is believed when the record tells of another end", async () => {
  const { result: ended } = await outcomeOf(text(1) + status("FINISHED"), { status: "ERROR" }, { end: true });
  assert.deepEqual(ended, { id: runId, status: "finished" });
});

test("a terminal status and then nothing for terminalGraceMs is believed", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection) => void connection.send(text(1), status("CANCELLED")),
    });
    const handle = await service.handle();
    const waiting = handle.wait();
    await clock.advance(4_999);
    assert.equal(handle.status, "running");
    await clock.advance(1);
    assert.deepEqual(await waiting, { id: runId, status: "cancelled" });
    assert.equal(service.open, 0);
  }));

for (const [name, ending] of [
  ["done", (connection) => void connection.send(text(1), done)],
  ["the end of the body", (connection) => void connection.end(text(1))],
  [
    "an error frame that is not fatal",
    (connection) => void connection.send(text(1), frame("error", { code: "stream_error", message: "m" })),
  ],
  ["204", () => new Response(null, { status: 204 })],
]) {
  test(`at ${name} GET run decides: over settles, running reconnects`, () =>
    withFakeTime(async (clock) => {
      const over = scriptedRun({
        stream: ending,
        record: (n) => (n === 1 ? {} : { status: "FINISHED", result: "R" }),
      });
      assert.deepEqual(await (await over.handle()).wait(), { id: runId, status: "finished", result: "R" });
      const running = scriptedRun({
        stream: (connection, n) => (n === 1 ? ending(connection) : void connection.send(text(1), whole)),
      });
      const waiting = (await running.handle()).wait();
      await clock.advance(1_000);
      assert.equal((await waiting).status, "finished");
      assert.equal(running.count("stream"), 2);
      assert.equal(running.count("record"), 2);
    }));
}

for (const [name, trouble] of [
  ["503", () => refusal(503, "unavailable")],
  ["408", () => refusal(408, "timeout")],
  ["429", () => refusal(429, "rate_limit_exceeded")],
  [
    "a network error",
    () => {
      throw new TypeError("fetch failed");
    },
  ],
  ["another content type", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ["an empty 200", () => new Response("", { headers: { "content-type": "text/event-stream" } })],
]) {
  test(`${name} is tried again`, () =>
    withFakeTime(async (clock) => {
      const service = scriptedRun({
        stream: (connection, n) => (n <= 2 ? trouble() : void connection.send(whole)),
      });
      const waiting = (await service.handle()).wait();
      await clock.advance(2_000);
      assert.equal((await waiting).status, "finished");
      assert.equal(service.count("stream"), 3);
    }));
}

test("stream_unavailable soon after the run was created is its warm-up", () =>
  withFakeTime(async (clock) => {
    const cold =
      status("CREATING") +
      status("RUNNING") +
      frame("error", { code: "stream_unavailable", message: "m" }) +
      done;
    const service = scriptedRun({
      stream: (connection, n) => void (n <= 2 ? connection.end(cold) : connection.send(whole)),
    });
    const waiting = (await service.handle()).wait();
    await clock.advance(2_000);
    assert.equal((await waiting).status, "finished");
  }));

test("410 settles from GET run, asked after 0, 2, 4, 8, 15, 15 s while the run goes on", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: () => refusal(410, "stream_expired"),
      record: (n) => (n < 7 ? {} : { status: "FINISHED", result: "R" }),
    });
    const handle = await service.handle();
    const waiting = handle.wait();
    await clock.advance(60_000);
    assert.deepEqual(await waiting, { id: runId, status: "finished", result: "R" });
    assert.equal(service.count("stream"), 1);
    const [first, ...times] = service.of("record").map(({ at }) => at);
    const gaps = times.map((at, n) => at - (n === 0 ? first : times[n - 1]));
    assert.deepEqual(gaps, [0, 2_000, 4_000, 8_000, 15_000, 15_000]);
    assert.equal(clock.timers, 0);
  }));

for (const [name, answer, ErrorClass, code] of [
  ["401", () => refusal(401, "unauthorized"), AuthenticationError, "unauthorized"],
  ["403", () => refusal(403, "role_forbidden"), UnknownAgentError, "role_forbidden"],
  ["404", () => refusal(404, "run_not_found"), ConfigurationError, "run_not_found"],
  ["422", () => refusal(422, "validation_error"), UnknownAgentError, "validation_error"],
  [
    "an error frame unauthorized",
    (connection) => void connection.send(frame("error", { code: "unauthorized", message: "m" })),
    AuthenticationError,
    "unauthorized",
  ],
  [
    "an error frame not_found",
    (connection) => void connection.send(frame("error", { code: "not_found", message: "m" })),
    Error,
    "not_found",
  ],
]) {
  test(`what cannot be observed rejects with the typed error at once: ${name}`, async () => {
    const service = scriptedRun({ stream: answer });
    const handle = await service.handle();
    await assert.rejects(handle.wait(), (error) => {
      assert.ok(error instanceof ErrorClass, `${error.name}: ${error.message}`);
      assert.equal(error.code, code);
      assert.equal(error.operation, "run.wait");
      return true;
    });
    assert.equal(service.count("stream"), 1);
    assert.equal(service.count("record"), 1);
    assert.equal(handle.status, "running", "the run itself has not failed");
    assert.equal(service.open, 0);
  });
}

test("a refused GET run that is not worth another try rejects, too", async () => {
  const service = scriptedRun({
    stream: () => refusal(410, "stream_expired"),
    record: (n) => (n === 1 ? {} : refusal(404, "run_not_found")),
  });
  await assert.rejects((await service.handle()).wait(), (error) => error.code === "run_not_found");
});

test("when the stream's budget is gone, GET run is polled while it answers", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: () => refusal(503, "unavailable"),
      record: (n) => (n < 20 ? {} : { status: "FINISHED" }),
    });
    const handle = await service.handle({ retry: { attempts: 2, maxDelayMs: 4_000 } });
    const waiting = handle.wait();
    await clock.advance(10_000);
    assert.equal(service.count("stream"), 3);
    await clock.advance(100_000);
    assert.deepEqual(await waiting, { id: runId, status: "finished" });
    assert.equal(service.count("stream"), 3);
    const times = service.of("record").map(({ at }) => at);
    assert.equal(times.at(-1) - times.at(-2), 4_000, "at the cap");
  }));

test("when both budgets are gone it rejects with the last error", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: () => refusal(503, "unavailable"),
      record: (n) => (n === 1 ? {} : refusal(502, "bad_gateway")),
    });
    const handle = await service.handle({ retry: { attempts: 2 } });
    const waiting = assert.rejects(
      handle.wait(),
      (error) => error instanceof NetworkError && error.status === 502,
    );
    await clock.advance(60_000);
    await waiting;
    assert.equal(service.count("stream"), 3);
    assert.equal(service.count("record"), 1 + 3);
    assert.equal(clock.timers, 0);
  }));

test("a wait after one that was rejected observes anew, also while somebody listens", async () => {
  for (const listens of [false, true]) {
    const service = scriptedRun({
      stream: (connection, n) => (n === 1 ? refusal(403, "forbidden") : void connection.send(whole)),
    });
    const handle = await service.handle();
    const stop = listens ? handle.onDidChangeStatus(() => {}) : () => {};
    await assert.rejects(handle.wait(), { code: "forbidden" });
    assert.equal((await handle.wait()).status, "finished");
    stop();
  }
});

test("a handle that is known to be over resolves without a request", async () => {
  for (const [state, is] of [
    ["FINISHED", "finished"],
    ["ERROR", "error"],
    ["CANCELLED", "cancelled"],
    ["EXPIRED", "error"],
  ]) {
    const service = scriptedRun({ record: { status: state, result: "R" } });
    const handle = await service.handle();
    const ended = await handle.wait();
    assert.equal(ended.status, is);
    assert.equal(ended.result, "R");
    await turns();
    assert.equal(service.requests.length, 1, "only getRun's");
  }
});

test("several waits share one connection and one GET run, and settle alike", async () => {
  const service = scriptedRun({ record: (n) => (n === 1 ? {} : { status: "FINISHED", result: "R" }) });
  const handle = await service.handle();
  const waits = [handle.wait(), handle.wait()];
  await turns();
  waits.push(handle.wait());
  service.connections[0].send(result({ status: "FINISHED" }), done);
  for (const ended of await Promise.all(waits))
    assert.deepEqual(ended, { id: runId, status: "finished", result: "R" });
  assert.deepEqual(await handle.wait(), await waits[0]);
  assert.equal(service.count("stream"), 1);
  assert.equal(service.count("record"), 2);
});

test("an abort rejects with the signal's reason and closes the connection", async () => {
  const service = scriptedRun();
  for (const own of [true, false]) {
    const controller = new AbortController();
    const handle = await service.handle(own ? {} : { signal: controller.signal });
    const waiting = handle.wait(own ? { signal: controller.signal } : {});
    await turns();
    assert.equal(service.open, 1);
    const reason = { any: "value" };
    controller.abort(reason);
    await assert.rejects(waiting, (error) => error === reason);
    await turns();
    assert.equal(service.open, 0);
  }
});

test("an abort of one wait leaves the others their connection", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const controller = new AbortController();
  const aborted = handle.wait({ signal: controller.signal });
  const other = handle.wait();
  await turns();
  controller.abort();
  await assert.rejects(aborted, { name: "AbortError" });
  service.connections[0].send(whole);
  assert.equal((await other).status, "finished");
  assert.equal(service.count("stream"), 1);
});

test("a signal that is aborted already makes no request", async () => {
  const service = scriptedRun();
  const handle = await service.handle();
  const reason = new Error("too late");
  await assert.rejects(handle.wait({ signal: AbortSignal.abort(reason) }), reason);
  await turns();
  assert.equal(service.requests.length, 1);
});
