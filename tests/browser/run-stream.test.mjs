// run.stream() in a browser: its shape, and that leaving it closes the connection at the server.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { outcomeInPage } from "../lib/bundled-page.mjs";
import { frames, runHandler } from "../lib/run-service.mjs";

const page = join(import.meta.dirname, "pages", "run-stream.mjs");

/** The run, each stream three messages long and then held; and what the page asks about its connections. */
function service() {
  let closed = 0;
  const waiting = new Set();
  const { handler, connections } = runHandler((response) => {
    response.write(frames(0, 3));
    response.on("close", () => {
      closed++;
      for (const check of [...waiting]) check();
    });
  });
  const answer = (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    if (pathname === "/connections") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ opened: connections.length }));
    } else if (pathname === "/closed") {
      const check = () => {
        if (closed < Number(searchParams.get("count"))) return;
        waiting.delete(check);
        response.writeHead(200).end();
      };
      waiting.add(check);
      check();
    } else if (pathname.startsWith("/refused/")) {
      response.writeHead(403, { "content-type": "application/json", "x-request-id": "req-7" });
      response.end(`{"error":{"code":"role_forbidden","message":"why"}}`);
    } else {
      handler(request, response);
    }
  };
  return { answer, connections };
}

function assertSeen({ iterated, read, overlapping, closing, foreign, refused }) {
  assert.deepEqual(iterated, [0, 1, 2]);
  assert.deepEqual(read, [0, 1]);
  assert.deepEqual(overlapping, [0, 1, 2]);
  assert.deepEqual(Object.keys(closing), ["break", "return", "cancel", "reader", "tee", "abort"]);
  for (const [name, ms] of Object.entries(closing)) assert.ok(ms < 100, `${name}: ${ms} ms`);
  assert.deepEqual(foreign, [false, 0]);
  assert.deepEqual(refused, {
    name: "UnknownAgentError",
    code: "role_forbidden",
    status: 403,
    requestId: "req-7",
    message: "[role_forbidden] why",
  });
}

// The browser says on the console that the refused request was refused.
const expected = ["/refused/", "status of 403"];

test("it is read in every way, and leaving it closes the connection within 100 ms", async () => {
  const { answer, connections } = service();
  const seen = await outcomeInPage(page, {
    answer,
    expected: [...expected, "request failed: http://127.0.0.1"],
  });
  assert.equal(seen.iterable, true);
  assertSeen(seen);
  assert.ok(connections.length >= 10, `${connections.length}`);
  for (const { request } of connections)
    assert.equal(request.headers.authorization, "Bearer key-of-the-test");
});

test("it is read in every way where ReadableStream is not iterable", async () => {
  const before = (opened) =>
    opened.evaluateOnNewDocument(() => {
      delete ReadableStream.prototype[Symbol.asyncIterator];
      delete ReadableStream.prototype.values;
    });
  const seen = await outcomeInPage(page, {
    answer: service().answer,
    before,
    expected: [...expected, "request failed: http://127.0.0.1"],
  });
  assert.equal(seen.iterable, false);
  assertSeen(seen);
});
