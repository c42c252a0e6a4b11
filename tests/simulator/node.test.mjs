// The simulator over real HTTP.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { listen, requestListener } from "runwire/testing/node";
import { key, start, textOf } from "./lib/run.mjs";

/** A simulator with one run, served while `use` runs. */
async function served(options, use) {
  const world = await start(options);
  const server = await listen(world.simulator);
  try {
    await use({
      ...world,
      server,
      get: (rest = "/stream", init) => fetch(server.url + world.path + rest, { headers: key, ...init }),
    });
  } finally {
    await server.close();
  }
}

async function until(condition) {
  for (let tries = 0; tries < 200; tries++) {
    if (await condition()) return;
    await delay(10);
  }
  assert.fail("it did not come to that");
}

test("a run is read over HTTP as without it", () =>
  served({ pace: "instant" }, async ({ simulator, runId, get, server }) => {
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await get();
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    assert.equal(textOf(await response.text(), "assistant"), await simulator.expectedText(runId));
  }));

test("requests arrive with their method, headers and body", () =>
  served({}, async ({ simulator, server }) => {
    await simulator.clearRequests();
    const body = JSON.stringify({ forUserEmail: "größe@example.com" });
    await fetch(`${server.url}/v1/sub-tokens?x=1`, {
      method: "POST",
      headers: { ...key, "X-Odd": "ü" },
      body,
    });
    const [logged] = await simulator.requests();
    assert.deepEqual([logged.method, logged.path, logged.body], ["POST", "/v1/sub-tokens?x=1", body]);
    const headers = new Headers(logged.headers);
    assert.equal(headers.get("host"), new URL(server.url).host);
    assert.equal(headers.get("x-odd"), "ü");
  }));

test("each piece of a body is a chunk of its own on the wire", () =>
  served({ pace: "demand", faults: { stream: { chunk: { bytes: 7 } } } }, async ({ server, path }) => {
    const socket = connect(server.port, "127.0.0.1");
    socket.write(`GET ${path}/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n\r\n`);
    let wire = "";
    for await (const data of socket.setEncoding("latin1")) {
      wire += data;
      if (wire.includes("\r\n0\r\n\r\n")) break;
    }
    const [, body] = wire.split("\r\n\r\n", 2);
    assert.equal(body.slice(0, 3), "7\r\n");
    const sizes = wire.slice(wire.indexOf("\r\n\r\n")).match(/\r\n[0-9a-f]+(?=\r\n)/g);
    assert.ok(sizes.length > 1_000);
  }));

test("a cut connection delivers all bytes before the cut, and then fails", async () => {
  for (const afterBytes of [0, 1, 100, 5_000, 40_000]) {
    const faults = { stream: { cuts: [{ afterBytes }] } };
    await served({ pace: "demand", faults }, async ({ get }) => {
      const reader = (await get()).body.getReader();
      let received = 0;
      await assert.rejects(async () => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          received += value.length;
        }
      }, TypeError);
      assert.equal(received, afterBytes);
    });
  }
});

test("a cut at will reaches the client", () =>
  served({ pace: 0.001 }, async ({ simulator, get }) => {
    const reader = (await get()).body.getReader();
    await reader.read();
    const pending = reader.read();
    assert.equal(await simulator.cutConnections(), 1);
    await assert.rejects(pending, TypeError);
  }));

test("an answer that is lost fails the request", () =>
  served({}, async ({ simulator, get }) => {
    await simulator.addRule({ answer: "reset", times: 1 });
    await assert.rejects(get(""), TypeError);
    assert.equal((await get("")).status, 200);
  }));

test("a client that goes away closes its stream in the simulator", () =>
  served({ pace: 0.001 }, async ({ simulator, get }) => {
    const controller = new AbortController();
    const waiting = await get("/stream", { signal: controller.signal });
    await simulator.addRule({ endpoints: ["getRun"], answer: "never" });
    const unanswered = get("", { signal: controller.signal });
    unanswered.catch(() => {});
    await until(() => simulator.openConnections === 2);
    controller.abort();
    await assert.rejects(waiting.text());
    await until(() => simulator.openConnections === 0);
    assert.equal((await simulator.counters()).streamsOpen, 0);
  }));

test("a client that does not read is not sent the whole run", () =>
  served({ pace: "demand", scenario: "long:1000000" }, async ({ simulator, server, path }) => {
    const response = await new Promise((resolve) =>
      request(`${server.url}${path}/stream`, { headers: key }, resolve).end(),
    );
    response.pause();
    let before = -1;
    await until(async () => {
      const { streamBytes } = await simulator.counters();
      const still = streamBytes === before;
      before = streamBytes;
      await delay(50);
      return still;
    });
    assert.ok(before < 30_000_000, `${before} bytes lie in buffers`);
    response.destroy();
    await until(() => simulator.openConnections === 0);
  }));

test("answers without a body, HEAD and preflights work", () =>
  served({ cors: { refuseHeaders: ["last-event-id"] } }, async ({ simulator, server, path, get }) => {
    assert.equal((await get("/stream", { method: "HEAD" })).status, 200);
    await simulator.addRule({ endpoints: ["stream"], answer: { body: { status: 204 } }, times: 1 });
    const empty = await get();
    assert.deepEqual([empty.status, await empty.text()], [204, ""]);
    const preflight = await new Promise((resolve) =>
      request(
        `${server.url}${path}/stream`,
        {
          method: "OPTIONS",
          headers: {
            origin: "https://app.example",
            "access-control-request-method": "GET",
            "access-control-request-headers": "authorization,last-event-id",
          },
        },
        resolve,
      ).end(),
    );
    preflight.resume();
    assert.equal(preflight.statusCode, 204);
    assert.equal(preflight.headers["access-control-allow-headers"], "authorization");
  }));

test("a redirect is passed on, not followed", () =>
  served({}, async ({ simulator, get }) => {
    await simulator.addRule({ answer: { redirect: { location: "https://other.example$PATH" } }, times: 1 });
    const response = await get("", { redirect: "manual" });
    assert.equal(response.status, 307);
    assert.match(response.headers.get("location"), /^https:\/\/other\.example\/v1\/agents\//);
  }));

test("closing ends open streams and frees the port", async () => {
  const { simulator, path } = await start({ pace: 0.001 });
  const server = await listen(simulator);
  const response = await fetch(`${server.url}${path}/stream`, { headers: key });
  await server.close();
  await assert.rejects(response.text());
  await until(() => simulator.openConnections === 0);
  const again = await listen(simulator, { port: server.port });
  await again.close();
});

test("a server with other things to serve can take it in", async () => {
  const { simulator, path } = await start({ pace: "instant" });
  const api = requestListener(simulator);
  const server = createServer((incoming, outgoing) =>
    incoming.url.startsWith("/v1/") ? api(incoming, outgoing) : outgoing.end("page"),
  );
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  assert.equal(await (await fetch(url)).text(), "page");
  assert.match(await (await fetch(`${url}${path}/stream`, { headers: key })).text(), /event: done/);
  server.close();
  server.closeAllConnections();
});
