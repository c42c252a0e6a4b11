// The simulator as a fetch: what it takes, what it answers, what it refuses.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { createSimulator } from "runwire/testing";
import { fakeClock, settled } from "./lib/clock.mjs";
import { key, origin, start } from "./lib/run.mjs";

const me = `${origin}/v1/me`;

test("making a simulator does nothing, and its fetch needs no this", async () => {
  const { fetch, openConnections } = createSimulator();
  assert.equal(openConnections, 0);
  const response = await fetch(me, { headers: key });
  assert.equal((await response.json()).apiKeyName, "Simulated key");
});

test("a request comes as text, URL, Request or a look-alike", async () => {
  const simulator = createSimulator();
  const lookAlike = { url: me, method: "GET", headers: new Headers(key), body: null };
  for (const input of [me, new URL(me), new Request(me), lookAlike]) {
    const response = await simulator.fetch(input, { headers: key });
    assert.equal(response.status, 200);
    assert.equal(response.url, me);
  }
  const [request] = (await simulator.requests()).slice(-1);
  assert.deepEqual(request.outcome, { status: 200 });
  assert.equal(request.endpoint, "me");
  assert.equal(new Headers(request.headers).get("host"), "api.invalid");
});

test("what init gives wins over what the request has", async () => {
  const simulator = createSimulator();
  const request = new Request(`${origin}/v1/agents`, { method: "POST", body: "no", headers: { "x-a": "1" } });
  const body = JSON.stringify({ prompt: { text: "hi" } });
  const headers = { ...key, "content-type": "application/json" };
  assert.equal((await simulator.fetch(request, { body, headers })).status, 201);
  const [logged] = await simulator.requests();
  assert.equal(logged.body, body);
  assert.equal(new Headers(logged.headers).get("x-a"), null);
});

test("bodies come in every form that fetch takes", async () => {
  const simulator = createSimulator();
  const text = JSON.stringify({ forUserEmail: "größe@example.com" });
  const bytes = new TextEncoder().encode(text);
  for (const body of [text, bytes, bytes.buffer, new Blob([bytes]), new Response(bytes).body]) {
    const response = await simulator.fetch(`${origin}/v1/sub-tokens`, { method: "post", body, headers: key });
    assert.equal(response.status, 200);
    assert.equal((await simulator.requests()).at(-1).body, text);
  }
  await assert.rejects(simulator.fetch(me, { body: "x", headers: key }), TypeError);
});

test("the base path is not the service's", async () => {
  const simulator = createSimulator({ basePath: "/api" });
  assert.equal((await simulator.fetch(`${origin}/api/v1/me`, { headers: key })).status, 200);
  assert.equal((await simulator.requests())[0].path, "/v1/me");
});

test("an aborted signal makes no request", async () => {
  const simulator = createSimulator();
  const reason = new Error("no");
  await assert.rejects(simulator.fetch(me, { headers: key, signal: AbortSignal.abort(reason) }), reason);
  assert.deepEqual(await simulator.requests(), []);
});

test("an answer can be late, and waiting for it can be aborted", async () => {
  const clock = fakeClock();
  const { simulator, stream } = await start({ clock });
  await simulator.addRule({ delayMs: 5_000 });
  const controller = new AbortController();
  const late = stream();
  const aborted = stream({ signal: controller.signal });
  let arrived = false;
  late.then(() => {
    arrived = true;
  });
  await clock.advance(4_999);
  assert.equal(arrived, false);
  assert.equal(simulator.openConnections, 2);
  controller.abort();
  await assert.rejects(aborted, { name: "AbortError" });
  assert.equal(getEventListeners(controller.signal, "abort").length, 0);
  await clock.advance(1);
  await (await late).body.cancel();
  assert.equal(simulator.openConnections, 0);
  assert.equal((await simulator.counters()).streamsOpen, 0);
});

test("an answer that never comes waits for the abort", async () => {
  const simulator = createSimulator();
  await simulator.addRule({ endpoints: ["me"], answer: "never" });
  const controller = new AbortController();
  const pending = simulator.fetch(me, { headers: key, signal: controller.signal });
  await simulator.ready();
  await settled();
  assert.equal(simulator.openConnections, 1);
  controller.abort();
  await assert.rejects(pending, { name: "AbortError" });
  assert.equal(simulator.openConnections, 0);
});

test("a lost connection is a TypeError", async () => {
  const simulator = createSimulator();
  await simulator.addRule({ answer: "reset", times: 1 });
  await assert.rejects(simulator.fetch(me, { headers: key }), TypeError);
  assert.equal((await simulator.fetch(me, { headers: key })).status, 200);
});

test("a rule can be taken back", async () => {
  const simulator = createSimulator();
  const remove = await simulator.addRule({ answer: { error: { status: 503, retryAfter: { seconds: 3 } } } });
  const response = await simulator.fetch(me, { headers: key });
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "3");
  await remove();
  assert.equal((await simulator.fetch(me, { headers: key })).status, 200);
});

test("answers without a body have none", async () => {
  const { simulator, stream } = await start();
  await simulator.addRule({ endpoints: ["stream"], answer: { body: { status: 204 } } });
  const empty = await stream();
  assert.equal(empty.status, 204);
  assert.equal(empty.body, null);
  await simulator.clearRules();
  const head = await stream({ method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.body, null);
  assert.equal(simulator.openConnections, 0);
});

test("a redirect to another origin is followed without the key", async () => {
  const simulator = createSimulator({ auth: "off" });
  for (const [location, expected] of [
    ["https://other.example$PATH", null],
    ["/v1/models", "Bearer key_test"],
  ]) {
    await simulator.clearRequests();
    await simulator.addRule({ times: 1, answer: { redirect: { location } } });
    const response = await simulator.fetch(me, { headers: { ...key, "x-kept": "1" } });
    assert.equal(response.redirected, true);
    assert.equal(response.url, new URL(location.replace("$PATH", "/v1/me"), me).href);
    const [first, second] = (await simulator.requests()).map(({ headers }) => new Headers(headers));
    assert.equal(first.get("authorization"), "Bearer key_test");
    assert.equal(second.get("authorization"), expected);
    assert.equal(second.get("x-kept"), "1");
    assert.equal(second.get("host"), new URL(response.url).host);
  }
});

test("a redirect is kept, refused or given up on as fetch does", async () => {
  const simulator = createSimulator({ auth: "off" });
  await simulator.addRule({ answer: { redirect: { location: "/v1/me", status: 302 } } });
  const manual = await simulator.fetch(me, { redirect: "manual" });
  assert.equal(manual.status, 302);
  await assert.rejects(simulator.fetch(me, { redirect: "error" }), TypeError);
  await simulator.clearRequests();
  await assert.rejects(simulator.fetch(me), TypeError);
  assert.equal((await simulator.requests()).length, 21);
});

test("a POST that is redirected with 303 becomes a GET, with 307 it stays", async () => {
  const simulator = createSimulator({ auth: "off" });
  for (const [status, method] of [
    [303, "GET"],
    [302, "GET"],
    [307, "POST"],
  ]) {
    await simulator.clearRequests();
    await simulator.addRule({ times: 1, answer: { redirect: { location: "/v1/me", status } } });
    await simulator.fetch(`${origin}/v1/agents`, { method: "POST", body: "{}" });
    const last = (await simulator.requests()).at(-1);
    assert.equal(last.method, method);
    assert.equal(last.body, method === "GET" ? "" : "{}");
  }
});

test("an artifact is fetched from its own origin, which wants no key", async () => {
  const { simulator, agentId } = await start({ pace: "instant" });
  const base = `${origin}/v1/agents/${agentId}/artifacts`;
  const { items } = await (await simulator.fetch(base, { headers: key })).json();
  for (const { path, sizeBytes } of items) {
    const link = `${base}/download?path=${encodeURIComponent(path)}`;
    const { url } = await (await simulator.fetch(link, { headers: key })).json();
    assert.notEqual(new URL(url).origin, origin);
    assert.equal((await (await simulator.fetch(url)).arrayBuffer()).byteLength, sizeBytes);
    assert.equal((await simulator.fetch(url, { headers: key })).status, 400);
  }
});

test("a header of bytes beyond ASCII arrives as it was sent", async () => {
  const wire =
    'id: größe\nevent: assistant\ndata: {"text":"a"}\n\nid: 2\nevent: assistant\ndata: {"text":"b"}\n\n';
  const { stream } = await start({ pace: "instant" }, { scenario: { wire } });
  const bytes = String.fromCharCode(...new TextEncoder().encode("größe"));
  const text = await (await stream({ headers: { "last-event-id": bytes } })).text();
  assert.match(text, /^id: 2$/m);
  assert.doesNotMatch(text, /größe/);
});
