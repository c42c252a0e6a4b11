// Judges what a runtime says it followed against what the simulated service really sent.

import assert from "node:assert/strict";
import { createSimulator } from "runwire/testing";
import { apiKey, baseUrl, runOptions, seed } from "./programs/follow.mjs";

let sent;

/** What the service sends for the run the programs follow, read without the client. */
async function whatWasSent() {
  const sim = createSimulator({ seed });
  const { agentId, runId } = await sim.startRun(runOptions);
  const response = await sim.fetch(`${baseUrl}/v1/agents/${agentId}/runs/${runId}/stream`, {
    headers: { authorization: `Bearer ${apiKey}`, accept: "text/event-stream" },
  });
  assert.equal(response.status, 200);
  const frames = [];
  for (const block of (await response.text()).split("\n\n")) {
    const event = /^event: ?(.*)$/m.exec(block)?.[1];
    const data = /^data: ?(.*)$/m.exec(block)?.[1];
    if (event && data) frames.push({ event, data: JSON.parse(data) });
  }
  return frames;
}

/** Throws unless `result` holds every message of the run, in order and once. */
export async function assertFollowed(result) {
  sent ??= whatWasSent();
  const frames = await sent;
  const of = (type) => frames.filter(({ event }) => event === type);
  const got = (type) => result.messages.filter((message) => message.type === type);

  assert.ok(of("assistant").length > 1, "the scenario has text to follow");
  assert.equal(
    got("assistant")
      .map(({ message }) => message.content[0].text)
      .join(""),
    of("assistant")
      .map(({ data }) => data.text)
      .join(""),
  );
  assert.equal(got("thinking").length, of("thinking").length);
  assert.deepEqual(
    got("tool_call").map(({ call_id, status }) => [call_id, status]),
    of("tool_call").map(({ data }) => [data.callId, data.status]),
  );
  for (const message of result.messages) {
    assert.equal(message.agent_id, result.agentId);
    assert.equal(message.run_id, result.runId);
  }
}
