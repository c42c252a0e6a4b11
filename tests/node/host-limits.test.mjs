// What a session host holds at most, and for how long.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init as loadEngine } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { gate, info, result, scriptedQuery, wordsOf } from "../lib/scripted-query.mjs";
import { hostWith, request, settled } from "../lib/session-client.mjs";

await loadEngine();

const minutes = (count) => count * 60_000;

test("there are no more sessions than the limit, those that are just starting included", async () => {
  const { ask, host } = hostWith({ maxSessions: 3, options: async () => settled().then(() => ({})) });
  const begin = (clientId) => ask("/sessions", { json: { clientId } });
  const answers = await Promise.all(["a", "b", "c", "d", "e"].map(begin));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 503, 503],
  );
  const [refused] = answers.slice(3);
  assert.equal(refused.body.error.code, "too_many_sessions");
  assert.match(refused.headers.get("retry-after"), /^[1-9]\d*$/);
  assert.equal((await begin("a")).status, 200, "one that is there is not a new one");
  assert.equal(host.sessions.length, 3);
});

test("a session that is over makes room, the oldest first", async () => {
  const { ask, host } = hostWith({ maxSessions: 3 });
  const begin = async (clientId) => (await ask("/sessions", { json: { clientId } })).body;
  const [first, second, third] = [await begin("a"), await begin("b"), await begin("c")];
  for (const { id } of [third, second]) await ask(`/sessions/${id}/close`, { method: "POST" });
  const fourth = await begin("d");
  assert.deepEqual(
    host.sessions.map(({ id }) => id),
    [first, third, fourth].map(({ id }) => id),
  );
  assert.equal((await ask(`/sessions/${second.id}`)).status, 404);
  assert.equal(
    (await ask("/sessions", { json: { clientId: "b" } })).status,
    201,
    "its client id is free again",
  );
  assert.equal((await ask("/sessions", { json: { clientId: "e" } })).status, 503);
});

test("without another word there are a hundred", async () => {
  const { session, ask } = hostWith();
  for (let count = 0; count < 100; count++) await session();
  assert.equal((await ask("/sessions", { json: { clientId: "one more" } })).status, 503);
});

test("a start that fails takes no room", async () => {
  let isDown = true;
  const { ask } = hostWith({
    maxSessions: 2,
    options: async () => {
      if (isDown) throw new Error("down");
      return {};
    },
  });
  for (let count = 0; count < 5; count++) {
    assert.equal((await ask("/sessions", { json: { clientId: `${count}` } })).status, 500);
  }
  isDown = false;
  assert.equal((await ask("/sessions", { json: { clientId: "a" } })).status, 201);
  assert.equal((await ask("/sessions", { json: { clientId: "b" } })).status, 201);
});

for (const [options, most] of [
  [{ maxReaders: 2 }, 2],
  [{}, 32],
]) {
  test(`a session has at most ${most} readers, and a place that is left is free`, async () => {
    const { session, fetch, ask } = hostWith(options);
    const path = await session();
    const bodies = [];
    for (let count = 0; count < most; count++) bodies.push((await fetch(request(`${path}/stream`))).body);
    const refused = await ask(`${path}/stream`);
    assert.deepEqual([refused.status, refused.body.error.code], [429, "too_many_readers"]);
    assert.match(refused.headers.get("retry-after"), /^[1-9]\d*$/);
    const other = await fetch(request(`${await session()}/stream`));
    assert.equal(other.status, 200, "another session has its own");
    await bodies[0].cancel();
    const again = await fetch(request(`${path}/stream`));
    assert.equal(again.status, 200);
    for (const body of [...bodies.slice(1), again.body, other.body]) await body.cancel();
  });
}

for (const [options, most] of [
  [{ maxPending: 3 }, 3],
  [{}, 64],
]) {
  test(`at most ${most} messages wait for an agent that reads one a turn`, async () => {
    const turns = [gate(), gate(), gate()];
    let turn = 0;
    const { session, say, scripted } = hostWith({
      ...options,
      script: {
        async *turn() {
          await turns[turn++]?.opened;
          yield result("");
        },
      },
    });
    const path = await session();
    assert.equal((await say(path, "taken up")).status, 202);
    await settled();
    for (let n = 0; n < most; n++) assert.equal((await say(path, `${n}`, `m${n}`)).status, 202);
    const refused = await say(path, "too many", "late");
    assert.deepEqual([refused.status, refused.body.error.code], [429, "too_many_messages"]);
    assert.match(refused.headers.get("retry-after"), /^[1-9]\d*$/);
    assert.equal((await say(path, "0", "m0")).status, 202, "one that was taken is not a new one");
    turns[0].open();
    await settled();
    assert.equal((await say(path, "late", "late")).status, 202, "what was refused may come again");
    assert.equal((await say(path, "too many")).status, 429);
    for (const { open } of turns) open();
    await settled();
    assert.equal(scripted.agent.received.length, most + 2);
    assert.equal(wordsOf(scripted.agent.received.at(-1)), "late");
  });
}

test("messages that an agent has read ahead of its turns wait, too", async () => {
  let read = 0;
  let endTurn;
  const query = ({ prompt }) => {
    void (async () => {
      for await (const _ of prompt) read++;
    })();
    async function* messages() {
      for (;;) {
        await new Promise((resolve) => {
          endTurn = resolve;
        });
        yield result("");
      }
    }
    return messages();
  };
  const { session, say } = hostWith({ query, maxPending: 3 });
  const path = await session();
  const statuses = [];
  for (let count = 0; count < 5; count++) {
    statuses.push((await say(path, `${count}`)).status);
    await settled();
  }
  assert.deepEqual([statuses, read], [[202, 202, 202, 202, 429], 4]);
  endTurn();
  await settled();
  assert.equal((await say(path, "next")).status, 202);
});

test("the client ids of the newest messages are remembered", async () => {
  const { session, say, scripted } = hostWith({ maxClientIds: 3 });
  const path = await session();
  for (const id of ["a", "b", "c", "d"]) {
    await say(path, id, id);
    await settled();
  }
  for (const id of ["d", "c", "b", "a"]) {
    await say(path, id, id);
    await settled();
  }
  assert.deepEqual(scripted.agent.received.map(wordsOf), ["a", "b", "c", "d", "a"]);
});

test("a session that nobody uses is closed after its time", () =>
  withFakeTime(async (clock) => {
    for (const [options, ms] of [
      [{}, minutes(30)],
      [{ idleMs: minutes(2) }, minutes(2)],
    ]) {
      const { session, host, scripted } = hostWith(options);
      await session();
      await clock.advance(ms - 1);
      assert.equal(host.sessions[0].status, "RUNNING");
      await clock.advance(1);
      assert.equal(host.sessions[0].status, "FINISHED");
      assert.equal(scripted.agent.closed, true);
      await host.close();
    }
  }));

test("a request, an event or a reader keeps a session from being idle", () =>
  withFakeTime(async (clock) => {
    let speak;
    async function* turn() {
      for (;;) {
        await new Promise((resolve) => {
          speak = resolve;
        });
        yield info("still here");
      }
    }
    const { session, ask, say, stream, host } = hostWith({ idleMs: minutes(10), script: { turn } });
    const isRunning = () => host.sessions[0].status === "RUNNING";
    const path = await session();
    await say(path, "go");
    for (const use of [
      () => ask(path),
      () => ask(`${path}/commands`),
      () => say(path, "more"),
      () => speak(),
      () => ask(`${path}/messages`, { json: {} }),
    ]) {
      await use();
      await clock.advance(minutes(9));
      assert.ok(isRunning(), `${use}`);
    }
    const reader = await stream(path);
    const other = await stream(path);
    await clock.advance(minutes(60));
    assert.ok(isRunning());
    await reader.cancel();
    await clock.advance(minutes(60));
    assert.ok(isRunning(), "one still reads");
    await other.cancel();
    await clock.advance(minutes(10) - 1);
    assert.ok(isRunning());
    await clock.advance(1);
    assert.ok(!isRunning());
    await host.close();
  }));

test("the requests of others keep no session from being idle", () =>
  withFakeTime(async (clock) => {
    const authorize = (request) => request.headers.get("x-user");
    const { session, ask, host } = hostWith({ authorize, idleMs: minutes(10) });
    const path = await session({}, { headers: { "x-user": "ann" } });
    await clock.advance(minutes(9));
    for (const headers of [{}, { "x-user": "bob" }, { "x-user": "ann", origin: "https://evil.example" }]) {
      await ask(path, { headers });
    }
    await clock.advance(minutes(1));
    assert.equal(host.sessions[0].status, "FINISHED");
    await host.close();
  }));

test("a session that is over can be read for its time, then it is gone", () =>
  withFakeTime(async (clock) => {
    for (const [options, ms] of [
      [{}, minutes(5)],
      [{ keepMs: minutes(1) }, minutes(1)],
    ]) {
      const { session, stream, ask, host } = hostWith(options);
      const path = await session({ prompt: "hello" });
      await settled();
      assert.equal(host.sessions[0].status, "FINISHED");
      await clock.advance(ms - 1);
      const whole = await (await stream(path)).rest();
      assert.equal(whole.at(-1).event, "done");
      const late = await stream(path);
      await late.next();
      await clock.advance(1);
      assert.equal((await ask(path)).status, 404);
      assert.deepEqual(host.sessions, []);
      assert.deepEqual(await late.rest(), whole.slice(1), "who reads reads on");
    }
    assert.equal(clock.timers, 0);
  }));

test("times without limit are none", () =>
  withFakeTime(async (clock) => {
    const forever = Number.POSITIVE_INFINITY;
    const { session, ask, host } = hostWith({ idleMs: forever, keepMs: forever, heartbeatMs: 2 ** 31 });
    const path = await session();
    await clock.advance(minutes(60 * 24 * 365));
    assert.equal(host.sessions[0].status, "RUNNING");
    await ask(`${path}/close`, { method: "POST" });
    await clock.advance(minutes(60 * 24 * 365));
    assert.equal((await ask(path)).status, 200);
    assert.equal(clock.timers, 0);
    await host.close();
  }));

test("closing the host closes all sessions, ends all streams and leaves no timer", () =>
  withFakeTime(async (clock) => {
    const { session, stream, say, ask, host, scripted } = hostWith();
    const paths = [await session(), await session(), await session({ prompt: "over" })];
    await settled();
    await say(paths[0], "hello");
    const readers = [await stream(paths[0]), await stream(paths[1])];
    const ends = readers.map((reader) => reader.rest());
    await settled();
    assert.ok(clock.timers > 0);
    await host.close();
    for (const frames of await Promise.all(ends))
      assert.deepEqual(frames.at(-1), { event: "done", data: {} });
    assert.deepEqual(
      scripted.agents.map(({ closed }) => closed),
      // The last has ended by itself.
      [true, true, false],
    );
    assert.deepEqual(host.sessions, []);
    assert.equal(clock.timers, 0);
    for (const answer of [
      await ask("/sessions", { json: { clientId: "new" } }),
      await ask(paths[0]),
      await ask(`${paths[0]}/stream`),
    ]) {
      assert.deepEqual([answer.status, answer.body.error.code], [503, "host_closed"]);
    }
    await host.close();
  }));

test("a session that is starting when the host is closed does not begin", async () => {
  const held = gate();
  const { ask, host, scripted } = hostWith({ options: () => held.opened.then(() => ({})) });
  const starting = ask("/sessions", { json: { clientId: "c" } });
  await settled();
  await host.close();
  held.open();
  const { status, body } = await starting;
  assert.deepEqual([status, body.error.code], [503, "host_closed"]);
  assert.deepEqual(scripted.agents, []);
});

test("a query that throws begins no session, and may be asked again", async () => {
  const failure = new Error("no agent at /usr/bin/agent");
  let failures = 1;
  const { ask, host, errors } = hostWith({
    query: () => {
      if (failures-- > 0) throw failure;
      return scriptedQuery().query({ prompt: "hello" });
    },
  });
  const first = await ask("/sessions", { json: { clientId: "c" } });
  assert.deepEqual([first.status, first.body.error.code], [500, "internal_error"]);
  assert.doesNotMatch(JSON.stringify(first.body), /usr/);
  assert.equal(errors[0].error, failure);
  assert.equal(host.sessions.length, 0);
  assert.equal((await ask("/sessions", { json: { clientId: "c" } })).status, 201);
});
