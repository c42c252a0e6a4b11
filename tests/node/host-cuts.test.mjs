// A session of several turns over HTTP, whatever is cut or lost on the way: each event and each message once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createInputQueue, init as loadEngine, runQuery } from "runwire/kit";
import { info, scriptedQuery, wordsOf } from "../lib/scripted-query.mjs";
import { base, hostWith, settled } from "../lib/session-client.mjs";
import { lossyNetworkTo, networkTo } from "../lib/session-network.mjs";
import { converse, lines, turn } from "../lib/tool-session.mjs";

await loadEngine();

const expected = await converse(runQuery, { query: scriptedQuery({ turn }).query });
// Without an end, what goes wrong would go on for ever.
const retry = { minDelayMs: 0, attempts: 20 };

async function all(run) {
  const events = [];
  for await (const event of run.events) events.push(event);
  return events;
}

/** A session that is over, and what it has said in bytes. */
async function finishedSession() {
  const { host, stream } = hostWith({ script: { turn }, keepMs: Number.POSITIVE_INFINITY });
  const events = await converse(runQuery, { url: base, fetch: networkTo(host) });
  assert.deepEqual(events, expected);
  const [{ id }] = host.sessions;
  const reader = await stream(`/sessions/${id}`);
  await reader.rest();
  return { host, id, bytes: new TextEncoder().encode(reader.raw).length };
}

test("a conversation goes on over a connection that is cut after any byte", async () => {
  const { bytes } = await finishedSession();
  assert.ok(bytes > 2_000, `${bytes} bytes`);
  for (let at = 1; at < bytes; at++) {
    const { host, scripted } = hostWith({ script: { turn } });
    let connections = 0;
    const fetch = networkTo(host, () => (connections++ === 0 ? at : Number.POSITIVE_INFINITY));
    const events = await converse(runQuery, { url: base, fetch, retry, onWarning: assert.fail });
    assert.deepEqual(events, expected, `cut after ${at} bytes`);
    assert.deepEqual(scripted.agent.received.map(wordsOf), lines, `cut after ${at} bytes`);
    assert.ok(connections > 1, `cut after ${at} bytes`);
    await host.close();
  }
});

test("a conversation goes on over connections that are cut again and again", async () => {
  // A connection begins with the last frame that is known, and must bring one more.
  for (const bytes of [300, 333, 400, 500, 777, 1_000]) {
    const { host, scripted } = hostWith({ script: { turn } });
    let connections = 0;
    const fetch = networkTo(host, () => {
      connections++;
      return bytes;
    });
    const events = await converse(runQuery, { url: base, fetch, retry, onWarning: assert.fail });
    assert.deepEqual(events, expected, `cut after ${bytes} bytes`);
    assert.deepEqual(scripted.agent.received.map(wordsOf), lines);
    assert.ok(connections > 2, `${connections} connections`);
    await host.close();
  }
});

test("the rest of a session is read from the resume token of any event", async () => {
  const { host, id } = await finishedSession();
  const join = (options) =>
    runQuery(createInputQueue().iterable, { url: base, session: id, fetch: networkTo(host), ...options });
  for (let count = 0; count <= expected.length; count++) {
    const leaving = new AbortController();
    const run = join({ signal: leaving.signal });
    for (let read = 0; read < count; read++) await run.events.next();
    const { resumeToken } = run;
    leaving.abort();
    assert.equal(await run.sessionId, id);
    assert.deepEqual(await all(join({ from: resumeToken })), expected.slice(count), `after ${count} events`);
  }
});

test("a page that is loaded again in the middle of a turn carries on, and the session with it", async () => {
  for (let count = 0; count < expected.length; count++) {
    const { host, scripted } = hostWith({ script: { turn } });
    const fetch = networkTo(host);
    const seen = [];
    let said = 0;
    let isOver = false;
    let place = {};
    // Each page reads so many events, and is gone.
    while (!isOver) {
      const gone = new AbortController();
      const queue = createInputQueue();
      const run = runQuery(queue.iterable, { url: base, fetch, signal: gone.signal, ...place });
      if (said === 0) queue.push(lines[said++]);
      for (let read = 0; read <= count; read++) {
        const { done, value } = await run.events.next();
        isOver = done === true;
        if (isOver) break;
        seen.push(value);
        if (value.type !== "turn-end") continue;
        if (said < lines.length) queue.push(lines[said++]);
        else queue.end();
      }
      // What was said is on its way.
      await settled();
      place = { session: await run.sessionId, from: run.resumeToken };
      gone.abort();
    }
    assert.deepEqual(seen, expected, `${count + 1} events each`);
    assert.deepEqual(scripted.agent.received.map(wordsOf), lines);
    assert.equal(host.sessions.length, 1);
    await host.close();
  }
});

test("an answer that is lost makes no second session and no second message", async () => {
  for (const lost of ["/sessions", "/messages", "/end"]) {
    for (const times of [1, 2]) {
      const { host, scripted } = hostWith({ script: { turn } });
      const losses = new Map();
      const fetch = lossyNetworkTo(host, ({ url, method }) => {
        if (method !== "POST" || !url.endsWith(lost)) return false;
        const count = losses.get(url) ?? 0;
        losses.set(url, count + 1);
        // Of messages each, by turns.
        return count % (times + 1) < times;
      });
      const events = await converse(runQuery, { url: base, fetch, retry });
      assert.deepEqual(events, expected, lost);
      assert.deepEqual(
        scripted.agents.map(({ received }) => received.map(wordsOf)),
        [lines],
        lost,
      );
      const [sends] = losses.values();
      // The end has its effect, and the session is over, before it is asked for again.
      if (lost === "/end") assert.ok(sends >= 1);
      else assert.equal(sends, (lost === "/messages" ? 3 : 1) * (times + 1), lost);
      assert.equal(host.sessions.length, 1);
    }
  }
});

test("an interruption whose answer is lost stops one turn, and not the next", async () => {
  async function* turn(message) {
    yield info(wordsOf(message));
    await new Promise(() => {});
  }
  const { host, scripted } = hostWith({ script: { turn } });
  let asked = 0;
  // The next turn has begun by the time at which it is asked again.
  const fetch = lossyNetworkTo(host, ({ url }) => url.endsWith("/interrupt") && asked++ < 2);
  const queue = createInputQueue();
  const run = runQuery(queue.iterable, { url: base, fetch, retry });
  queue.push("one");
  queue.push("two");
  assert.equal((await run.events.next()).value.text, "one");
  assert.deepEqual(await run.interrupt(), { still_queued: [] });
  assert.equal(asked, 3);
  assert.equal((await run.events.next()).value.status, "error_during_execution");
  assert.equal((await run.events.next()).value.text, "two");
  await settled();
  assert.equal(scripted.agent.interrupts, 1);
  await run.interrupt();
  assert.equal(scripted.agent.interrupts, 2, "another is another");
  assert.equal((await run.events.next()).value.type, "turn-end");
  run.close();
});
