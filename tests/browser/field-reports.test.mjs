// What has broken for other clients in browsers only; row and thread in docs/field-reports.md.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createSimulator } from "runwire/testing";
import { listen } from "runwire/testing/node";
import { outcomeInPage } from "../lib/bundled-page.mjs";

const page = join(import.meta.dirname, "pages", "field-reports.mjs");

// 72: dunglas/mercure #535, 19: Azure/fetch-event-source #39
test("a refused preflight is bounded, named, and avoided by the query, also in a worker", async () => {
  const frames = [1, 2, 3, 4, 5].map((n) => ({
    event: "tool_call",
    id: `${n}`,
    data: { callId: `${n}`, name: "t", status: "running" },
  }));
  const end = { event: "result", id: "6", data: { status: "FINISHED" } };
  const simulator = createSimulator({
    scenario: { frames: [...frames, end] },
    pace: "demand",
    cors: { refuseHeaders: ["last-event-id"] },
    faults: { stream: { cuts: [1, 2].map((connection) => ({ connection, afterFrames: 3, how: "end" })) } },
  });
  const server = await listen(simulator);
  try {
    const run = await simulator.startRun();
    const answer = (request, response) => {
      response.writeHead(request.url === "/run" ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...run, baseUrl: server.url }));
    };
    // The browser says that it refused.
    const seen = await outcomeInPage(page, { answer, expected: [server.url, "net::", "CORS policy"] });
    const { count, failure } = seen.header;
    assert.ok(count >= 2, `${count}`);
    assert.deepEqual([failure?.name, failure?.code], ["NetworkError", "network_error"]);
    assert.match(failure.message, /preflight.*Last-Event-ID.*lastEventIdIn/);
    assert.deepEqual(seen.query, { count: 5 });
    assert.deepEqual(seen.worker, { count: 5 });
    const log = await simulator.requests();
    const streams = log.filter(({ endpoint }) => endpoint === "stream");
    assert.ok(streams.some(({ path }) => path.includes("?Last-Event-ID=")));
    const preflights = log.filter(({ endpoint }) => endpoint === "preflight");
    assert.ok(preflights.length <= 12, `${preflights.length} preflights`);
  } finally {
    await server.close();
  }
});
