// A session over HTTP, from the reader's side: what it asks of the host, and what it leaves alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError } from "runwire";
import { createSessionHost } from "runwire/host";
import { createInputQueue, init, runQuery } from "runwire/kit";
import { delta, fakeQuery, result } from "../lib/fake-query.mjs";
import { turns } from "../lib/run-service.mjs";

await init();

const url = "http://host.test/agent";

/** A host over a query under the test's control; `change` may answer a request in its place. */
function hosted(change = () => undefined) {
  const fake = fakeQuery();
  const host = createSessionHost({ query: fake.query, authorize: "public", basePath: "/agent" });
  const asked = [];
  const fetch = async (address, init) => {
    const request = new Request(address, init);
    const { pathname } = new URL(request.url);
    asked.push(`${request.method} ${pathname.replace(/[0-9a-f-]{36}/, "ID")}`);
    return change(request) ?? host.fetch(request);
  };
  return { ...fake, host, fetch, asked };
}

test("nothing is asked before it is read; one prompt is posted with the session, and close() ends that", async () => {
  const { host, fetch, asked, give } = hosted();
  const run = runQuery("hello", { url, fetch });
  await turns(5);
  assert.deepEqual(asked, []);
  give(delta("a"));
  assert.equal((await run.events.next()).value.text, "a");
  assert.deepEqual(asked, ["POST /agent/sessions", "GET /agent/sessions/ID/stream"]);
  run.close();
  await turns(20);
  assert.equal(asked.at(-1), "POST /agent/sessions/ID/close");
  await host.close();
});

test("a reader that fails leaves the session to others", async () => {
  const refuse = (request) =>
    request.url.endsWith("/stream")
      ? Response.json({ error: { code: "forbidden" } }, { status: 403 })
      : undefined;
  const { host, fetch, asked, give } = hosted(refuse);
  const queue = createInputQueue();
  const run = runQuery(queue.iterable, { url, fetch });
  await assert.rejects(run.events.next(), (error) => error.status === 403);
  assert.deepEqual(await run.events.next(), { done: true, value: undefined });
  await turns(20);
  assert.ok(!asked.some((request) => request.endsWith("/close")), asked.join());
  give(delta("still there"), result());
  const other = runQuery(createInputQueue().iterable, {
    url,
    session: await run.sessionId,
    fetch: host.fetch,
  });
  assert.equal((await other.events.next()).value.text, "still there");
  await host.close();
});

test("an abort stops reading and leaves the session going", async () => {
  const { host, fetch, asked, give } = hosted();
  const controller = new AbortController();
  const run = runQuery(createInputQueue().iterable, { url, fetch, signal: controller.signal });
  const pending = run.events.next();
  await turns(20);
  controller.abort("leaving");
  await assert.rejects(pending, (reason) => reason === "leaving");
  give(delta("a"));
  await turns(20);
  assert.ok(!asked.some((request) => request.endsWith("/close")), asked.join());
  const other = runQuery(createInputQueue().iterable, { url, session: await run.sessionId, fetch });
  assert.equal((await other.events.next()).value.text, "a");
  await host.close();
});

test("a session that is joined takes no prompt of its own", () => {
  const error = (thrown) => thrown instanceof ConfigurationError && /createInputQueue/.test(thrown.message);
  assert.throws(() => runQuery("and now?", { url, session: "x" }), error);
  assert.doesNotThrow(() => runQuery("", { url, session: "x" }));
});

test("a message with a uuid is one message, also when a page that was loaded again says it again", async () => {
  const { host, fetch, log } = hosted();
  const say = (queue) =>
    queue.push({
      type: "user",
      uuid: "the-message",
      message: { role: "user", content: "hello" },
      parent_tool_use_id: null,
    });
  const queue = createInputQueue();
  const run = runQuery(queue.iterable, { url, fetch });
  say(queue);
  const session = await run.sessionId;
  await turns(20);
  const again = createInputQueue();
  const joined = runQuery(again.iterable, { url, fetch, session });
  say(again);
  again.push("bye");
  await joined.sessionId;
  await turns(40);
  const said = log.given.prompt[Symbol.asyncIterator]();
  const contents = [(await said.next()).value.message.content, (await said.next()).value.message.content];
  assert.deepEqual(contents, ["hello", "bye"]);
  await host.close();
});

test("who joins without a word leaves a loop, and not the session", async () => {
  const { host, fetch, asked, give } = hosted();
  const run = runQuery(createInputQueue().iterable, { url, fetch });
  give(delta("a"), delta("b"));
  await run.events.next();
  const guest = runQuery("", { url, fetch, session: await run.sessionId });
  for await (const { text } of guest.events) {
    assert.equal(text, "a");
    break;
  }
  assert.equal((await guest.events.next()).value.text, "b");
  await turns(20);
  assert.ok(!asked.some((request) => request.endsWith("/close")), asked.join());
  await host.close();
});

test("no key of the environment and nothing of Cursor.configure goes to a host", async () => {
  const { Cursor } = await import("runwire");
  const sent = [];
  const { host, fetch } = hosted((request) => {
    sent.push([request.headers.get("authorization"), request.headers.get("x-own")]);
    return undefined;
  });
  process.env.CURSOR_API_KEY = "secret-of-the-environment";
  Cursor.configure({ apiKey: "secret-of-the-defaults", headers: { "x-own": "default" } });
  try {
    const run = runQuery("hello", { url, fetch });
    await run.supportedCommands();
    run.close();
    const own = runQuery("hello", { url, fetch, apiKey: "own", headers: { "x-own": "own" } });
    await own.supportedCommands();
    own.close();
    await turns(20);
  } finally {
    delete process.env.CURSOR_API_KEY;
    Cursor.configure({});
  }
  const own = sent.findIndex(([, header]) => header === "own");
  assert.ok(
    own > 0 && sent.slice(0, own).every(([key, header]) => key === null && header === null),
    sent.join(),
  );
  assert.deepEqual(sent[own], ["Bearer own", "own"]);
  await host.close();
});
