// The controls: runs, faults, keys, and what they tell.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createSimulator } from "runwire/testing";
import { blocks, key, origin, start, textOf } from "./lib/run.mjs";

const create = (simulator, text = "hi", headers = key) =>
  simulator.fetch(`${origin}/v1/agents`, {
    method: "POST",
    headers,
    body: JSON.stringify({ prompt: { text } }),
  });

test("equal seeds give equal runs, other seeds others", async () => {
  const ids = async (seed) => {
    const { runId, stream } = await start({ seed, pace: "instant" });
    return [runId, await (await stream()).text()];
  };
  assert.deepEqual(await ids(3), await ids(3));
  assert.notDeepEqual(await ids(3), await ids(4));
});

test("options that are none are refused with the reason", async () => {
  await assert.rejects(createSimulator({ pace: -1 }).ready(), /pace: a number above 0/);
  const simulator = createSimulator();
  await assert.rejects(simulator.startRun({ scenario: "lunch" }), /unknown scenario "lunch"/);
  await assert.rejects(simulator.setFaults({ stream: { chunks: 1 } }), /stream: there is no "chunks"/);
  await assert.rejects(simulator.expectedText("run-x"), /unknown run/);
});

test("every named scenario plays to its end", async () => {
  const scenarios = {
    coding: "FINISHED",
    example: "FINISHED",
    error: "ERROR",
    expired: "EXPIRED",
    cancelled: "CANCELLED",
    "status-only": "FINISHED",
    "fatal:unauthorized": "RUNNING",
    "quiet:1": "FINISHED",
    "long:500": "FINISHED",
    "long:500:twins": "FINISHED",
  };
  for (const [scenario, state] of Object.entries(scenarios)) {
    const { simulator, runId, stream } = await start({}, { scenario, pace: "demand" });
    const text = await (await stream()).text();
    assert.equal(await simulator.runState(runId), state, scenario);
    assert.equal(textOf(text, "assistant"), await simulator.expectedText(runId), scenario);
    const frames = await simulator.frames(runId);
    assert.equal(
      blocks(text)
        .filter(({ event }) => event !== "heartbeat")
        .at(-1).event,
      frames.at(-1).event,
    );
  }
});

test("frames and wire text of one's own come as they were given", async () => {
  const frames = [
    { event: "assistant", id: "1", data: { text: "a" } },
    { raw: ": comment\n\n" },
    { event: "odd", data: "not json", delayMs: 5 },
  ];
  const given = await start({ pace: "instant" }, { scenario: { frames, endsAs: "ERROR" } });
  const text = await (await given.stream()).text();
  assert.ok(
    text.endsWith(
      'id: 1\nevent: assistant\ndata: {"text":"a"}\n\n: comment\n\nevent: odd\ndata: not json\n\n',
    ),
  );
  assert.equal((await given.record()).status, "ERROR");
  const wire = 'data: $RUN_ID\n\nid: 9\ndata:{"a":\ndata:1}\n\n';
  const scenario = { wire };
  const verbatim = await start(
    { pace: "demand", faults: { stream: { leadingStatus: false } } },
    { scenario },
  );
  assert.equal(await (await verbatim.stream()).text(), wire.replace("$RUN_ID", verbatim.runId));
});

test("faults change what they name, for one run or for all others", async () => {
  const { simulator, runId, stream } = await start({ pace: "instant", faults: { stream: { retryMs: 7 } } });
  const other = await simulator.startRun();
  const otherStream = () =>
    simulator.fetch(`${origin}/v1/agents/${other.agentId}/runs/${other.runId}/stream`, { headers: key });
  await simulator.setFaults({ replay: { expired: true } }, { runId });
  assert.equal((await stream()).status, 410);
  assert.match(await (await otherStream()).text(), /^retry: 7\n\n/);
  await simulator.setFaults({ replay: { expired: null } }, { runId });
  assert.match(await (await stream()).text(), /^retry: 7\n\n/);
  await simulator.setFaults({ stream: null });
  assert.match(await (await otherStream()).text(), /^event: status\n/);
});

test("runs created by requests are planned, or named by their prompt", async () => {
  const simulator = createSimulator({ pace: "instant", scenario: "expired" });
  await simulator.planRuns({ scenario: "error" }, { scenario: { frames: [], endsAs: "CANCELLED" } });
  const state = async (text) => simulator.runState((await (await create(simulator, text)).json()).run.id);
  assert.equal(await state("hi"), "ERROR");
  assert.equal(await state("hi"), "CANCELLED");
  assert.equal(await state("hi"), "EXPIRED");
  assert.equal(await state("simulate:coding"), "FINISHED");
});

test("a POST can be carried out although its answer is lost", async () => {
  const simulator = createSimulator({ pace: "instant" });
  for (const answer of ["reset", { error: { status: 502 } }, { body: { text: "{" } }]) {
    await simulator.addRule({ endpoints: ["createAgent"], times: 1, execute: true, answer });
    const before = (await simulator.counters()).runs;
    await create(simulator).catch(() => {});
    assert.equal((await simulator.counters()).runs, before + 1);
    assert.equal((await simulator.requests()).at(-1).executed, true);
  }
});

test("keys can be changed", async () => {
  const simulator = createSimulator({ auth: { keys: ["one"] } });
  const status = async (value) =>
    (await simulator.fetch(`${origin}/v1/me`, { headers: { authorization: value } })).status;
  assert.equal(await status("Bearer one"), 200);
  assert.equal(await status(`Basic ${btoa("one:")}`), 200);
  await simulator.setKeys("two", "three");
  assert.equal(await status("Bearer one"), 401);
  assert.equal(await status("Bearer three"), 200);
});

test("the log holds headers and bodies as they were sent", async () => {
  const simulator = createSimulator();
  await create(simulator, "secret?", { ...key, "x-other": "1" });
  const [{ number, method, path, headers, body, outcome }] = await simulator.requests();
  assert.deepEqual([number, method, path, outcome], [1, "POST", "/v1/agents", { status: 201 }]);
  assert.deepEqual(new Headers(headers).get("authorization"), "Bearer key_test");
  assert.deepEqual(JSON.parse(body), { prompt: { text: "secret?" } });
  await simulator.clearRequests();
  assert.deepEqual(await simulator.requests(), []);
});

test("expected messages carry the ids of their run", async () => {
  const { simulator, agentId, runId } = await start();
  const messages = await simulator.expectedMessages(runId);
  assert.ok(messages.length > 200);
  for (const message of messages) assert.deepEqual([message.agent_id, message.run_id], [agentId, runId]);
  assert.deepEqual(
    new Set(messages.map(({ type }) => type)),
    new Set(["assistant", "thinking", "tool_call", "usage"]),
  );
});

test("a forgotten run is gone for good", async () => {
  const { simulator, runId, stream } = await start();
  const body = (await stream()).text();
  await simulator.forgetRun(runId);
  await assert.rejects(body, TypeError);
  assert.equal((await stream()).status, 404);
});
