// A stream that is cut at each of its bytes, over real HTTP, in Chromium.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createSimulator } from "runwire/testing";
import { requestListener } from "runwire/testing/node";
import { outcomeInPage } from "../lib/bundled-page.mjs";
import { startRuns } from "../lib/every-offset.mjs";

const page = join(import.meta.dirname, "pages", "every-offset.mjs");

test("a stream that is cut at any byte gives what the uncut one gives", async () => {
  const simulator = createSimulator();
  const runs = await startRuns(simulator);
  const serve = requestListener(simulator);
  const answer = (request, response) => {
    if (request.url === "/runs") response.end(JSON.stringify(runs));
    else serve(request, response);
  };
  // What is cut shows on the browser's console.
  const expected = ["request failed", "net::ERR"];
  const { followed, wrong } = await outcomeInPage(page, { answer, expected });
  assert.deepEqual(wrong, []);
  assert.ok(followed > 1_500, `${followed} runs`);
});
