// What people trip over first: ids of the wrong form, and bodies that are not bytes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, ConfigurationError, openRunStream } from "runwire";
import { createSimulator } from "runwire/testing";
import { agentId, fetchOf, run, runId } from "../lib/run-service.mjs";

test("openRunStream refuses ids of the wrong form before any request", async () => {
  const fetch = () => assert.fail("nothing is requested");
  for (const [id, agent] of [
    ["../../me", agentId],
    [runId, undefined],
    [runId, "bc-a/b"],
    [undefined, agentId],
  ]) {
    await assert.rejects(openRunStream(id, { agentId: agent, fetch }).next(), {
      constructor: ConfigurationError,
      code: "invalid_id",
    });
  }
  await assert.rejects(openRunStream(runId).next(), ConfigurationError);
});

test("a body that is not of bytes fails the stream and the wait, and is not asked for again", async () => {
  const body = () => new ReadableStream({ start: (controller) => controller.enqueue("data: text\n\n") });
  for (const use of [(handle) => handle.wait(), (handle) => handle.stream().next()]) {
    const service = fetchOf(body);
    const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch });
    await assert.rejects(use(handle), ConfigurationError);
    assert.equal(service.streams.length, 1);
  }
});

/** Follows a run for some messages: its ids, and the token there. */
async function tokenAfter(simulator, count, scenario) {
  const ids = await simulator.startRun({ scenario });
  const options = { runtime: "cloud", agentId: ids.agentId, apiKey: "key", fetch: simulator.fetch };
  const stream = (await Agent.getRun(ids.runId, options)).stream();
  for (let read = 0; read < count; read++) await stream.next();
  const token = stream.resumeToken;
  await stream.return();
  return { ...ids, options, token };
}

test("a service that has lost what a token's reader had read is told of, and all that it has comes", async () => {
  for (const lostFirst of [120, 180]) {
    const simulator = createSimulator({ pace: "demand" });
    const { runId, options, token } = await tokenAfter(simulator, 40, "coding");
    await simulator.setFaults({ replay: { lostFirst } }, { runId });
    const warnings = [];
    const onWarning = ({ code }) => warnings.push(code);
    const handle = await Agent.getRun(runId, { ...options, onWarning });
    const [resumed, whole] = [[], []];
    for await (const message of handle.stream({ from: token })) resumed.push(message);
    assert.equal(warnings.length, 1);
    for await (const message of handle.stream()) whole.push(message);
    const content = (messages) => messages.filter(({ type }) => type !== "status");
    assert.deepEqual(content(resumed), content(whole));
  }
});

test("a service that has lost what a token's reader had read, but knows its id, goes on there", async () => {
  const simulator = createSimulator({ pace: "demand" });
  const { runId, options, token } = await tokenAfter(simulator, 40, "coding");
  const [resumed, whole] = [[], []];
  const handle = await Agent.getRun(runId, { ...options, onWarning: assert.fail });
  for await (const message of handle.stream()) whole.push(message);
  await simulator.setFaults({ replay: { lostFirst: 20 } }, { runId });
  for await (const message of handle.stream({ from: token })) resumed.push(message);
  const content = (messages) => messages.filter(({ type }) => type !== "status");
  assert.ok(resumed.length > 20 && resumed.length < whole.length);
  assert.deepEqual(content(resumed), content(whole).slice(-content(resumed).length));
});

test("a token of another run is refused", async () => {
  const simulator = createSimulator({ pace: "demand" });
  const { token } = await tokenAfter(simulator, 40, "coding");
  const other = await simulator.startRun({ scenario: "error" });
  const options = { runtime: "cloud", agentId: other.agentId, apiKey: "key", fetch: simulator.fetch };
  const handle = await Agent.getRun(other.runId, options);
  await assert.rejects(handle.stream({ from: token }).next(), { code: "invalid_resume_token" });
});

test("a call of next() that waits when a reader is taken settles, and nothing is lost", async () => {
  const simulator = createSimulator({ pace: "demand" });
  const { agentId, runId } = await simulator.startRun({ scenario: "example" });
  const handle = await Agent.getRun(runId, {
    runtime: "cloud",
    agentId,
    apiKey: "key",
    fetch: simulator.fetch,
  });
  const stream = handle.stream();
  const first = stream.next();
  const reader = stream.getReader();
  const read = [];
  for (let result = await reader.read(); !result.done; result = await reader.read()) read.push(result.value);
  const { value } = await first;
  const whole = [];
  for await (const message of handle.stream()) whole.push(message);
  const all = value ? [value, ...read] : read;
  // The two may have waited for different ones; a status tells when a stream began.
  const content = (messages) =>
    messages.filter(({ type }) => type !== "status").map((m) => JSON.stringify(m));
  assert.deepEqual(content(all).sort(), content(whole).sort());
});
