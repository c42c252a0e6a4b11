// The host of programs/session-tour.mjs over HTTP, and what the tour must have seen of it.

import assert from "node:assert/strict";
import { createSessionHost } from "runwire/host";
import { listen, requestListener } from "runwire/host/node";
import { runQuery } from "runwire/kit";
import { agent } from "./tool-session.mjs";

/**
 * Hands the host to `work`, as a request listener and as the address that it has, and judges what comes of it.
 * @param {(service: { serve: import("node:http").RequestListener, url: string }) => Promise<object>} work
 */
export async function withSessionService(work) {
  const host = createSessionHost({ query: agent().query, authorize: "public", basePath: "/agent" });
  const server = await listen(host);
  try {
    await assertSessionToured(await work({ serve: requestListener(host), url: `${server.url}/agent` }));
    assert.deepEqual(
      host.sessions.map(({ status, readers }) => ({ status, readers })),
      Array(3).fill({ status: "FINISHED", readers: 0 }),
    );
  } finally {
    await server.close();
    await host.close();
  }
}

const said = (words) => words.match(/\S+\s*/g).map((text) => ({ type: "text", text }));
const usage = { inputTokens: 10, cacheReadTokens: 0, outputTokens: 5, costUsd: 0.01 };
const ended = { type: "turn-end", status: "success", failed: false, errorText: "", usage };

/** Throws unless the tour has seen what there was to see. */
export async function assertSessionToured(seen) {
  const { query, converse } = agent();
  const conversation = await converse(runQuery, { query });
  assert.equal(conversation.length, 28);
  assert.deepEqual(seen, {
    ...{ ofQuery: conversation, ofLines: conversation, ofEvents: conversation },
    ...{ ofHost: conversation, decoded: conversation },
    prompt: [...said("You said: Only this"), { ...ended, resultText: "You said: Only this" }],
    asked: "You said: Hello",
    commands: [{ name: "help", description: "Helps", argumentHint: "" }],
    usage: { percentage: 1, totalTokens: 20, maxTokens: 2_000 },
    interrupt: { still_queued: [] },
    interrupted: [
      { type: "info", text: "Waiting", level: "info" },
      { ...ended, status: "error_during_execution", failed: true, resultText: null },
    ],
    carriedOn: [...said("You said: Once more").slice(1), { ...ended, resultText: "You said: Once more" }],
    closed: { done: true },
    missing: { name: "ConfigurationError", code: "session_not_found", status: 404 },
  });
}
