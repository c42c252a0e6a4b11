// A stream that is cut at each of its bytes, over real HTTP.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "runwire";
import { createSimulator } from "runwire/testing";
import { listen } from "runwire/testing/node";
import { followAll, startRuns } from "../lib/every-offset.mjs";

test("a stream that is cut at any byte gives what the uncut one gives", async (context) => {
  const simulator = createSimulator();
  const server = await listen(simulator);
  context.after(() => server.close());
  const runs = await startRuns(simulator);
  const { followed, wrong } = await followAll(Agent, runs, { baseUrl: server.url });
  assert.deepEqual(wrong, []);
  assert.ok(followed > 1_500, `${followed} runs`);
});
