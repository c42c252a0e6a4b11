// onDelta and onStep are told everything, once and in order.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, init } from "runwire";
import { createSimulator } from "runwire/testing";
import { call, content, delta, recorder, shell, tell, update } from "../lib/callbacks.mjs";
import { turns } from "../lib/run-service.mjs";
import { frame, scriptedRun, status, text, whole } from "../lib/scripted-run.mjs";

await init();

test("the run is read at once, and wait() and its status come with it over one connection", async () => {
  const told = recorder();
  const service = scriptedRun({ stream: (connection) => void connection.send(delta(1)) });
  const run = await service.handle(told.options);
  await turns();
  assert.deepEqual(told.order, ["d:text-delta"]);
  const changes = [];
  run.onDidChangeStatus((value) => changes.push(value));
  const waiting = run.wait();
  service.connections[0].send(delta(2), whole);
  assert.equal((await waiting).status, "finished");
  assert.deepEqual(told.steps, [{ type: "assistantMessage", message: { text: "1;2;" } }]);
  assert.deepEqual(changes, ["finished"]);
  assert.equal(service.count("stream"), 1);
  assert.equal(service.open, 0);
});

test("without callbacks nothing is read", async () => {
  const service = scriptedRun();
  await service.handle({ onDelta: undefined, onStep: undefined });
  await turns();
  assert.equal(service.count("stream"), 0);
});

test("one of the two is enough", async () => {
  const { options, ...told } = recorder();
  await tell([delta(1)], { options: { onStep: options.onStep } });
  assert.equal(told.steps.length, 1);
  await tell([delta(1)], { options: { onDelta: options.onDelta } });
  assert.equal(told.deltas.length, 1);
});

test("a step comes before the update that completed it, text after its deltas, and what a tool cuts is two steps", async () => {
  const told = await tell([
    delta(1, "a"),
    update(2, { type: "token-delta", tokens: 1 }),
    delta(3, "b"),
    call(4, "partial-tool-call"),
    delta(5, "c"),
    call(6, "tool-call-started"),
    call(7, "tool-call-completed"),
    update(8, { type: "thinking-delta", text: "t" }),
    update(9, { type: "user-message-appended", userMessage: { text: "u" } }),
    delta(10, "d"),
  ]);
  assert.deepEqual(told.order, [
    ...["d:text-delta", "d:token-delta", "d:text-delta"],
    ...["s:assistantMessage", "d:partial-tool-call", "d:text-delta"],
    ...["s:assistantMessage", "d:tool-call-started", "s:toolCall", "d:tool-call-completed"],
    ...[
      "d:thinking-delta",
      "s:thinkingMessage",
      "d:user-message-appended",
      "d:text-delta",
      "s:assistantMessage",
    ],
  ]);
  const texts = told.steps.map(({ message }) => message.text);
  assert.deepEqual(texts, ["ab", "c", undefined, "t", "d"]);
  assert.deepEqual(told.steps[2].message, shell);
});

test("text after a turn's end, without a user message, is a step of its own", async () => {
  const ended = (n) => update(n, { type: "turn-ended" });
  const told = await tell([delta(1, "a"), ended(2), delta(3, "b"), delta(4, "c"), ended(5), ended(6)]);
  const texts = told.steps.map(({ message }) => message.text);
  assert.deepEqual(texts, ["a", "bc"]);
});

test("equal updates all come, with ids and without", async () => {
  const ha = { type: "text-delta", text: "ha" };
  const told = await tell([
    ...[1, 1, 1].map((n) => update(n, ha)),
    ...[1, 2, 3].map(() => frame("interaction_update", ha)),
  ]);
  assert.equal(told.deltas.length, 6);
  assert.equal(told.steps[0].message.text, "hahahahahaha");
});

test("what is not known comes as it was sent: updates, tools, members", async () => {
  const made = [
    { type: "context-injection-state", state: { deep: [1] } },
    { type: "text-delta", text: "a", more: true },
    { type: "tool-call-completed", callId: "c", toolCall: { type: "teleport", args: 7, result: "there" } },
    {
      type: "tool-call-completed",
      callId: "d",
      toolCall: { type: "read", result: { status: "error", error: "no" } },
    },
    { type: "summary", summary: "s" },
  ];
  const told = await tell(made.map((data, n) => update(n, data)));
  assert.deepEqual(told.deltas, made);
  assert.deepEqual(
    told.steps.map(({ message }) => message),
    [{ text: "a" }, made[2].toolCall, made[3].toolCall],
  );
  assert.deepEqual(told.warnings, []);
});

test("payloads that are wrapped are ignored, and what is broken is said and left out", async () => {
  const told = await tell([
    update(1, { update: { type: "text-delta", text: "wrapped" } }),
    update(2, { interactionUpdate: { type: "text-delta", text: "wrapped" } }),
    update(3, { textDelta: { text: "wrapped" } }),
    ...[null, [], 1, "text-delta"].map((data) => update(4, data)),
    ...["text-delta", "thinking-delta"].map((type) => update(5, { type, text: 5 })),
    update(6, { type: "thinking-completed" }),
    update(7, { type: "user-message-appended", userMessage: {} }),
    update(8, { type: "tool-call-completed", callId: "c", toolCall: { args: {} } }),
    update(9, { type: "turn-ended", usage: { inputTokens: 1 } }),
    delta(10),
  ]);
  assert.deepEqual(told.order, ["d:text-delta", "s:assistantMessage"]);
  const codes = told.warnings.map(({ code, event, id, excerpt }) => [
    code,
    event,
    id,
    JSON.parse(excerpt).type,
  ]);
  const warning = (n, type) => ["invalid_shape", "interaction_update", `${n}-0`, type];
  assert.deepEqual(codes, [
    warning(5, "text-delta"),
    warning(5, "thinking-delta"),
    warning(6, "thinking-completed"),
    warning(7, "user-message-appended"),
    warning(8, "tool-call-completed"),
    warning(9, "turn-ended"),
  ]);
});

test("of a long one that is broken, the warning has the start", async () => {
  const told = await tell([update(1, { type: "text-delta", much: "x".repeat(1_000) })]);
  assert.equal(told.warnings[0].excerpt.length, 256);
});

test("what the user says is accepted in three forms, and always has its text in one place", async () => {
  const type = "user-message-appended";
  const full = { type, userMessage: { type: "user_message", session_id: "s", text: "full", images: [] } };
  const told = await tell(
    [
      full,
      { type, userMessage: { text: "bare" } },
      {
        type,
        message: {
          content: [{ type: "text", text: "in " }, { type: "image" }, { type: "text", text: "blocks" }],
        },
      },
    ].map((data, n) => update(n, data)),
  );
  assert.deepEqual(told.deltas[0], full);
  assert.deepEqual(
    told.deltas.map(({ userMessage }) => userMessage.text),
    ["full", "bare", "in blocks"],
  );
});

test("simplified frames alone make steps, one frame later, and no deltas", async () => {
  const told = recorder();
  const service = scriptedRun();
  const run = await service.handle(told.options);
  await turns();
  const [connection] = service.connections;
  const tool = (n, state) =>
    frame("tool_call", { callId: "c", name: "read_file", status: state, args: {} }, `${n}-0`);
  connection.send(text(1, "a"), text(2, "b"), tool(3, "running"));
  await turns();
  assert.deepEqual(told.steps, []);
  connection.send(tool(4, "completed"));
  await turns();
  assert.deepEqual(told.steps, [{ type: "assistantMessage", message: { text: "ab" } }]);
  connection.send(text(5, "c"), whole);
  await run.wait();
  assert.deepEqual(told.order, ["s:assistantMessage", "s:toolCall", "s:assistantMessage"]);
});

test("of a simplified frame that comes before its update, the step comes once", async () => {
  const completed = { callId: "c", name: "read_file", status: "completed" };
  const told = await tell([
    frame("tool_call", completed, "1-0"),
    call(1, "tool-call-completed"),
    text(2, "a"),
    delta(2, "a"),
  ]);
  assert.deepEqual(told.steps, [
    { type: "toolCall", message: shell },
    { type: "assistantMessage", message: { text: "a" } },
  ]);
});

test("10,000 updates come in order, and once", async () => {
  const count = 10_000;
  const chunks = Array.from({ length: count / 50 }, (_, at) =>
    Array.from({ length: 50 }, (_, n) => delta(at * 50 + n)).join(""),
  );
  const told = await tell(chunks);
  assert.deepEqual(
    told.deltas.map((each) => Number.parseInt(each.text, 10)),
    Array.from({ length: count }, (_, n) => n),
  );
  assert.equal(told.steps.length, 1);
});

/** What a run of the simulator's tells, cut like this. */
async function follow(simulator, plan = {}, cut = undefined, replay = {}) {
  const faults = cut && { stream: { cuts: [cut] }, replay };
  const { agentId, runId } = await simulator.startRun({
    scenario: "coding",
    pace: "instant",
    faults,
    ...plan,
  });
  const told = recorder();
  const options = { ...told.options, runtime: "cloud", agentId, apiKey: "key", fetch: simulator.fetch };
  const run = await Agent.getRun(runId, { ...options, retry: { minDelayMs: 0 } });
  const { usage } = await run.wait();
  assert.deepEqual(told.warnings, []);
  const plain = JSON.stringify({ ...content(told), usage }).replaceAll(agentId, "A");
  return { runId, told: JSON.parse(plain) };
}

for (const [name, plan] of [
  ["twins side by side", {}],
  ["twins sent crosswise", { shape: { interleaveTwins: true } }],
]) {
  test(`cut after any frame, everything comes once: ${name}`, async () => {
    const simulator = createSimulator();
    const { runId, told: uncut } = await follow(simulator, plan);
    assert.ok(uncut.deltas.length > 100);
    assert.ok(uncut.usage.totalTokens > 0);
    const { length } = await simulator.frames(runId);
    for (let afterFrames = 1; afterFrames <= length; afterFrames++) {
      const { told } = await follow(simulator, plan, { connection: 1, afterFrames });
      assert.deepEqual(told, uncut, `cut after ${afterFrames}`);
    }
  });
}

test("cut again and again, everything comes once", async () => {
  const simulator = createSimulator();
  const { told: uncut } = await follow(simulator);
  const { told } = await follow(simulator, {}, { afterFrames: 7 });
  assert.deepEqual(told, uncut);
});

for (const [name, replay] of [
  ["merged", { text: "merged" }],
  ["split", { text: { split: 3 } }],
  ["from the start", { ignoreId: true }],
]) {
  test(`where a service repeats text ${name}, the steps are the same`, async () => {
    const simulator = createSimulator();
    const { told: uncut } = await follow(simulator);
    for (let afterFrames = 5; afterFrames < 300; afterFrames += 20) {
      const { told } = await follow(simulator, {}, { connection: 1, afterFrames }, replay);
      assert.deepEqual(told.steps, uncut.steps, `cut after ${afterFrames}`);
      assert.deepEqual(told.usage, uncut.usage);
    }
  });
}

test("a status and heartbeats are nobody's delta", async () => {
  const told = await tell([status("RUNNING"), frame("heartbeat", {}), delta(1)]);
  assert.deepEqual(told.order, ["d:text-delta", "s:assistantMessage"]);
});
