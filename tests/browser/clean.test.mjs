// What is left in a page when a run has been followed: no connection, no timer, no listener, no rejection.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { outcomeInPage } from "../lib/bundled-page.mjs";

test("however following a run ends, nothing is left of it in a page", async () => {
  const seen = await outcomeInPage(join(import.meta.dirname, "pages", "clean.mjs"));
  assert.ok(Object.keys(seen).length >= 20, `${Object.keys(seen).length} ways`);
  const nothing = { open: 0, timers: 0, listeners: 0, globals: 0, unhandled: [] };
  for (const [name, left] of Object.entries(seen)) assert.deepEqual(left, nothing, name);
});
