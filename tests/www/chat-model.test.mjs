// What the page keeps of an agent's session: each thing said once and where it belongs, also after it was put away.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatModel, STEPS_KEPT } from "../../www/page/chat/model.js";
import { PARTS_KEPT } from "../../www/page/parts.js";

const text = (text) => ({ type: "text", text });
const action = (toolUseId, input = {}) => ({ type: "action", toolName: "Read", input, toolUseId });
const result = (toolUseId, isError = false, text = "out") => ({
  type: "tool-result",
  toolUseId,
  toolName: "Read",
  isError,
  text,
});
const step = (parentToolUseId, path) => ({
  type: "subagent-action",
  toolName: "Grep",
  input: { path },
  parentToolUseId,
});
const end = (more) => ({
  type: "turn-end",
  status: "success",
  failed: false,
  resultText: "",
  errorText: "",
  ...more,
});

function modelOf(...events) {
  const model = new ChatModel();
  for (const event of events) model.apply(event);
  return model;
}

const kindsOf = ({ parts }) => parts.map(({ kind }) => kind);
const statusesOf = ({ parts }) => parts.filter(({ kind }) => kind === "tool").map(({ status }) => status);

test("the answer is one part until something else comes between", () => {
  const { parts } = modelOf(text("a"), text("b"), action("1"), text("c"));
  assert.deepEqual(
    parts.map((part) => part.text ?? part.kind),
    ["ab", "tool", "c"],
  );
});

test("results find their calls in any order, whatever the ids are", () => {
  const ids = ["__proto__", "constructor", "", "1"];
  const model = modelOf(...ids.map((id) => action(id)));
  assert.deepEqual(
    statusesOf(model),
    ids.map(() => "running"),
  );
  for (const id of ids.toReversed()) model.apply(result(id, id === "1", `of ${id}`));
  assert.deepEqual(statusesOf(model), ["completed", "completed", "completed", "error"]);
  assert.deepEqual(
    model.parts.map((part) => part.result),
    ids.map((id) => `of ${id}`),
  );
});

test("a result whose call is not known is left out", () => {
  assert.deepEqual(modelOf(result("gone")).parts, []);
});

test("a call without a result is not running after its turn, and a late result still counts", () => {
  const model = modelOf(action("1"), action(undefined), end());
  assert.deepEqual(statusesOf(model), ["unfinished", "unfinished"]);
  model.apply(result("1"));
  assert.deepEqual(statusesOf(model), ["completed", "unfinished"]);
});

test("what subagents do is apart, one part for each call that launched one", () => {
  const model = modelOf(
    action("a", { description: "Look" }),
    action("b"),
    step("a", "x"),
    step("b", "y"),
    step("a", "z"),
    step(undefined, "w"),
  );
  assert.deepEqual(
    model.parts
      .filter(({ kind }) => kind === "subagent")
      .map(({ about, steps }) => [about, steps.map(({ target }) => target).join()]),
    [
      ["Look", "x,z"],
      ["", "y"],
      ["", "w"],
    ],
  );
});

const endings = {
  "a turn that went well": [{ resultText: "all" }, "done", ""],
  "a success that failed": [{ failed: true, resultText: "No key", errorText: "No key" }, "failed", "No key"],
  "a success that failed, told in its result alone": [
    { failed: true, resultText: "No key" },
    "failed",
    "No key",
  ],
  "a mere interruption": [
    { status: "error_during_execution", failed: true, resultText: null },
    "stopped",
    "",
  ],
  "an error": [
    { status: "error_during_execution", failed: true, resultText: null, errorText: "broke" },
    "failed",
    "broke",
  ],
  "a limit without a word": [
    { status: "error_max_turns", failed: true, resultText: null },
    "failed",
    "The turn failed",
  ],
};

for (const [name, [event, how, words]] of Object.entries(endings)) {
  test(`${name} is shown as ${how}`, () => {
    const { parts, turns } = modelOf(end(event));
    assert.deepEqual(
      [turns, parts.map((part) => [part.kind, part.how, part.text])],
      [1, [["end", how, words]]],
    );
  });
}

test("the agent is at work from a message on, or from what it does by itself, until a turn ends", () => {
  const model = new ChatModel();
  const states = [];
  const note = () => states.push(model.working);
  model.say("hello", false);
  note();
  for (const event of [
    text("a"),
    end(),
    { type: "info", text: "later", level: "notice" },
    action("1"),
    end(),
  ]) {
    model.apply(event);
    note();
  }
  model.apply(action("2"));
  model.end();
  note();
  assert.deepEqual(states, [true, true, false, false, true, false, false]);
  assert.deepEqual(statusesOf(model), ["unfinished", "unfinished"]);
});

test("a suggestion stays until something is said, by either", () => {
  const suggested = { type: "prompt-suggestion", suggestion: "Next" };
  const model = modelOf(end(), suggested);
  assert.equal(model.suggestion, "Next");
  model.say("hello", false);
  assert.equal(model.suggestion, undefined);
  model.apply(suggested);
  model.apply(text("by itself"));
  assert.equal(model.suggestion, undefined);
});

test("usage is the last that was told, not a sum", () => {
  const usage = (inputTokens) => ({ usage: { inputTokens, outputTokens: 1, costUsd: 0.1 } });
  const model = modelOf(end(usage(10)), end(usage(25)), end());
  assert.equal(model.usage.inputTokens, 25);
});

test("messages are sent in their order, and the agent is told of plan mode with the first that it gets", () => {
  const model = new ChatModel();
  model.say("one", true);
  model.say("two", false);
  const deliveries = () => model.parts.map(({ delivery }) => delivery);
  assert.deepEqual([deliveries(), model.toldOfPlan], [["sending", "sending"], false]);
  model.sent();
  assert.deepEqual([deliveries(), model.toldOfPlan], [["sent", "sending"], true]);
  const later = ChatModel.from(JSON.parse(JSON.stringify(model.snapshot())));
  assert.deepEqual(
    later.parts.map(({ delivery }) => delivery),
    ["sent", "unsure"],
    "whether the second arrived is not known after a reload",
  );
  model.sent();
  model.sent();
  assert.deepEqual([deliveries(), model.toldOfPlan], [["sent", "sent"], false]);
});

test("a model that was put away and taken up anywhere goes on as if it had not been", () => {
  const events = [
    { type: "mcp-error", failedServers: ["tracker"] },
    text("a"),
    text("b"),
    action("1", { path: "x" }),
    step("1", "y"),
    step("1", "z"),
    result("1"),
    action("2"),
    end({ usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.5 } }),
    { type: "prompt-suggestion", suggestion: "Next" },
    { type: "info", text: "between", level: "warning" },
    result("2", true),
    text("c"),
    end({ failed: true, errorText: "broke" }),
  ];
  const plain = (model) => JSON.parse(JSON.stringify(model.snapshot()));
  const whole = plain(modelOf(...events));
  for (let cut = 0; cut <= events.length; cut++) {
    const model = ChatModel.from(plain(modelOf(...events.slice(0, cut))));
    for (const event of events.slice(cut)) model.apply(event);
    assert.deepEqual(plain(model), whole, `cut before ${cut}`);
  }
  assert.equal(ChatModel.from({ version: -1 }), undefined);
  assert.equal(ChatModel.from(undefined), undefined);
});

test("a long session keeps its newest parts, and a subagent its newest steps", () => {
  const model = new ChatModel();
  for (let index = 0; index < 1000; index++) {
    model.say(`${index}`, false);
    model.apply(text("x".repeat(20_000)));
    model.apply(end());
  }
  assert.equal(model.parts.length, PARTS_KEPT);
  assert.equal(model.partsDropped + PARTS_KEPT, 3000);
  assert.ok(kindsOf(model).includes("user"));
  for (let index = 0; index < 3 * STEPS_KEPT; index++) model.apply(step("a", `${index}`));
  const { steps, stepsDropped } = model.parts.at(-1);
  assert.deepEqual([steps.length, stepsDropped, steps[0].target], [100, 200, "200"]);
});

test("values are cut to what can be shown", () => {
  const model = modelOf(
    action("1", { text: "x".repeat(1e6) }),
    result("1", false, "y".repeat(1e6)),
    { type: "info", text: "z".repeat(1e6), level: "info" },
    end({ failed: true, errorText: "e".repeat(1e6) }),
  );
  model.say("u".repeat(1e6), false);
  assert.ok(JSON.stringify(model.snapshot()).length < 25_000);
});
