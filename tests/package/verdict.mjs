// Judges what a runtime says it followed against what the simulator says a client must have seen.

import assert from "node:assert/strict";
import { createSimulator } from "runwire/testing";
import { runOptions, seed } from "./programs/follow.mjs";

let expected;

/** Equal seeds give equal runs: this one is the runtime's, ids included. */
async function expectedRun() {
  const sim = createSimulator({ seed });
  const { agentId, runId } = await sim.startRun(runOptions);
  return { agentId, runId, messages: await sim.expectedMessages(runId) };
}

/** Throws unless `result` holds every message of the run, in order and once. */
export async function assertFollowed(result) {
  expected ??= expectedRun();
  const { agentId, runId, messages } = await expected;
  assert.ok(
    messages.filter(({ type }) => type === "assistant").length > 5,
    "the scenario has text to follow",
  );
  assert.ok(
    messages.filter(({ type }) => type === "tool_call").length > 5,
    "the scenario has tools to follow",
  );

  assert.deepEqual([result.agentId, result.runId], [agentId, runId]);
  // Which statuses are sent depends on when one connects.
  assert.deepEqual(
    result.messages.filter(({ type }) => type !== "status"),
    messages,
  );
}
