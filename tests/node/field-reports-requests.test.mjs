// What has broken in other clients between requests; row and thread in docs/field-reports.md.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { EventTooLargeError, init, NetworkError, openRunStream } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { run, runHandler, runId, turns, withRunServer } from "../lib/run-service.mjs";
import { frame, refusal, scriptedRun, text, whole } from "../lib/scripted-run.mjs";
import { unhandledDuring } from "../lib/unhandled.mjs";

await init();

const HOUR = 3_600_000;
const { agentId, apiKey } = run;
const open = (options) => openRunStream(runId, { agentId, apiKey, ...options });

/** The numbers of the texts of a stream of frames, as they come. */
function reading(stream) {
  const texts = [];
  const end = (async () => {
    for await (const { type, data } of stream)
      if (type === "assistant") texts.push(Number.parseInt(data.text, 10));
  })();
  end.catch(() => {});
  return { texts, end };
}

const html = () =>
  new Response("<html>Please log in</html>", { headers: { "content-type": "text/html; charset=utf-8" } });

// 64: modelcontextprotocol/typescript-sdk #2520
test("a page of HTML in place of the resumed stream is tried again, and shown when it stays", () =>
  withFakeTime(async (clock) => {
    for (const stays of [false, true]) {
      const service = scriptedRun({
        stream(connection, n) {
          if (n === 1) connection.send(text(1), text(2)).end();
          else if (n < 4 || stays) return html();
          else connection.send(text(2), text(3), whole);
        },
      });
      const { texts, end } = reading(open({ fetch: service.fetch, retry: { attempts: 5 } }));
      await clock.advance(HOUR);
      if (!stays) {
        await end;
        assert.deepEqual(texts, [1, 2, 3]);
        continue;
      }
      await assert.rejects(end, (error) => {
        assert.ok(error instanceof NetworkError);
        assert.deepEqual(
          [error.code, error.status, error.contentType, error.body],
          ["not_an_event_stream", 200, "text/html; charset=utf-8", "<html>Please log in</html>"],
        );
        return true;
      });
      assert.deepEqual(texts, [1, 2]);
    }
  }));

// 66: modelcontextprotocol/typescript-sdk #2673
test("a retry of a day waits five minutes, and says so", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream(connection, n) {
        if (n === 1) connection.send("retry: 86400000\n\n", text(1));
        else if (n === 2) return refusal(503, "unavailable");
        else connection.send(text(1), whole);
      },
    });
    const waits = [];
    const onConnection = ({ state, delayMs }) => state === "waiting" && waits.push(delayMs);
    const { end } = reading(open({ fetch: service.fetch, onConnection, retry: { giveUpAfterMs: HOUR } }));
    await turns();
    service.connections[0].fail();
    await clock.advance(HOUR);
    await end;
    assert.ok(waits[0] <= 300_000, "content had come");
    assert.deepEqual(waits.slice(1), [300_000]);
  }));

// 84: freenet/freenet-core #5213
test("a request that is never answered is connecting until it is given up, and tells why", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({ stream: () => new Promise(() => {}) });
    const states = [];
    const onConnection = (connection) => states.push(connection);
    const stream = open({ fetch: service.fetch, onConnection, connectTimeoutMs: 20_000 });
    const pending = stream.next();
    pending.catch(() => {});
    await clock.advance(19_990);
    assert.deepEqual(
      states.map(({ state }) => state),
      ["connecting"],
    );
    await clock.advance(20);
    assert.equal(states.at(-1).state, "waiting");
    assert.ok(states.at(-1).reason instanceof NetworkError);
    assert.equal(service.pending, 0, "the request was aborted");
    await stream.return();
  }));

// 86: GoogleChrome/workbox #2692
test("streams are asked for as such, and past every cache", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(whole) });
  for await (const _ of open({ fetch: service.fetch }));
  const [{ headers, init: sent }] = service.of("stream");
  assert.equal(headers.get("accept"), "text/event-stream");
  assert.equal(sent.cache, "no-store");
});

// 69: KarpelesLab/teamclaude #341
test("a line without an end is an error at maxEventBytes, and its connection is closed", () =>
  withRunServer(
    (response) => {
      response.write(`${text(1)}event: assistant\ndata: `);
      const more = () => {
        while (response.write("x".repeat(16_384)));
      };
      response.on("drain", more);
      more();
    },
    async ({ baseUrl, connections }) => {
      const { texts, end } = reading(open({ baseUrl, maxEventBytes: 1_000_000 }));
      await assert.rejects(end, EventTooLargeError);
      assert.deepEqual(texts, [1]);
      await connections[0].closed;
      assert.equal(connections.length, 1);
    },
  ));

// 46: jpopesculian/reqwest-eventsource #17, 67: modelcontextprotocol/typescript-sdk #270, 98: razshare/sveltekit-sse #73
test("a socket that breaks, and a server that is killed and comes back, are cuts", async () => {
  const states = [];
  const onStream = (response) => {
    const n = connections.length;
    if (n === 1) {
      response.write(text(1) + text(2) + text(3));
      setTimeout(() => response.destroy(), 20);
    } else if (n === 2) {
      response.write(text(3) + text(4));
    } else {
      response.end(text(4) + text(5) + whole);
    }
  };
  const { handler, connections } = runHandler(onStream);
  let server = createServer(handler);
  const listen = (port) => new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address();
  const kill = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  let killed;
  const complaints = await unhandledDuring(async () => {
    const stream = open({
      baseUrl: `http://127.0.0.1:${port}`,
      retry: { minDelayMs: 20, maxDelayMs: 50 },
      onConnection({ state, reason }) {
        states.push(state);
        if (state !== "waiting" || !killed) return;
        assert.ok(reason instanceof NetworkError);
        // Down for a few attempts.
        if (states.filter((name) => name === "waiting").length === 4) {
          server = createServer(handler);
          void listen(port);
        }
      },
    });
    const texts = [];
    for await (const { type, data } of stream) {
      if (type === "assistant") texts.push(Number.parseInt(data.text, 10));
      if (texts.at(-1) === 4 && !killed) killed = kill();
    }
    assert.deepEqual(texts, [1, 2, 3, 4, 5]);
  });
  await killed;
  await kill();
  assert.deepEqual(complaints, []);
  assert.ok(states.filter((name) => name === "waiting").length >= 4, states.join());
  const ids = connections.map(({ request }) => request.headers["last-event-id"]);
  assert.deepEqual(ids, [undefined, "2-0", "3-0"]);
});

/** A body whose pending read outlives its cancel: what it brings late is in nobody's stream. */
function lateBody() {
  let bring;
  const chunks = [new TextEncoder().encode(text(1) + text(2))];
  const read = () =>
    chunks.length > 0
      ? Promise.resolve({ done: false, value: chunks.shift() })
      : new Promise((resolve) => {
          bring = (words) => resolve({ done: false, value: new TextEncoder().encode(words) });
        });
  const reader = { read, cancel: () => Promise.resolve(), releaseLock() {} };
  return { body: { getReader: () => reader }, bring: (words) => bring(words) };
}

// 93: oguzbilgic/kern-ai #16, 41: mpetazzoni/sse.js #83
test("what the old connection brings after it was replaced is dropped", () =>
  withFakeTime(async (clock) => {
    const late = lateBody();
    const service = scriptedRun();
    let old = true;
    const fetch = (url, sent) => {
      if (!url.includes("/stream") || !old) return service.fetch(url, sent);
      old = false;
      const headers = new Headers({ "content-type": "text/event-stream" });
      return Promise.resolve({ status: 200, headers, body: late.body });
    };
    const { texts, end } = reading(open({ fetch }));
    await clock.advance(62_000);
    assert.equal(service.connections.length, 1, "silent for a minute: replaced");
    late.bring(text(3, "3; of the old one") + text(4).slice(0, 20));
    await turns();
    service.connections[0].send(text(2), text(3), text(4), whole);
    await end;
    assert.deepEqual(texts, [1, 2, 3, 4]);
    assert.equal(service.count("stream"), 1);
  }));

test("what an earlier attempt threw is not the cause of what the service says later", () =>
  withFakeTime(async (clock) => {
    const thrown = new TypeError("fetch failed");
    const service = scriptedRun({
      stream(connection, n) {
        if (n === 1) throw thrown;
        connection.send(frame("error", { code: "forbidden", message: "No" }));
      },
    });
    const reasons = [];
    const onConnection = ({ state, reason }) => state === "waiting" && reasons.push(reason.cause);
    const { end } = reading(open({ fetch: service.fetch, onConnection }));
    await clock.advance(10_000);
    await assert.rejects(end, ({ code, cause }) => code === "forbidden" && cause === undefined);
    assert.deepEqual(reasons, [thrown]);
  }));

test("a key that is there only after a newer attempt makes no request", () =>
  withFakeTime(async (clock) => {
    for (const option of ["apiKey", "headers"]) {
      const service = scriptedRun({ stream: (connection) => void connection.send(text(1), whole) });
      const asked = [];
      const value = (n) => (option === "apiKey" ? `key-${n}` : { authorization: `Bearer key-${n}` });
      const slow = () => new Promise((resolve) => asked.push(resolve));
      const { texts, end } = reading(
        open({ fetch: service.fetch, connectTimeoutMs: 10_000, [option]: slow }),
      );
      await clock.advance(11_000);
      assert.equal(asked.length, 2, "the first attempt was given up");
      asked[0](value(1));
      await turns();
      assert.equal(service.requests.length, 0, option);
      asked[1](value(2));
      await end;
      assert.deepEqual(texts, [1]);
      assert.deepEqual(
        service.requests.map(({ headers }) => headers.get("authorization")),
        ["Bearer key-2"],
      );
    }
  }));
