// What the page shows of the connection: what the run tells, when it tries again, and the times without one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionState } from "../../www/page/connection.js";
import { reasonInWords } from "../../www/shared/reason.mjs";

const change = (state, more) => ({ state, attempt: 0, delayMs: 0, reason: undefined, ...more });

function connection(earlier) {
  const clock = { now: 0 };
  const state = new ConnectionState(() => clock.now, earlier);
  const at = (now, ...told) => {
    clock.now = now;
    state.set(change(...told));
  };
  return { state, at };
}

test("the last that the run told is shown, with the time of the next attempt", () => {
  const { state, at } = connection();
  assert.equal(state.current.state, "none");
  at(0, "connecting");
  at(1, "open");
  assert.deepEqual([state.current.state, state.opened], ["open", 1]);
  const reason = new Error("why");
  at(2, "waiting", { attempt: 2, delayMs: 500, reason });
  const left = state.current.retryAt - performance.now();
  assert.ok(left > 300 && left <= 500, String(left));
  assert.deepEqual([state.current.attempt, state.current.reason], [2, reason]);
  at(3, "connecting", { attempt: 2 });
  assert.equal(state.current.retryAt, undefined);
});

test("a gap lasts from the loss to the next connection, whatever is tried in between", () => {
  const { state, at } = connection();
  at(10, "connecting");
  at(20, "open");
  at(1000, "connecting");
  at(1100, "waiting", { delayMs: 100 });
  at(1200, "connecting");
  at(1300, "waiting", { delayMs: 100 });
  assert.deepEqual(state.gaps, [{ from: 1000 }]);
  at(2200, "open");
  assert.deepEqual(state.gaps, [{ from: 1000, to: 2200 }]);
  assert.equal(state.opened, 2);
});

test("the end of the last connection is no gap, and a gap ends with the following", () => {
  const { state, at } = connection();
  at(0, "open");
  at(100, "closed");
  state.close();
  assert.deepEqual(state.gaps, []);
  at(150, "open");
  at(200, "waiting");
  at(300, "closed");
  state.close();
  assert.deepEqual(state.gaps, [{ from: 200, to: 300 }]);
});

test("what an earlier page saw is gone on with: between the two there was no connection", () => {
  const earlier = { opened: 2, gaps: [{ from: 10, to: 20 }], until: 500 };
  const { state, at } = connection(earlier);
  at(700, "connecting");
  at(800, "open");
  assert.equal(state.opened, 3);
  assert.deepEqual(state.gaps, [
    { from: 10, to: 20 },
    { from: 500, to: 800 },
  ]);
  const cut = connection({ opened: 1, gaps: [{ from: 400 }], until: 500 });
  cut.at(700, "connecting");
  cut.at(800, "open");
  assert.deepEqual(cut.state.gaps, [{ from: 400, to: 800 }]);
});

test("gaps without end are not kept without end", () => {
  const { state, at } = connection();
  for (let now = 0; now < 2000; now += 2) {
    at(now, "open");
    at(now + 1, "waiting");
  }
  assert.equal(state.gaps.length, 200);
  assert.equal(state.gaps.at(-1).from, 1999);
});

test("reasons are told in words, and what a service says of them does nothing", () => {
  assert.equal(reasonInWords(undefined), "the stream broke off");
  assert.equal(reasonInWords({ code: "network_error", message: "x" }), "the connection broke");
  assert.equal(reasonInWords({ status: 503, message: "x" }), "the service answers 503");
  assert.equal(reasonInWords({ code: "constructor", message: "\u001b[2J" }), "␛[2J");
  assert.ok(reasonInWords({ message: "long".repeat(1000) }).length < 200);
});
