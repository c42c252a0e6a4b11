// Sessions of three hours, in simulated time: long silences, connections that are replaced and cut, and who keeps the
// session alive.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createInputQueue, init as loadEngine, runQuery } from "runwire/kit";
import { withFakeTime } from "../lib/fake-time.mjs";
import {
  info,
  init,
  result,
  scriptedQuery,
  spoken,
  toolResult,
  toolUse,
  wordsOf,
} from "../lib/scripted-query.mjs";
import { base, hostWith } from "../lib/session-client.mjs";
import { networkTo } from "../lib/session-network.mjs";

await loadEngine();

const minutes = (count) => count * 60_000;
const pass = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A tool that works for 80 minutes without a word, a minute-wise report of half an hour, and an answer. */
async function* turn(message) {
  const words = wordsOf(message);
  yield init();
  if (words === "build") {
    yield* spoken("m1", "It takes a while");
    yield toolUse("t1", "Bash", { command: "make" });
    await pass(minutes(80));
    yield toolResult("t1", "done");
    yield result("Built");
  } else if (words === "watch") {
    for (let minute = 1; minute <= 30; minute++) {
      await pass(minutes(1));
      yield info(`minute ${minute}`);
    }
    yield result("Watched");
  } else {
    yield* spoken("m3", "Goodbye");
    yield result("Goodbye");
  }
}

/** Says the three lines, each when the user has thought about it for 35 minutes. */
async function threeHours(options) {
  const queue = createInputQueue();
  const events = [];
  const left = ["build", "watch", "bye"];
  queue.push(left.shift());
  for await (const event of runQuery(queue.iterable, options).events) {
    events.push(event);
    if (event.type !== "turn-end") continue;
    if (left.length === 0) queue.end();
    else pass(minutes(35)).then(() => queue.push(left.shift()));
  }
  return events;
}

test("three hours over query(), in which nothing happens most of the time", () =>
  withFakeTime(async (clock) => {
    const began = clock.now();
    const reading = threeHours({ query: scriptedQuery({ turn }).query });
    await clock.advance(minutes(180));
    const events = await reading;
    assert.equal(events.filter(({ type }) => type === "turn-end").length, 3);
    assert.equal(events.filter(({ type }) => type === "info").length, 30);
    assert.equal(clock.now() - began, minutes(180));
    assert.equal(clock.timers, 0);
  }));

for (const [name, cut, least, most] of [
  // Comments show that they are alive: they are replaced only after five minutes without an event.
  ["that hold", () => Number.POSITIVE_INFINITY, 20, 40],
  // A comment has three bytes, and comes four times a minute.
  ["that are cut again and again", (connection) => (connection % 2 ? 30 : 500), 60, 100],
]) {
  test(`three hours over connections ${name}: nothing is lost, and the session outlives its silences`, () =>
    withFakeTime(async (clock) => {
      const scripted = scriptedQuery({ turn });
      const without = threeHours({ query: scripted.query });
      await clock.advance(minutes(180));
      const expected = await without;

      const { host } = hostWith({ script: { turn } });
      let connections = 0;
      const fetch = networkTo(host, () => {
        connections++;
        return cut(connections);
      });
      const reading = threeHours({ url: base, fetch, onWarning: assert.fail });
      await clock.advance(minutes(182));
      assert.deepEqual(await reading, expected);
      assert.ok(connections >= least && connections <= most, `${connections} connections`);
      assert.deepEqual(
        host.sessions.map(({ status }) => status),
        ["FINISHED"],
      );
      await clock.advance(minutes(5));
      assert.equal(host.sessions.length, 0);
      assert.equal(clock.timers, 0, "nothing is left of it");
    }));
}

test("a session whose page is gone goes on while it works, ends when it idles, and can be read until it is forgotten", () =>
  withFakeTime(async (clock) => {
    const { host, scripted } = hostWith({ script: { turn } });
    const leaving = new AbortController();
    const queue = createInputQueue();
    const fetch = networkTo(host);
    const run = runQuery(queue.iterable, { url: base, fetch, signal: leaving.signal });
    queue.push("watch");
    const first = run.events.next();
    await clock.advance(minutes(1));
    assert.equal((await first).value.text, "minute 1");
    const [session, from] = [await run.sessionId, run.resumeToken];
    leaving.abort();
    // It has said something every minute for 30 of them, and then nothing for 29.
    await clock.advance(minutes(29 + 29));
    assert.equal(host.sessions[0].status, "RUNNING");
    assert.equal(scripted.agent.closed, false);
    await clock.advance(minutes(1));
    assert.equal(host.sessions[0].status, "FINISHED");
    assert.equal(scripted.agent.closed, true);
    await clock.advance(minutes(4));
    const rest = [];
    const again = runQuery(createInputQueue().iterable, { url: base, fetch, session, from });
    const reading = (async () => {
      for await (const event of again.events) rest.push(event);
    })();
    await clock.advance(1_000);
    await reading;
    assert.deepEqual(
      rest.map((event) => event.text ?? event.type),
      [...Array.from({ length: 29 }, (_, at) => `minute ${at + 2}`), "turn-end"],
    );
    await clock.advance(minutes(1));
    assert.equal(host.sessions.length, 0);
    assert.equal(clock.timers, 0);
  }));
