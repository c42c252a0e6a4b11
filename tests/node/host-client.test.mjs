// The kit's client and a host: a session over HTTP is the session that it is without.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createInputQueue, init as loadEngine, runQuery } from "runwire/kit";
import { withFakeTime } from "../lib/fake-time.mjs";
import { echo, init, messageStart, textDelta, wordsOf } from "../lib/scripted-query.mjs";
import { base, hostWith, settled } from "../lib/session-client.mjs";
import { networkTo } from "../lib/session-network.mjs";

await loadEngine();

async function all(run) {
  const events = [];
  for await (const event of run.events) events.push(event);
  return events;
}

test("a prompt over HTTP gives the events that it gives without", async () => {
  const { host, scripted } = hostWith();
  const overHttp = await all(runQuery("Hello there", { url: base, fetch: networkTo(host) }));
  const without = await all(runQuery("Hello there", { query: scripted.query }));
  assert.deepEqual(overHttp, without);
  assert.equal(overHttp.at(-1).type, "turn-end");
});

test("a session over HTTP is talked to, interrupted, asked and ended", async () => {
  async function* turn(message) {
    if (wordsOf(message) !== "stuck") return yield* echo(message);
    yield init();
    yield messageStart("m");
    yield textDelta("Wait");
    await new Promise(() => {});
  }
  const commands = [{ name: "compact", description: "Shorten", argumentHint: "" }];
  const usage = { percentage: 1, totalTokens: 2, maxTokens: 3 };
  const { host, scripted } = hostWith({ script: { turn, commands, usage } });
  const queue = createInputQueue();
  const run = runQuery(queue.iterable, { url: base, fetch: networkTo(host) });
  assert.equal((await run.ask("one")).text, "You said: one");
  assert.deepEqual(await run.supportedCommands(), commands);
  assert.deepEqual(await run.contextUsage(), usage);
  const stuck = run.ask("stuck");
  while (scripted.agent.received.length < 2) await settled();
  assert.deepEqual(await run.interrupt(), { still_queued: [] });
  assert.equal((await stuck).end.status, "error_during_execution");
  assert.equal((await run.ask("two")).text, "You said: two");
  assert.deepEqual(scripted.agent.received.map(wordsOf), ["one", "stuck", "two"]);
  queue.end();
  assert.deepEqual(await all(run), []);
  assert.equal(host.sessions[0].status, "FINISHED");
});

test("connections that are cut anywhere lose nothing and repeat nothing", () =>
  withFakeTime(async (clock) => {
    const { host, session, stream, scripted } = hostWith({ keepMs: Number.POSITIVE_INFINITY });
    const path = await session({ prompt: "Größe 😀 and more" });
    await settled();
    const reader = await stream(path);
    await reader.rest();
    const whole = await all(runQuery("Größe 😀 and more", { query: scripted.query }));
    const length = new TextEncoder().encode(reader.raw).length;
    const id = path.slice("/sessions/".length);
    for (let at = 1; at < length; at++) {
      let connections = 0;
      const fetch = networkTo(host, () => (connections++ === 0 ? at : Number.POSITIVE_INFINITY));
      const queue = createInputQueue();
      const read = all(runQuery(queue.iterable, { url: base, session: id, fetch, onWarning: assert.fail }));
      await clock.advance(5_000);
      assert.deepEqual(await read, whole, `cut after ${at} bytes`);
      assert.ok(connections > 1, `cut after ${at} bytes`);
    }
  }));
