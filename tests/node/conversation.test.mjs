// run.conversation(): the whole run, read when it is asked for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, init } from "runwire";
import { createSimulator } from "runwire/testing";
import { call, delta, recorder, shell, update } from "../lib/callbacks.mjs";
import { turns } from "../lib/run-service.mjs";
import { frame, refusal, scriptedRun, text, whole } from "../lib/scripted-run.mjs";

await init();

/** The conversation of a run with these frames, over one connection. */
async function read(frames) {
  const warnings = [];
  const service = scriptedRun({ stream: (connection) => void connection.send(...frames, whole) });
  const run = await service.handle({ onWarning: (warning) => warnings.push(warning) });
  const conversation = await run.conversation();
  assert.equal(service.open, 0);
  assert.deepEqual(warnings, []);
  return conversation;
}
const said = (words) => ({ type: "assistantMessage", message: { text: words } });
const thought = (words, more = {}) => ({ type: "thinkingMessage", message: { text: words, ...more } });
const tool = (message) => ({ type: "toolCall", message });
const turn = (steps, ...user) => ({
  type: "agentConversationTurn",
  turn: { ...(user.length > 0 && { userMessage: { text: user[0] } }), steps },
});
const user = (n, words) => update(n, { type: "user-message-appended", userMessage: { text: words } });
const thinks = (n, words) => update(n, { type: "thinking-delta", text: words });
const thinkingDone = (n, thinkingDurationMs) => update(n, { type: "thinking-completed", thinkingDurationMs });
const readFile = (n, state, more = {}) =>
  frame("tool_call", { callId: "c", name: "read_file", status: state, ...more }, `${n}-0`);

test("turns begin with what the user says; what comes before is one without", async () => {
  assert.deepEqual(
    await read([delta(1, "a"), user(2, "u"), thinks(3, "t"), delta(4, "b"), user(5, "v"), user(6, "w")]),
    [turn([said("a")]), turn([thought("t"), said("b")], "u"), turn([], "v"), turn([], "w")],
  );
});

test("a run that says nothing has no turns", async () => {
  assert.deepEqual(await read([update(1, { type: "turn-ended" }), update(2, { type: "step-started" })]), []);
});

test("neither a step's end nor a turn's divides text; a tool does, and thinking that has its duration", async () => {
  const stepDone = (n) => update(n, { type: "step-completed", stepId: n, stepDurationMs: 1 });
  assert.deepEqual(
    await read([
      ...[delta(1, "a"), stepDone(2), delta(3, "b"), update(4, { type: "turn-ended" }), delta(5, "c")],
      ...[call(6, "tool-call-started"), delta(7, "d"), call(8, "tool-call-completed"), delta(9, "e")],
      ...[
        thinks(10, "f"),
        thinkingDone(11, 1),
        thinks(12, "g"),
        stepDone(13),
        thinks(14, "h"),
        thinkingDone(15, 2),
      ],
    ]),
    [
      turn([
        ...[said("abc"), said("d"), tool(shell), said("e")],
        ...[thought("f", { thinkingDurationMs: 1 }), thought("gh", { thinkingDurationMs: 2 })],
      ]),
    ],
  );
});

test("tools that nobody knows are kept as they were sent", async () => {
  const toolCall = { type: "teleport", to: "there", result: { ok: true } };
  assert.deepEqual(await read([call(1, "tool-call-completed", toolCall)]), [turn([tool(toolCall)])]);
});

test("without updates it is made of simplified frames", async () => {
  const error = { message: "E" };
  assert.deepEqual(
    await read([
      frame("user", { message: { role: "user", content: [{ type: "text", text: "u" }] } }, "0-1"),
      frame("thinking", { text: "a" }, "1-0"),
      frame("thinking", { text: "b", thinking_duration_ms: 5 }, "2-0"),
      ...[text(3, "c"), text(4, "d"), readFile(5, "running"), text(6, "e")],
      readFile(7, "completed", { args: { path: "p" }, result: { x: 1 } }),
      readFile(8, "error", { args: null, result: "E" }),
      ...[readFile(9, "error", { result: error }), readFile(10, "error"), readFile(11, "completed")],
      frame(
        "assistant",
        { message: { content: [{ type: "text", text: "f" }, { type: "tool_use" }] } },
        "12-0",
      ),
      frame("assistant", null, "13-0"),
      frame("thinking", { text: "g", thinkingDurationMs: 6 }, "14-0"),
      frame("tool_call", { status: "completed" }, "15-0"),
    ]),
    [
      turn(
        [
          ...[thought("ab", { thinkingDurationMs: 5 }), said("cd"), said("e")],
          tool({ type: "read_file", args: { path: "p" }, result: { status: "success", value: { x: 1 } } }),
          tool({ type: "read_file", args: null, result: { status: "error", error } }),
          tool({ type: "read_file", result: { status: "error", error } }),
          tool({ type: "read_file", result: { status: "error", error: { message: "" } } }),
          ...[tool({ type: "read_file" }), said("f"), thought("g", { thinkingDurationMs: 6 })],
          tool({ type: "unknown" }),
        ],
        "u",
      ),
    ],
  );
});

test("what comes as an update and as a simplified frame counts once, whichever comes first", async () => {
  const twins = [
    [user(1, "u"), frame("user", { message: { content: "u" } }, "1-0")],
    [thinks(2, "t"), frame("thinking", { text: "t" }, "2-0")],
    [delta(3, "a"), text(3, "a")],
    [call(4, "tool-call-started"), readFile(4, "running")],
    [call(5, "tool-call-completed"), readFile(5, "completed")],
    [delta(6, "b"), text(6, "b")],
  ];
  const expected = [turn([thought("t"), said("a"), tool(shell), said("b")], "u")];
  assert.deepEqual(await read(twins.flat()), expected);
  assert.deepEqual(await read(twins.flatMap((pair) => [...pair].reverse())), expected);
  assert.deepEqual(await read([0, 1].flatMap((at) => twins.map((pair) => pair[1 - at]))), expected);
});

test("updates that say nothing of the conversation leave it to the simplified frames", async () => {
  const others = ["turn-ended", "step-started", "heard-of-nowhere"].map((type, n) => update(n, { type }));
  assert.deepEqual(await read([others[0], text(7, "a"), ...others, text(8, "b")]), [turn([said("ab")])]);
});

test("it is there when the run is over, and not before", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(delta(1)) });
  const run = await service.handle();
  let conversation;
  run.conversation().then((value) => {
    conversation = value;
  });
  await turns();
  assert.equal(conversation, undefined);
  service.connections[0].send(delta(2), whole);
  await turns();
  assert.deepEqual(conversation, [turn([said("1;2;")])]);
});

test("each call reads the run again, also beside a stream and after the end", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(delta(1) + text(1), whole) });
  const run = await service.handle();
  const stream = run.stream();
  assert.equal((await stream.next()).value.type, "assistant");
  const first = await run.conversation();
  assert.equal((await stream.next()).done, true);
  assert.equal((await run.wait()).status, "finished");
  const second = await run.conversation();
  assert.deepEqual(first, [turn([said("1;")])]);
  assert.deepEqual(second, first);
  assert.notEqual(second[0], first[0]);
  assert.equal(service.count("stream"), 3);
  assert.equal(service.open, 0);
});

test("an abort rejects with its reason at once and lets go of the connection", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(delta(1)) });
  const run = await service.handle();
  for (const early of [true, false]) {
    const controller = new AbortController();
    if (early) controller.abort(new Error("enough"));
    const rejected = assert.rejects(run.conversation({ signal: controller.signal }), { message: "enough" });
    await turns();
    controller.abort(new Error("enough"));
    await rejected;
    assert.equal(service.open, 0);
  }
});

test("an expired stream, and one that may not be read, reject as stream() does", async () => {
  for (const [status, code] of [
    [410, "stream_expired"],
    [403, "role_forbidden"],
  ]) {
    const service = scriptedRun({ stream: () => refusal(status, code) });
    const run = await service.handle();
    assert.equal(run.supports("conversation"), true);
    await assert.rejects(run.conversation(), { code });
    await assert.rejects(run.stream().next(), { code });
    assert.equal(run.supports("conversation"), status !== 410);
    await assert.rejects(run.conversation(), { code });
    assert.equal(service.count("stream"), status === 410 ? 1 : 3);
  }
});

test("cut anywhere, it is the steps that callbacks are told of the uncut run", async () => {
  const simulator = createSimulator({ scenario: "coding", pace: "instant" });
  const open = async (cuts, options) => {
    const { agentId, runId } = await simulator.startRun({ faults: { stream: { cuts } } });
    const { fetch } = simulator;
    const retry = { minDelayMs: 0 };
    return Agent.getRun(runId, { runtime: "cloud", agentId, apiKey: "key", fetch, retry, ...options });
  };
  const told = recorder();
  await (await open([], told.options)).wait();
  assert.ok(told.steps.length > 10);
  for (const how of ["reset", "end"]) {
    for (let afterBytes = 50; afterBytes < 60_000; afterBytes += 1_537) {
      const conversation = await (await open([{ connection: 1, afterBytes, how }])).conversation();
      assert.deepEqual(conversation.length, 1);
      assert.equal(conversation[0].turn.userMessage.text, told.deltas[0].userMessage.text);
      assert.deepEqual(conversation[0].turn.steps, told.steps, `${how} after ${afterBytes} bytes`);
    }
  }
});

test("a cloud run cannot be steered: that is said without a request", async () => {
  const service = scriptedRun();
  const run = await service.handle();
  assert.equal(await run.steer("left"), "revert_to_followup");
  assert.equal(run.supports("steer"), false);
  assert.match(run.unsupportedReason("steer"), /follow-up/);
  assert.equal(service.requests.length, 1);
});
