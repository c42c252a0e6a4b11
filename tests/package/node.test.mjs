// The installed package follows a run in Node, from ES modules and from CommonJS.

import assert from "node:assert/strict";
import { test } from "node:test";
import { breakEngine, inProject, printedBy } from "./project.mjs";
import { assertFollowed } from "./verdict.mjs";

const runNode = (dir, program) => printedBy(dir, [process.execPath, "--no-warnings", program]);

test("a run is followed in Node by import", () =>
  inProject("node-esm", async (dir) => assertFollowed(await runNode(dir, "node.mjs"))));

test("a run is followed in Node by require()", () =>
  inProject("node-cjs", async (dir) => assertFollowed(await runNode(dir, "node.cjs"))));

test("a package without its engine is seen to fail in Node", () =>
  inProject("node-broken", async (dir) => {
    breakEngine(dir);
    await assert.rejects(runNode(dir, "node.mjs"), /WebAssembly|engine/);
  }));

test("a run that came incomplete, doubled or out of order is not taken for followed", () =>
  inProject("node-verdict", async (dir) => {
    const whole = await runNode(dir, "node.mjs");
    const at = whole.messages.findIndex(({ type }) => type === "assistant");
    const changes = [
      (messages) => messages.splice(at, 1),
      (messages) => messages.splice(at, 0, messages[at]),
      (messages) => messages.reverse(),
      (messages) => messages.splice(0),
    ];
    for (const change of changes) {
      const messages = [...whole.messages];
      change(messages);
      await assert.rejects(assertFollowed({ ...whole, messages }), assert.AssertionError);
    }
  }));
