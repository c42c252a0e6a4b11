// What the page keeps of a run: bounded, summed up right, and the same after it was put away.

import assert from "node:assert/strict";
import { test } from "node:test";
import { TextChecksum } from "runwire/testing";
import { Activity } from "../../www/page/activity.js";
import { RunModel, TOOLS_KEPT } from "../../www/page/model.js";
import { PARTS_KEPT } from "../../www/page/parts.js";
import { RunningChecksum } from "../../www/shared/checksum.mjs";

const say = (text) => ({
  type: "assistant",
  message: { role: "assistant", content: [{ type: "text", text }] },
});
const think = (text) => ({ type: "thinking", text });
const tool = (call_id, status, more = {}) => ({
  type: "tool_call",
  call_id,
  name: "read_file",
  status,
  ...more,
});

function modelOf(...messages) {
  const model = new RunModel();
  for (const [at, message] of messages.entries()) model.apply(message, at * 10);
  return model;
}

test("deltas of one kind are one part", () => {
  const { parts, events } = modelOf(
    think("a"),
    think("b"),
    say("c"),
    say("d"),
    tool("1", "running"),
    say("e"),
  );
  assert.deepEqual(
    parts.map(({ kind, text }) => [kind, text]),
    [
      ["thinking", "ab"],
      ["text", "cd"],
      ["tool", undefined],
      ["text", "e"],
    ],
  );
  assert.equal(events, 6);
});

test("the checksum is the simulator's, wherever the text is cut and when it was put away in between", () => {
  const text = "größer 👩‍💻 日本語 \ud800 <b>".repeat(9);
  const { length, checksum } = new TextChecksum().update(text);
  for (const cut of [0, 1, 9, 50]) {
    const first = new RunningChecksum();
    first.update(text.slice(0, cut));
    const second = new RunningChecksum(JSON.parse(JSON.stringify(first)));
    second.update(text.slice(cut));
    assert.ok(second.equals({ length, checksum }), `cut at ${cut}`);
  }
});

test("a call whose id is a name that objects have is a call like any other", () => {
  const ids = ["__proto__", "constructor", "toString", ""];
  const model = modelOf(...ids.map((id) => tool(id, "running")), ...ids.map((id) => tool(id, "completed")));
  assert.deepEqual(model.toolCounts, { running: 0, completed: 4, error: 0, unfinished: 0 });
  assert.deepEqual(
    model.tools.map(({ status, lane }) => [status, lane]),
    [0, 1, 2, 3].map((lane) => ["completed", lane]),
  );
});

test("calls one after another share a lane", () => {
  const model = modelOf(
    tool("1", "running"),
    tool("1", "completed"),
    tool("2", "running"),
    tool("2", "error"),
  );
  assert.deepEqual(
    model.tools.map(({ lane }) => lane),
    [0, 0],
  );
  assert.deepEqual(model.toolCounts, { running: 0, completed: 1, error: 1, unfinished: 0 });
});

test("a call that has not ended with the run never will, and one without a beginning counts once", () => {
  const model = modelOf(tool("1", "running"), tool("2", "completed"));
  model.end(100);
  assert.deepEqual(model.toolCounts, { running: 0, completed: 1, error: 0, unfinished: 1 });
  assert.deepEqual(
    model.tools.map(({ status, ended }) => [status, ended]),
    [
      ["unfinished", 100],
      ["completed", 10],
    ],
  );
});

test("a long run keeps its newest parts and counts the others", () => {
  const model = new RunModel();
  for (let index = 0; index < 5000; index++) {
    model.apply(tool(`call-${index}`, "running"), index);
    model.apply(say(`${index} `), index);
    model.apply(tool(`call-${index}`, "completed"), index + 0.5);
  }
  assert.equal(model.parts.length, PARTS_KEPT);
  assert.equal(model.partsDropped, 10_000 - PARTS_KEPT);
  assert.equal(model.tools.length, TOOLS_KEPT);
  assert.equal(model.toolCounts.completed, 5000);
  assert.equal(model.tool(4999).callId, "call-4999");
  assert.equal(model.tool(0), undefined);
});

test("a text without end is several parts, none of them long", () => {
  const model = new RunModel();
  for (let index = 0; index < 1000; index++) model.apply(say("0123456789".repeat(10)), index);
  const longest = Math.max(...model.parts.map(({ text }) => text.length));
  assert.ok(longest <= 8000, String(longest));
  assert.equal(
    model.parts.map(({ text }) => text.length).reduce((sum, length) => sum + length),
    100_000,
  );
});

test("a model that was put away and taken up goes on as if it had not been", () => {
  const first = [think("a"), say("b"), tool("1", "running", { args: { path: "x" } }), tool("2", "running")];
  const second = [tool("1", "completed"), say("c"), tool("3", "running"), tool("2", "error")];
  const whole = new RunModel();
  let parted = new RunModel();
  for (const [at, message] of [...first, ...second].entries()) {
    if (at === first.length) parted = RunModel.from(JSON.parse(JSON.stringify(parted.snapshot())));
    whole.apply(message, at);
    parted.apply(message, at);
  }
  const plain = (model) => JSON.parse(JSON.stringify(model.snapshot()));
  assert.deepEqual(plain(parted), plain(whole));
  assert.equal(RunModel.from({ version: -1 }), undefined);
});

test("activity counts every event, however long the run is", () => {
  const activity = new Activity();
  const kinds = ["assistant", "thinking", "tool_call", "status"];
  for (let index = 0; index < 10_000; index++) activity.add(kinds[index % 4], index * 100);
  const sums = [0, 0, 0, 0];
  let slots = 0;
  for (const { counts } of activity.slots()) {
    slots++;
    for (const [kind, count] of counts.entries()) sums[kind] += count;
  }
  assert.deepEqual(sums, [2500, 2500, 2500, 2500]);
  assert.ok(slots <= 240, String(slots));
});
