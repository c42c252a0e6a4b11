// The bench's input is what it says it is: figures over broken input are worth nothing.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  CHUNK_SIZES,
  cut,
  EVENT_COUNT,
  frames,
  generatedChunks,
  MIX,
  runBytes,
  SEED,
} from "../../bench/data.mjs";

const documented = new Set(["status", "assistant", "thinking", "tool_call", "heartbeat", "result", "done"]);

function parse(text) {
  const [, id, event, data] = /^(?:id: (\S+)\n)?event: (\w+)\ndata: (.*)\n\n$/.exec(text);
  return { id, event, data: JSON.parse(data), raw: data };
}

const all = [...frames(EVENT_COUNT)].map(parse);
const mixed = all.slice(1, -2);

test("there are as many mixed events as it says, between a status and the result", () => {
  assert.equal(mixed.length, EVENT_COUNT);
  assert.deepEqual(all[0].event, "status");
  assert.deepEqual([all.at(-2).event, all.at(-1).event], ["result", "done"]);
  assert.equal(all.at(-2).id, all.at(-1).id);
});

test("each kind of event has about its share", () => {
  const counts = groupBy(mixed);
  assert.deepEqual(Object.keys(counts).sort(), Object.keys(MIX).sort());
  for (const [event, share] of Object.entries(MIX)) {
    const found = (counts[event].length / mixed.length) * 100;
    assert.ok(Math.abs(found - share) < 1, `${event}: ${found.toFixed(2)} %, not about ${share} %`);
  }
});

test("only documented frames occur, with an id wherever one is documented", () => {
  for (const { event, id } of all) {
    assert.ok(documented.has(event), event);
    assert.equal(id === undefined, event === "status" || event === "heartbeat", event);
  }
});

test("text deltas are small, and some hold escapes and some go beyond ASCII", () => {
  const deltas = mixed.filter(({ event }) => event === "assistant");
  const share = (condition) => deltas.filter(condition).length / deltas.length;
  assert.ok(deltas.every(({ data }) => data.text.length > 0 && data.text.length < 80));
  const escaped = share(({ raw }) => raw.includes("\\"));
  assert.ok(escaped > 0.1 && escaped < 0.2, `escapes in ${escaped}`);
  const beyond = share(({ data }) => /[^\0-\x7f]/.test(data.text));
  assert.ok(beyond > 0.03 && beyond < 0.1, `beyond ASCII in ${beyond}`);
});

test("every completed tool call was running before, with the same name and arguments, and has a nested result", () => {
  const running = new Map();
  let completed = 0;
  for (const { event, data } of mixed) {
    if (event !== "tool_call") continue;
    if (data.status === "running") {
      assert.equal(data.result, undefined);
      running.set(data.callId, data);
    } else {
      const { name, args } = running.get(data.callId);
      assert.deepEqual([data.status, data.name, data.args], ["completed", name, args]);
      assert.equal(typeof (data.result.value ?? data.result.error), "object");
      running.delete(data.callId);
      completed++;
    }
  }
  assert.ok(completed > EVENT_COUNT * 0.03, `${completed} completed calls`);
  assert.ok(running.size < 5, `${running.size} calls never complete`);
});

test("the same seed gives the same bytes, and another seed others", () => {
  const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
  assert.equal(digest(runBytes(2000)), digest(runBytes(2000, SEED)));
  assert.notEqual(digest(runBytes(2000)), digest(runBytes(2000, SEED + 1)));
});

test("chunks are the bytes of the run, cut at the size asked for", () => {
  const bytes = runBytes(2000);
  for (const size of CHUNK_SIZES) {
    const chunks = cut(bytes, size);
    assert.ok(chunks.slice(0, -1).every((chunk) => chunk.length === size));
    assert.deepEqual(Buffer.concat(chunks), Buffer.from(bytes));
  }
});

test("a generated run has the same bytes as a stored one and counts every frame", () => {
  let count = 0;
  const chunks = [
    ...generatedChunks(2000, 1024, SEED, (held) => {
      count += held;
    }),
  ];
  assert.deepEqual(Buffer.concat(chunks), Buffer.from(runBytes(2000)));
  assert.equal(count, 2003);
});

function groupBy(events) {
  const groups = {};
  for (const event of events) {
    groups[event.event] ??= [];
    groups[event.event].push(event);
  }
  return groups;
}
