// A stream that the service no longer keeps: what the error tells, and what can still be done.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init, openRunStream, StreamExpiredError, UnsupportedRunOperationError } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { agentId, runId } from "../lib/run-service.mjs";
import { refusal, scriptedRun, status, text } from "../lib/scripted-run.mjs";

await init();

const gone = () => refusal(410, "stream_expired");
const over = (n) => (n === 1 ? {} : { status: "FINISHED", result: "All done" });
/** The stream's first connection, which says how long it is kept, and a body that breaks off. */
const kept = (connection, seconds, ...texts) => {
  connection.end(...texts);
  const headers = { "content-type": "text/event-stream", "x-cursor-stream-retention-seconds": seconds };
  return new Response(connection.body, { headers });
};

/** Reads to the error. */
async function read(stream) {
  const texts = [];
  try {
    for await (const { message } of stream) if (message) texts.push(message.content[0].text);
  } catch (error) {
    return { texts, error };
  }
  throw new Error("It did not fail");
}

test("it tells the id that would have been resumed from and how long the service keeps a stream", () =>
  withFakeTime(async (clock) => {
    for (const [texts, lastEventId] of [
      [[], undefined],
      [[status("RUNNING")], undefined],
      // The only one there has been, though a resume would not send it.
      [[text(1)], "1-0"],
      [[text(1), text(2)], "1-0"],
      [[status("RUNNING"), text(1), text(2), text(3)], "2-0"],
    ]) {
      const service = scriptedRun({
        stream: (connection, n) => (n === 1 ? kept(connection, "3600", ...texts) : gone()),
      });
      const reading = read((await service.handle()).stream());
      await clock.advance(1_000);
      const { error } = await reading;
      assert.ok(error instanceof StreamExpiredError && error instanceof UnsupportedRunOperationError);
      assert.deepEqual(
        [error.name, error.code, error.status, error.lastEventId, error.retentionSeconds],
        ["StreamExpiredError", "stream_expired", 410, lastEventId, 3600],
      );
    }
  }));

test("what the service has not said is absent", async () => {
  for (const retention of ["", "soon", "-1"]) {
    const service = scriptedRun({
      stream: (connection, n) => (n === 1 ? kept(connection, retention, text(1)) : gone()),
    });
    await withFakeTime(async (clock) => {
      const reading = read((await service.handle()).stream());
      await clock.advance(1_000);
      assert.equal((await reading).error.retentionSeconds, undefined, retention);
    });
  }
  const { error } = await read((await scriptedRun({ stream: gone }).handle()).stream());
  assert.deepEqual([error.lastEventId, error.retentionSeconds], [undefined, undefined]);
});

test("a refusal may say itself how long a stream is kept", async () => {
  const stream = () => {
    const response = gone();
    response.headers.set("X-Cursor-Stream-Retention-Seconds", "120");
    return response;
  };
  const { error } = await read((await scriptedRun({ stream }).handle()).stream());
  assert.equal(error.retentionSeconds, 120);
});

test("openRunStream and a stream from a token fail with the same", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection, n) => (n === 1 ? kept(connection, "60", text(1), text(2)) : gone()),
    });
    const options = { agentId, apiKey: "key", fetch: service.fetch };
    const frames = openRunStream(runId, options);
    for (let at = 0; at < 2; at++) await frames.next();
    const from = frames.resumeToken;
    const first = read(frames);
    await clock.advance(1_000);
    assert.deepEqual((await first).error.lastEventId, "1-0");
    const { error } = await read(openRunStream(runId, { ...options, from }));
    assert.ok(error instanceof StreamExpiredError);
    // How long it is kept another page has not heard.
    assert.deepEqual([error.lastEventId, error.retentionSeconds], ["1-0", undefined]);
  }));

test("what had come is read first, and on a handle that is known to be expired it fails without a request", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      record: over,
      stream: (connection, n) => (n === 1 ? void connection.end(text(1), text(2)) : gone()),
    });
    const handle = await service.handle();
    assert.deepEqual([handle.supports("stream"), handle.supports("conversation")], [true, true]);
    const reading = read(handle.stream());
    await clock.advance(1_000);
    const { texts, error } = await reading;
    assert.deepEqual(texts, ["1;", "2;"]);
    assert.deepEqual([handle.supports("stream"), handle.supports("conversation")], [false, false]);
    assert.match(handle.unsupportedReason("stream"), /^The service no longer keeps .* stream$/);
    assert.equal(handle.supports("wait"), true);

    service.requests.length = 0;
    assert.equal((await read(handle.stream())).error, error);
    await assert.rejects(handle.conversation(), StreamExpiredError);
    assert.equal(service.count("stream"), 0);
    assert.equal((await handle.wait()).result, "All done");
  }));

test("it is no failure when everything up to the terminal status has come", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      record: over,
      stream: (connection, n) => (n === 1 ? void connection.end(text(1), status("FINISHED")) : gone()),
    });
    const handle = await service.handle();
    const messages = [];
    const reading = (async () => {
      for await (const { type } of handle.stream()) messages.push(type);
    })();
    await clock.advance(10_000);
    await reading;
    assert.deepEqual(messages, ["assistant", "status"]);
    assert.equal((await handle.wait()).result, "All done");
  }));
