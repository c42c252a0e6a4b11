// What the page says of the connection: the run's own word where it has one, else what its requests tell.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionState } from "../../www/page/connection.js";

function connection() {
  const clock = { now: 0 };
  return { clock, state: new ConnectionState(() => clock.now) };
}

test("without the run's word the requests tell", () => {
  const { state } = connection();
  const seen = [];
  const note = () => seen.push([state.current.state, state.current.reason]);
  note();
  state.requested();
  note();
  state.responded(200);
  note();
  state.ended(true);
  note();
  assert.deepEqual(seen, [
    ["none", undefined],
    ["connecting", undefined],
    ["open", undefined],
    ["waiting", "cut off"],
  ]);
  state.responded(503);
  assert.equal(state.current.reason, "answer 503");
  state.responded(200);
  state.ended(false);
  assert.equal(state.current.state, "closed");
});

test("a stream that is over makes no gap, unless another is sought", () => {
  const { clock, state } = connection();
  state.requested();
  state.responded(200);
  clock.now = 100;
  state.ended(false);
  state.close();
  assert.deepEqual(state.gaps, []);
  state.requested();
  clock.now = 150;
  state.responded(200);
  assert.deepEqual(state.gaps, [{ from: 100, to: 150 }]);
});

test("a gap ends with the following, if not before", () => {
  const { clock, state } = connection();
  state.requested();
  state.responded(200);
  state.ended(true);
  clock.now = 70;
  state.close();
  assert.deepEqual(state.gaps, [{ from: 0, to: 70 }]);
});

test("the run's word counts once it has spoken, and the time without a connection is kept", () => {
  const { clock, state } = connection();
  let tell;
  state.listenTo({
    onDidChangeConnection(listener) {
      tell = listener;
    },
  });
  tell({ state: "connecting", attempt: 1 });
  tell({ state: "open", attempt: 1 });
  clock.now = 1000;
  tell({ state: "waiting", attempt: 2, delayMs: 500, reason: "reset" });
  state.ended(true);
  assert.equal(state.current.state, "waiting");
  const left = state.current.retryAt - performance.now();
  assert.ok(left > 300 && left <= 500, String(left));
  clock.now = 1500;
  tell({ state: "connecting", attempt: 2 });
  tell({ state: "waiting", attempt: 3, delayMs: 500 });
  clock.now = 2200;
  tell({ state: "open", attempt: 3 });
  assert.deepEqual(state.gaps, [{ from: 1000, to: 2200 }]);
  assert.equal(state.current.opened, 2);
});
