// onDelta and onStep are waited for, and disturb nobody else: slow ones, throwing ones, ones that never answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "runwire";
import { call, content, delta, recorder, tell } from "../lib/callbacks.mjs";
import { withFakeTime } from "../lib/fake-time.mjs";
import { turns } from "../lib/run-service.mjs";
import { frame, refusal, scriptedRun, text, whole } from "../lib/scripted-run.mjs";
import { unhandledDuring } from "../lib/unhandled.mjs";

await init();

test("each is awaited before the next, and slow ones stop the socket but not who reads beside them", async () => {
  let inside = 0;
  const told = recorder(async () => {
    assert.equal(++inside, 1);
    await turns(3);
    inside--;
  });
  const count = 200;
  const chunks = Array.from({ length: count }, (_, n) => delta(n) + text(n));
  const service = scriptedRun({ stream: (connection) => void connection.send(...chunks, whole) });
  const run = await service.handle(told.options);
  let read = 0;
  for await (const message of run.stream()) if (message.type === "assistant") read++;
  assert.equal(read, count);
  const [slow] = service.connections;
  assert.ok(told.deltas.length < count / 2, `${told.deltas.length} deltas`);
  assert.ok(
    slow.taken <= told.deltas.length + 2,
    `${slow.taken} chunks taken for ${told.deltas.length} deltas`,
  );
  await run.wait();
  assert.equal(told.deltas.length, count);
  assert.deepEqual(told.warnings, []);
});

test("onStep is awaited, too", async () => {
  const order = [];
  await tell([delta(1), call(2, "tool-call-completed"), delta(3)], {
    options: {
      async onStep() {
        order.push("begin");
        await turns(3);
        order.push("end");
      },
      onDelta: () => void order.push("delta"),
    },
  });
  assert.deepEqual(order.join(" "), "delta begin end begin end delta delta begin end");
});

for (const [name, fail] of [
  [
    "throws",
    () => {
      throw new Error("mine");
    },
  ],
  ["rejects", () => Promise.reject(new Error("mine"))],
  ["throws nothing", () => Promise.reject(undefined)],
]) {
  test(`a callback that ${name} is a warning each time, and changes nothing else`, async () => {
    const frames = [delta(1), call(2, "tool-call-completed"), delta(3)];
    const good = await tell(frames);
    const bad = recorder(fail);
    const { onStep } = bad.options;
    bad.options.onStep = (args) => {
      onStep(args);
      return fail();
    };
    const complaints = await unhandledDuring(() => tell(frames, bad));
    assert.deepEqual(content(bad), content(good));
    assert.equal(bad.warnings.length, good.order.length);
    assert.ok(bad.warnings.every(({ code, error }) => code === "callback_threw" && error?.message !== ""));
    assert.deepEqual(complaints, []);
  });
}

test("wait() resolves 5 s after callbacks that never answer took something, with a warning", () =>
  withFakeTime(async (clock) => {
    const told = recorder(() => new Promise(() => {}));
    const service = scriptedRun({
      stream: (connection) => void connection.send(delta(1) + delta(2) + whole),
    });
    const run = await service.handle(told.options);
    let result;
    run.wait().then((value) => {
      result = value;
    });
    await clock.advance(4_999);
    assert.equal(result, undefined);
    assert.equal(run.status, "finished");
    await clock.advance(1);
    assert.equal(result.status, "finished");
    assert.deepEqual(
      told.warnings.map(({ code }) => code),
      ["callbacks_stalled"],
    );
    assert.equal((await run.wait()).status, "finished");
    assert.equal(told.deltas.length, 1);
    assert.equal(told.warnings.length, 1);
    assert.equal(clock.timers, 0);
  }));

test("wait() waits for callbacks that are slow, however long they take in all", () =>
  withFakeTime(async (clock) => {
    const told = recorder(() => new Promise((resolve) => setTimeout(resolve, 4_000)));
    const service = scriptedRun({
      stream: (connection) =>
        void connection.send(Array.from({ length: 20 }, (_, n) => delta(n)).join("") + whole),
    });
    const run = await service.handle(told.options);
    let seen;
    const waiting = run.wait().then(() => {
      seen = told.deltas.length;
    });
    await clock.advance(79_000);
    assert.equal(seen, undefined);
    await clock.advance(2_000);
    await waiting;
    assert.equal(seen, 20);
    assert.equal(told.steps.length, 1);
    assert.deepEqual(told.warnings, []);
    assert.equal(clock.timers, 0);
  }));

test("onStep and onDelta of one update may each take their time", () =>
  withFakeTime(async (clock) => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 3_000));
    const told = recorder(slow);
    told.options.onStep = ({ step }) => {
      told.steps.push(step);
      return slow();
    };
    const frames = delta(1) + call(2, "tool-call-completed") + call(3, "tool-call-completed");
    const service = scriptedRun({ stream: (connection) => void connection.send(frames + whole) });
    const run = await service.handle(told.options);
    const waiting = run.wait();
    await clock.advance(20_000);
    await waiting;
    assert.deepEqual([told.steps.length, told.deltas.length], [3, 3]);
    assert.deepEqual(told.warnings, []);
  }));

test("what still comes after the run's end is waited for while it comes; heartbeats are nothing that comes", () =>
  withFakeTime(async (clock) => {
    const told = recorder();
    const service = scriptedRun({ record: { status: "FINISHED" } });
    const { onDelta, onWarning } = told.options;
    const run = await service.handle({ onDelta, onWarning });
    let resolved = false;
    run.wait().then(() => {
      resolved = true;
    });
    await clock.advance(0);
    const [connection] = service.connections;
    for (let n = 0; n < 4; n++) {
      connection.send(text(n));
      await clock.advance(4_000);
      assert.equal(resolved, false);
    }
    connection.send(delta(9));
    for (let n = 0; n < 2; n++) {
      await clock.advance(2_000);
      assert.equal(resolved, false);
      connection.send(frame("heartbeat", {}));
    }
    await clock.advance(1_000);
    assert.equal(resolved, true);
    assert.equal(told.deltas.length, 1);
    connection.end(whole);
    await clock.advance(1_000);
    assert.equal(service.open, 0);
  }));

test("callbacks that nobody waits for may take as long as they like", () =>
  withFakeTime(async (clock) => {
    const told = recorder(() => new Promise(() => {}));
    const service = scriptedRun({ stream: (connection) => void connection.send(delta(1) + whole) });
    await service.handle(told.options);
    await clock.advance(60_000);
    assert.deepEqual(told.warnings, []);
    assert.equal(clock.timers, 0);
  }));

test("a wait that is aborted leaves no timer, and the callbacks alone", () =>
  withFakeTime(async (clock) => {
    let answer;
    const told = recorder(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const service = scriptedRun({ stream: (connection) => void connection.send(delta(1) + whole) });
    const run = await service.handle(told.options);
    const controller = new AbortController();
    const waiting = assert.rejects(run.wait({ signal: controller.signal }), { message: "enough" });
    await clock.advance(1_000);
    controller.abort(new Error("enough"));
    await waiting;
    assert.equal(clock.timers, 0);
    await clock.advance(10_000);
    answer();
    assert.equal((await run.wait()).status, "finished");
    assert.equal(told.steps.length, 1);
    assert.deepEqual(told.warnings, []);
  }));

test("a callback may wait for the run, cancel it, and read it", () =>
  withFakeTime(async (clock) => {
    let run;
    const told = recorder(async () => {
      await run.stream().return();
      await run.cancel();
      await run.wait();
    });
    let connection;
    const service = scriptedRun({
      stream: (made) => {
        connection = made;
        made.send(delta(1));
      },
      cancel: () => {
        connection.send(frame("result", { status: "CANCELLED" }, "end"));
        return {};
      },
      record: (n) => (n === 1 ? {} : { status: "CANCELLED" }),
    });
    run = await service.handle(told.options);
    const waiting = run.wait();
    await clock.advance(30_000);
    assert.equal((await waiting).status, "cancelled");
    assert.equal(told.deltas.length, 1);
    assert.equal(service.open, 0);
  }));

test("an abort of the handle's signal stops the callbacks and lets go of the connection", async () => {
  const controller = new AbortController();
  const told = recorder();
  const service = scriptedRun({ stream: (connection) => void connection.send(delta(1)) });
  await service.handle({ ...told.options, signal: controller.signal });
  await turns();
  controller.abort();
  await turns();
  assert.equal(told.deltas.length, 1);
  assert.equal(service.open, 0);
  assert.deepEqual(told.warnings, []);
});

test("an abort within a callback is the last that is heard", async () => {
  const controller = new AbortController();
  const told = recorder();
  const { onStep } = told.options;
  told.options.onStep = (args) => {
    onStep(args);
    controller.abort();
  };
  const frames = [delta(1), call(2, "tool-call-completed"), delta(3)].join("");
  const service = scriptedRun({ stream: (connection) => void connection.send(frames, whole) });
  await service.handle({ ...told.options, signal: controller.signal });
  await turns();
  assert.deepEqual(told.order, ["d:text-delta", "s:assistantMessage"]);
  assert.equal(service.open, 0);
  assert.deepEqual(told.warnings, []);
});

test("when the stream fails that is said, and wait() tells how the run ended all the same", async () => {
  const told = recorder();
  const service = scriptedRun({
    record: (n) => (n === 1 ? {} : { status: "FINISHED", result: "R" }),
    stream: () => refusal(410, "stream_expired"),
  });
  const run = await service.handle(told.options);
  assert.equal((await run.wait()).result, "R");
  assert.deepEqual(
    told.warnings.map(({ code, error }) => [code, error.name]),
    [["callbacks_cut_short", "StreamExpiredError"]],
  );
  assert.deepEqual(told.order, []);
});
