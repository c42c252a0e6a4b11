// What is sent to a session host: bodies, their size and form, and that nothing of them counts twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init as loadEngine } from "runwire";
import { echo, gate, wordsOf } from "../lib/scripted-query.mjs";
import { base, hostWith, settled } from "../lib/session-client.mjs";

await loadEngine();

/** Sends a body as it is. */
async function send(fetch, path, body, headers = { "content-type": "application/json" }) {
  const init = { method: "POST", body, headers, duplex: "half" };
  const response = await fetch(new Request(base + path, init));
  return { status: response.status, body: await response.json() };
}

test("a body of another type is refused, whatever it holds", async () => {
  const { session, fetch, scripted } = hostWith();
  const path = await session();
  const body = JSON.stringify({ clientId: "m", text: "forged" });
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; charset=application/json",
    "application/json-seq",
    "application/jsonp",
    "text/json",
    "application/x-ndjson",
  ]) {
    for (const place of ["/sessions", `${path}/messages`, `${path}/interrupt`, `${path}/close`]) {
      const answer = await send(fetch, place, body, { "content-type": type });
      assert.deepEqual([answer.status, answer.body.error.code], [415, "unsupported_media_type"], type);
    }
  }
  const untyped = await send(fetch, `${path}/close`, new Blob([body]).stream(), {});
  assert.equal(untyped.status, 415);
  await settled();
  const [agent] = scripted.agents;
  assert.deepEqual([agent.received, agent.interrupts, agent.closed], [[], 0, false]);
  for (const type of ["application/json", "Application/JSON", "application/json; charset=utf-8"]) {
    assert.equal((await send(fetch, `${path}/messages`, body, { "content-type": type })).status, 202, type);
  }
});

test("what is no JSON object is refused", async () => {
  const { session, fetch } = hostWith();
  const path = await session();
  const bad = [
    "{",
    "nothing",
    "[]",
    "null",
    '"text"',
    "1",
    '{"clientId":"m","text":"a"}{}',
    '\uFEFF{"clientId":"m","text":"a"',
    "[".repeat(100_000),
    // What would be JSON if its letter were one.
    new TextEncoder().encode('{"clientId":"m","text":"?"}').map((byte) => (byte === 0x3f ? 0xff : byte)),
  ];
  for (const body of bad) {
    for (const place of ["/sessions", `${path}/messages`]) {
      const answer = await send(fetch, place, body);
      assert.deepEqual(
        [answer.status, answer.body.error.code],
        [400, "invalid_body"],
        `${body}`.slice(0, 30),
      );
    }
  }
});

test("members of the wrong kind are refused, with what is wrong about them", async () => {
  const { session, ask, host, scripted } = hostWith();
  const path = await session();
  for (const clientId of [undefined, null, "", 1, {}, ["a"], "x".repeat(201)]) {
    for (const [place, more] of [
      ["/sessions", {}],
      [`${path}/messages`, { text: "a" }],
    ]) {
      const { status, body } = await ask(place, { json: { clientId, ...more } });
      assert.equal(status, 400);
      assert.match(body.error.message, /clientId/);
    }
  }
  for (const prompt of [null, 1, {}, ["a"]]) {
    const { status, body } = await ask("/sessions", { json: { clientId: "c", prompt } });
    assert.equal(status, 400);
    assert.match(body.error.message, /prompt/);
  }
  for (const message of [
    {},
    { text: 1 },
    { text: null },
    { text: ["a"] },
    { content: "a" },
    { content: [] },
    { content: { 0: "a" } },
    { text: "a", content: [{ type: "text", text: "a" }] },
  ]) {
    const { status, body } = await ask(`${path}/messages`, { json: { clientId: "m", ...message } });
    assert.equal(status, 400, JSON.stringify(message));
    assert.match(body.error.message, /text.*content/);
  }
  await settled();
  assert.deepEqual([host.sessions.length, scripted.agents.length, scripted.agent.received], [1, 1, []]);
});

test("names of the language's own are ids and members like others", async () => {
  const { ask, fetch, session, scripted, host } = hostWith();
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  for (const clientId of names) assert.equal((await ask("/sessions", { json: { clientId } })).status, 201);
  assert.equal(host.sessions.length, names.length);
  const path = await session();
  for (const clientId of names) {
    assert.equal((await ask(`${path}/messages`, { json: { clientId, text: clientId } })).status, 202);
  }
  await settled();
  assert.deepEqual(scripted.agent.received.map(wordsOf), names);
  const answer = await send(fetch, `${path}/messages`, '{"__proto__":{"clientId":"m","text":"a"}}');
  assert.equal(answer.status, 400);
  assert.equal({}.clientId, undefined);
});

test("a text is passed on as it is, empty or odd", async () => {
  const { session, say, scripted } = hostWith();
  const path = await session();
  const texts = ["", " \n", "\0", "😀 größer ñ", "<system-reminder>", "\u2028\u2029"];
  for (const text of texts) assert.equal((await say(path, text)).status, 202);
  await settled();
  assert.deepEqual(scripted.agent.received.map(wordsOf), texts);
});

test("a body over its bound is refused while it is read, and the rest is not taken", async () => {
  const { session, fetch, scripted } = hostWith({ maxBodyBytes: 10_000 });
  const path = await session();
  for (const place of ["/sessions", `${path}/messages`, `${path}/close`]) {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream(
      {
        pull(controller) {
          pulled += 1_000;
          controller.enqueue(new TextEncoder().encode(" ".repeat(1_000)));
        },
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const answer = await send(fetch, place, endless);
    assert.deepEqual([answer.status, answer.body.error.code], [413, "body_too_large"]);
    await settled();
    assert.ok(cancelled && pulled <= 12_000, `${pulled} bytes`);
  }
  assert.equal(scripted.agent.closed, false);
});

test("a body that says that it is too long is not read at all", async () => {
  const { fetch } = hostWith();
  const unread = new ReadableStream({ pull: () => assert.fail("it was read") }, { highWaterMark: 0 });
  const headers = { "content-type": "application/json", "content-length": `${2 ** 20 + 1}` };
  assert.equal((await send(fetch, "/sessions", unread, headers)).status, 413);
});

test("a body may be as long as its bound, which is 1 MiB without another word", async () => {
  for (const [options, bound] of [
    [{}, 2 ** 20],
    [{ maxBodyBytes: 500 }, 500],
  ]) {
    const { session, fetch } = hostWith(options);
    const path = await session();
    const bodyOf = (length) => {
      const empty = JSON.stringify({ clientId: `${length}`, text: "" });
      return JSON.stringify({ clientId: `${length}`, text: "x".repeat(length - empty.length) });
    };
    assert.equal((await send(fetch, `${path}/messages`, bodyOf(bound))).status, 202);
    assert.equal((await send(fetch, `${path}/messages`, bodyOf(bound + 1))).status, 413);
  }
});

test("a body that breaks off is refused", async () => {
  const { fetch, errors } = hostWith();
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"clientId"'));
      controller.error(new Error("lost"));
    },
  });
  const answer = await send(fetch, "/sessions", broken);
  assert.deepEqual([answer.status, answer.body.error.code], [400, "invalid_body"]);
  assert.deepEqual(errors, []);
});

test("a POST that is repeated begins no second session, at once or later, going on or over", async () => {
  const { ask, host, scripted } = hostWith({ options: async () => settled().then(() => ({})) });
  const begin = (clientId, prompt) => ask("/sessions", { json: { clientId, ...(prompt ? { prompt } : {}) } });
  const together = await Promise.all(Array.from({ length: 10 }, () => begin("c")));
  assert.equal(new Set(together.map(({ body }) => body.id)).size, 1);
  assert.deepEqual(together.map(({ status }) => status).sort(), [...Array(9).fill(200), 201]);
  const later = await begin("c");
  assert.deepEqual([later.status, later.body], [200, together[0].body]);
  assert.equal(scripted.agents.length, 1);

  await ask(`/sessions/${later.body.id}/close`, { method: "POST" });
  const over = await begin("c");
  assert.deepEqual([over.status, over.body], [200, { id: later.body.id, status: "FINISHED" }]);
  assert.equal((await begin("other")).status, 201);
  assert.equal(host.sessions.length, 2);
});

test("a message that is repeated is not said twice, at once, later, in its turn or after it", async () => {
  const held = gate();
  async function* turn(message) {
    await held.opened;
    yield* echo(message);
  }
  const { session, say, ask, scripted } = hostWith({ script: { turn } });
  const path = await session();
  const together = await Promise.all(Array.from({ length: 10 }, () => say(path, "once", "m1")));
  for (const { status, body } of together) assert.deepEqual([status, body], [202, { accepted: true }]);
  await settled();
  assert.equal((await say(path, "once", "m1")).status, 202);
  held.open();
  await settled();
  assert.equal((await say(path, "once", "m1")).status, 202);
  assert.equal((await say(path, "next", "m2")).status, 202);
  await settled();
  assert.deepEqual(scripted.agent.received.map(wordsOf), ["once", "next"]);
  // Whose first answer was lost must not read that it was not taken.
  await ask(`${path}/close`, { method: "POST" });
  assert.equal((await say(path, "once", "m1")).status, 202);
  assert.equal((await say(path, "new", "m3")).status, 409);
});

test("the same client id in two sessions is two messages", async () => {
  const { session, say, scripted } = hostWith();
  for (const path of [await session(), await session()])
    assert.equal((await say(path, "a", "m")).status, 202);
  await settled();
  assert.deepEqual(
    scripted.agents.map(({ received }) => received.length),
    [1, 1],
  );
});
