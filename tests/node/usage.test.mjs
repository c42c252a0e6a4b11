// run.usage: what turns have used, each turn once however the run was read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "runwire";
import { recorder, update } from "../lib/callbacks.mjs";
import { withFakeTime } from "../lib/fake-time.mjs";
import { turns } from "../lib/run-service.mjs";
import { frame, scriptedRun, text, whole } from "../lib/scripted-run.mjs";

await init();

const counts = (n) => ({
  inputTokens: n,
  outputTokens: 2 * n,
  cacheReadTokens: 3 * n,
  cacheWriteTokens: 4 * n,
});
const turn = (n, more = {}) => update(n, { type: "turn-ended", usage: { ...counts(n), ...more } });
const sum = (n) => ({ ...counts(n), totalTokens: 10 * n });
const all = async (stream) => {
  for await (const _ of stream);
};

test("it is there while the run goes on, and in the result", async () => {
  const service = scriptedRun();
  const run = await service.handle();
  const stream = run.stream();
  const first = stream.next();
  await turns();
  assert.equal(run.usage, undefined);
  const [connection] = service.connections;
  connection.send(turn(1));
  assert.equal((await first).value.usage.totalTokens, 10);
  assert.deepEqual(run.usage, sum(1));
  connection.send(turn(10, { reasoningTokens: 7 }), update(3, { type: "turn-ended" }), whole);
  await all(stream);
  const expected = { ...sum(11), reasoningTokens: 7 };
  assert.deepEqual(run.usage, expected);
  assert.deepEqual((await run.wait()).usage, expected);
});

test("a run whose turns report nothing has none, and neither has one whose counts are incomplete", async () => {
  const frames = [
    update(1, { type: "turn-ended" }),
    update(2, { type: "turn-ended", usage: { inputTokens: 1 } }),
  ];
  const service = scriptedRun({ stream: (connection) => void connection.send(...frames, whole) });
  const run = await service.handle();
  assert.equal("usage" in (await run.wait()), false);
  assert.equal(run.usage, undefined);
});

test("each turn counts once, whoever reads: a wait, streams, late ones, callbacks, conversation()", async () => {
  const send = (connection) => void connection.send(turn(1), turn(2), whole);
  const readers = {
    wait: (run) => run.wait(),
    stream: (run) => all(run.stream()),
    streams: (run) => Promise.all([all(run.stream()), all(run.stream())]),
    conversation: (run) => run.conversation(),
  };
  for (const name of [...Object.keys(readers), "callbacks", "everything"]) {
    const service = scriptedRun({ stream: send });
    const run = await service.handle(name === "callbacks" || name === "everything" ? recorder().options : {});
    if (name === "everything") for (const read of Object.values(readers)) await read(run);
    else await (readers[name] ?? readers.wait)(run);
    assert.deepEqual(run.usage, sum(3), name);
  }
});

test("one that reads the run again does not take away from what was known", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(turn(1), turn(2), whole) });
  const run = await service.handle();
  await run.wait();
  await run.stream().next();
  assert.deepEqual(run.usage, sum(3));
});

test("what a reader does to a message or to what it is given changes nothing", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(turn(1), turn(2), whole) });
  const run = await service.handle();
  for await (const { usage } of run.stream()) {
    usage.inputTokens = 1_000;
    run.usage.outputTokens = 1_000;
  }
  (await run.wait()).usage.totalTokens = 1_000;
  assert.deepEqual(run.usage, sum(3));
});

test("it is kept when the run is cancelled", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection) => void connection.send(turn(1)),
      record: (n) => (n === 1 ? {} : { status: "CANCELLED" }),
    });
    const run = await service.handle();
    const waiting = run.wait();
    await clock.advance(0);
    const cancelled = run.cancel();
    await clock.advance(10_000);
    await cancelled;
    assert.deepEqual((await waiting).usage, sum(1));
  }));

test("what is read from a token on is not the run from its start", async () => {
  const service = scriptedRun({
    stream: (connection, n) =>
      void connection.send(...(n === 1 ? [turn(1), text(2)] : []), text(3), text(4), turn(5), whole),
  });
  const first = await service.handle();
  const stream = first.stream();
  await stream.next();
  await stream.next();
  const { resumeToken } = stream;
  await stream.return();
  const run = await service.handle();
  await all(run.stream({ from: resumeToken }));
  assert.equal(run.usage, undefined);
  assert.deepEqual(first.usage, sum(1));
});

test("one that lags and goes on by itself counts what had come before", async () => {
  const count = 3_000;
  const body = "x".repeat(1_000);
  const made = Array.from({ length: count }, (_, n) => (n % 500 === 0 ? turn(n) : text(n, body)));
  const service = scriptedRun({
    stream: (connection, _, init) => {
      const id = new Headers(init.headers).get("last-event-id");
      for (let at = id === null ? 0 : Number.parseInt(id, 10) + 1; at < count; at += 16) {
        connection.send(made.slice(at, at + 16).join(""));
      }
      connection.send(whole);
    },
  });
  const run = await service.handle();
  const [slow, quick] = [run.stream(), run.stream()];
  await Promise.all([slow.next(), quick.next()]);
  for (let n = 0; n < 1_700; n++) await quick.next();
  await quick.return();
  const before = run.usage;
  assert.ok(before.inputTokens >= 1_500);
  await all(slow);
  assert.equal(service.count("stream"), 2);
  assert.deepEqual(run.usage, sum(7_500));
});

test("when everything comes again, it is counted again from the start", async () => {
  for (const reader of ["stream", "callbacks"]) {
    const warnings = [];
    const service = scriptedRun({
      stream: (connection, n) => {
        // Another first turn than before, and no ids to tell.
        const end = (tokens) => frame("interaction_update", { type: "turn-ended", usage: counts(tokens) });
        const texts = (words) => frame("assistant", { text: words });
        if (n === 1) connection.end(texts("a"), end(1), texts("b"), end(2), texts("c"));
        else connection.send(texts("a"), end(1), texts("X"), end(2), texts("Y"), end(4), whole);
      },
    });
    const told = recorder();
    const onWarning = ({ code }) => warnings.push(code);
    const retry = { minDelayMs: 0 };
    const run = await service.handle({ ...(reader === "callbacks" && told.options), onWarning, retry });
    if (reader === "stream") await all(run.stream());
    await run.wait();
    assert.deepEqual(warnings, ["replay_mismatch"], reader);
    assert.deepEqual(run.usage, sum(7), reader);
  }
});
