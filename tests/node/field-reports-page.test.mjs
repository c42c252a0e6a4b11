// What has broken in other clients in pages that are hidden, frozen and brought back; row and thread in
// docs/field-reports.md. The window is the test's own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "runwire";
import { inPage } from "../lib/page.mjs";
import { turns } from "../lib/run-service.mjs";
import { refusal, result, scriptedRun, text, whole } from "../lib/scripted-run.mjs";

await init();

const MINUTE = 60_000;

/** A stream that has read its first message, and the rest of its texts as they come. */
async function reading(service, options) {
  const stream = (await service.handle(options)).stream();
  const texts = [];
  const end = (async () => {
    for await (const message of stream) texts.push(Number.parseInt(message.message.content[0].text, 10));
  })();
  await turns();
  return { texts, end };
}

// 16: Azure/fetch-event-source #17, 17: Azure/fetch-event-source #75, 18: elastic/docs-builder #2191
test("switching tabs repeats no request, neither a stream nor a cancel", () =>
  inPage(async ({ clock, show }) => {
    let answer;
    const service = scriptedRun({
      cancel: () =>
        new Promise((resolve) => {
          answer = () => resolve({});
        }),
    });
    const handle = await service.handle();
    const stream = handle.stream();
    const first = stream.next();
    await turns();
    service.connections[0].send(text(1));
    await first;
    const next = stream.next();
    const cancelled = handle.cancel();
    for (const hidden of [500, 5_000, 20_000]) {
      show("hidden");
      await clock.advance(hidden);
      show("visible");
      await clock.advance(500);
    }
    assert.deepEqual([service.count("stream"), service.count("cancel")], [1, 1]);
    answer();
    service.connections[0].send(result({ status: "CANCELLED" }));
    service.connections[0].end();
    await Promise.all([cancelled, next]);
    assert.deepEqual([service.count("stream"), service.count("cancel")], [1, 1]);
    await stream.return();
  }));

// 88: dust-tt/dust #26202, 89: bigskysoftware/htmx #3640
test("a page that is restored with a dead connection gets another within five seconds", () =>
  inPage(async ({ clock, sleep, bringBack }) => {
    const service = scriptedRun({
      // The first is dead, and nobody says so.
      stream: (connection, n) => void connection.send(...(n === 1 ? [text(1)] : [text(1), text(2), whole])),
    });
    const { texts, end } = await reading(service);
    assert.deepEqual(texts, [1]);
    sleep(20 * MINUTE);
    bringBack();
    await clock.advance(5_000);
    await end;
    assert.deepEqual(texts, [1, 2]);
    assert.equal(service.count("stream"), 2);
    assert.equal(service.open, 0);
  }));

test("a page that is restored with a live connection keeps it", () =>
  inPage(async ({ clock, sleep, bringBack }) => {
    const service = scriptedRun({ stream: (connection) => void connection.send(text(1)) });
    const { texts, end } = await reading(service);
    sleep(20 * MINUTE);
    bringBack();
    await clock.advance(1_000);
    service.connections[0].send(text(2));
    await clock.advance(20_000);
    service.connections[0].send(whole);
    await end;
    assert.deepEqual(texts, [1, 2]);
    assert.equal(service.requests.length, 2, "the record and the stream");
  }));

test("a page that is restored while it waits for the next attempt makes it", () =>
  inPage(async ({ clock, sleep, bringBack }) => {
    const service = scriptedRun({
      stream: (connection, n) =>
        n === 1 ? refusal(503, "unavailable") : void connection.send(text(1), whole),
    });
    const { texts, end } = await reading(service, { retry: { minDelayMs: MINUTE, maxDelayMs: MINUTE } });
    assert.equal(service.count("stream"), 1);
    sleep(20 * MINUTE);
    bringBack();
    await clock.advance(1_000);
    await end;
    assert.deepEqual(texts, [1]);
    assert.equal(service.count("stream"), 2);
  }));

for (const order of ["after", "before"]) {
  test(`a frozen page with 50 kB queued reads it, also when that comes ${order} its timers`, () =>
    inPage(async ({ clock, sleep }) => {
      const words = "x".repeat(1_000);
      const queued = Array.from({ length: 50 }, (_, n) => text(n + 2, `${n + 2};${words}`));
      const service = scriptedRun({ stream: (connection) => void connection.send(text(1)) });
      const { texts, end } = await reading(service);
      const [connection] = service.connections;
      sleep(60 * MINUTE);
      if (order === "before") connection.send(...queued);
      // The timer that was set when it was asked for, an hour late.
      await clock.advance(30_000);
      assert.ok(connection.open, "nothing is judged yet");
      if (order === "after") connection.send(...queued);
      await clock.advance(1_000);
      assert.deepEqual(
        texts,
        Array.from({ length: 51 }, (_, n) => n + 1),
      );
      connection.send(whole);
      await end;
      assert.equal(service.requests.length, 2, "the record and the stream");
    }));
}
