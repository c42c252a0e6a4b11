// Runs that somebody else launched, and that may be over: what their handles give, and what they say they can do.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, init } from "runwire";
import { createSimulator } from "runwire/testing";
import { withFakeTime } from "../lib/fake-time.mjs";
import { agentId, runId } from "../lib/run-service.mjs";
import { done, refusal, result, scriptedRun, status, text } from "../lib/scripted-run.mjs";

await init();

test("a finished run's persisted events are streamed, as often as one likes", async () => {
  const simulator = createSimulator();
  const ids = await simulator.startRun({ scenario: "coding", pace: "instant" });
  const { fetch } = simulator;
  const run = await Agent.getRun(ids.runId, { runtime: "cloud", agentId: ids.agentId, apiKey: "key", fetch });
  assert.equal(run.status, "finished");
  const expected = await simulator.expectedText(ids.runId);
  for (let time = 0; time < 2; time++) {
    let words = "";
    for await (const message of run.stream()) {
      if (message.type === "assistant") for (const block of message.message.content) words += block.text;
    }
    assert.equal(words, expected);
  }
  assert.equal(simulator.openConnections, 0);
});

test("a record of nothing but a status is enough, and what it lacks is absent", async () => {
  const sparse = Response.json({ id: runId, status: "FINISHED" });
  const service = scriptedRun({
    record: () => sparse.clone(),
    stream: (connection) => void connection.send(text(1), result(), done),
  });
  const run = await service.handle();
  const { id, status: state, createdAt, requestId, durationMs, git, error } = run;
  assert.deepEqual([id, run.agentId, state], [runId, agentId, "finished"]);
  assert.deepEqual([createdAt, requestId, durationMs, git, error, run.result], Array(6).fill(undefined));
  assert.deepEqual(await run.wait(), { id: runId, status: "finished" });
  const types = [];
  for await (const { type } of run.stream()) types.push(type);
  assert.deepEqual(types, ["assistant"]);
});

const operations = ["stream", "wait", "cancel", "conversation"];
const over = (name) => `The run is over: it is ${name}`;
const gone = "The service no longer keeps this run's stream";

for (const [state, reasons] of Object.entries({
  CREATING: {},
  RUNNING: {},
  PAUSED: {},
  FINISHED: { cancel: over("finished") },
  ERROR: { cancel: over("error") },
  CANCELLED: { cancel: over("cancelled") },
  EXPIRED: { cancel: over("error") },
})) {
  test(`supports() and unsupportedReason() of a run that is ${state}`, async () => {
    const run = await scriptedRun({ record: { status: state } }).handle();
    for (const operation of operations) {
      assert.equal(run.supports(operation), !reasons[operation], operation);
      assert.equal(run.unsupportedReason(operation), reasons[operation], operation);
    }
    assert.match(run.unsupportedReason("fly"), /"fly"/);
  });
}

test("supports() follows what becomes of the run and of its stream", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection, n) => (n === 1 ? void connection.end(text(1)) : refusal(410, "stream_expired")),
      record: (n) => (n < 4 ? {} : { status: "FINISHED" }),
    });
    const run = await service.handle();
    const reasons = () => operations.map((operation) => run.unsupportedReason(operation));
    assert.deepEqual(reasons(), Array(4).fill(undefined));
    const waiting = run.wait();
    await clock.advance(1_000);
    assert.deepEqual(reasons(), [gone, undefined, undefined, gone]);
    await clock.advance(20_000);
    assert.equal((await waiting).status, "finished");
    assert.deepEqual(reasons(), [gone, undefined, over("finished"), gone]);
  }));

test("a terminal status that is not believed yet takes no operation away", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection) => void connection.send(text(1), status("FINISHED")),
    });
    const run = await service.handle();
    const waiting = run.wait();
    await clock.advance(1_000);
    assert.equal(run.supports("cancel"), true);
    await clock.advance(10_000);
    assert.equal((await waiting).status, "finished");
    assert.equal(run.supports("cancel"), false);
  }));
