// The 150 recorded event streams through the built package in a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { outcomeInPage } from "../lib/bundled-page.mjs";
import { runsOf } from "../lib/event-stream-cases.mjs";

const cases = JSON.parse(readFileSync(new URL("../cases/event-stream.json", import.meta.url), "utf8"));

test("all recorded cases are right, by decoder and by TransformStream", async () => {
  const page = join(import.meta.dirname, "pages", "event-stream-cases.mjs");
  const { streamed, decoded } = await outcomeInPage(page);
  assert.deepEqual(streamed.faults, []);
  assert.equal(streamed.runs, 600);
  assert.deepEqual(decoded.faults, []);
  assert.equal(decoded.runs, runsOf(cases));
});
