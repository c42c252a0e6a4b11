// The service of programs/api-tour.mjs over HTTP, and what the tour must have seen of it.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createSimulator } from "runwire/testing";
import { listen, requestListener } from "runwire/testing/node";
import { apiKey } from "../package/programs/api-tour.mjs";

/**
 * Hands the service to `work`, as a request listener and as the address that it has, and judges what comes of it.
 * Files, and what has moved, are on another origin.
 * @param {(service: { serve: import("node:http").RequestListener, baseUrl: string }) => Promise<object>} work
 * @param {{ isPage?: boolean }} [options] pages do not see where they are redirected
 */
export async function withTourService(work, { isPage = false } = {}) {
  const simulator = createSimulator({ basePath: "/api", auth: { keys: [apiKey] }, cors: {} });
  const other = createSimulator({ basePath: "/api", auth: { keys: [apiKey] }, cors: {} });
  const elsewhere = await listen(other);
  const serve = requestListener(simulator);
  const server = createServer(serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await prepare(simulator, elsewhere.url);
    const seen = await work({ serve, baseUrl: `http://127.0.0.1:${server.address().port}/api` });
    await assertToured(seen, { simulator, other, isPage });
  } finally {
    server.closeAllConnections();
    await Promise.all([elsewhere.close(), new Promise((resolve) => server.close(resolve))]);
  }
}

async function prepare(simulator, elsewhere) {
  await simulator.setService({ artifactOrigin: elsewhere });
  const cuts = [{ connection: 1, afterFrames: 20, how: "reset" }];
  await simulator.planRuns({ pace: "instant", faults: { stream: { cuts } } }, { pace: 1 });
  for (const rule of [
    // Creating an agent asks for the models, too.
    { endpoints: ["models"], skip: 1, times: 1, answer: { redirect: { location: "/api$PATH" } } },
    { endpoints: ["repositories"], times: 2, answer: { redirect: { location: `${elsewhere}/api$PATH` } } },
    { endpoints: ["archive"], answer: { error: { status: 503 } } },
    { endpoints: ["unarchive"], answer: "reset" },
    { endpoints: ["deleteAgent"], answer: "never" },
  ])
    await simulator.addRule(rule);
}

async function assertToured(seen, { simulator, other, isPage }) {
  const log = await simulator.requests();
  const [runId] = log.filter(({ endpoint }) => endpoint === "stream").map(({ path }) => path.split("/")[5]);
  const failed = (name, code, status, operation, isRetryable = false) => ({
    ...{ name, operation, isRetryable, isOfItsClass: true },
    ...(code && { code }),
    ...(status && { status }),
  });
  const redirected = (operation) => failed("ConfigurationError", "redirected", undefined, operation);
  const { text: report } = seen.artifacts.find(({ path }) => path.endsWith(".md"));
  assert.match(report, /^# Report[\s\S]*Größe: 4 kB → 3 kB 🎉\n$/);
  assert.deepEqual(seen, {
    me: "Simulated key",
    created: {
      text: await simulator.expectedText(runId),
      ...{ tools: true, status: "finished", last: "finished", result: "string" },
    },
    busy: failed("AgentBusyError", "agent_busy", 409, "agent.send"),
    cancelled: "cancelled",
    records: ["IDLE", false],
    firstPage: 1,
    runs: ["cancelled", "finished"],
    artifacts: ["artifacts/screenshot.png", "artifacts/report.md", "artifacts/größe & 100%.txt"].map(
      (path) => ({
        ...{ path, isBytes: true, isWhole: true, isSame: true },
        ...(path.endsWith(".md") && { text: report }),
      }),
    ),
    tokens: true,
    moved: isPage ? redirected("Cursor.models.list") : true,
    elsewhere: {
      key: redirected("Cursor.repositories.list"),
      headers: redirected("Cursor.repositories.list"),
    },
    errors: {
      key: failed("AuthenticationError", "unauthorized", 401, "Cursor.me"),
      agent: failed("AgentNotFoundError", "agent_not_found", 404, "Agent.get"),
      id: failed("AgentNotFoundError", "agent_not_found", undefined, "Agent.get"),
      option: failed("ConfigurationError", "invalid_option", undefined, "Cursor.me"),
      unavailable: failed("NetworkError", "feature_unavailable", 503, "Agent.archive", true),
      lost: failed("NetworkError", "network_error", undefined, "Agent.unarchive", true),
      late: failed("NetworkError", "timeout", undefined, "Agent.delete", true),
      aborted: true,
    },
    requests: [
      "GET /v1/me #1: 200",
      ...[1, 2, 3].map((attempt) => `POST /v1/agents/bc/archive #${attempt}: 503`),
      ...[1, 2, 3].map((attempt) => `POST /v1/agents/bc/unarchive #${attempt}: undefined`),
    ],
  });
  assert.ok(log.filter(({ path }) => path.endsWith(`${runId}/stream`)).length >= 2, "the run was cut");
  const strangers = await other.requests();
  assert.deepEqual(
    strangers.map(({ endpoint }) => endpoint),
    Array(6).fill("artifactFile"),
  );
  assert.doesNotMatch(JSON.stringify(strangers), new RegExp(`${apiKey}|sk-of-the-caller`));
}
