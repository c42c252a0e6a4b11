// The code in docs/ does what the text around it says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "runwire";
import { createSimulator } from "runwire/testing";
import { runGuide } from "../lib/guide.mjs";

test("callbacks.md", async () => {
  const simulator = createSimulator({ scenario: "coding", pace: "instant" });
  const { agentId, runId } = await simulator.startRun();
  const options = { runtime: "cloud", agentId, apiKey: "key", fetch: simulator.fetch };
  const seen = { output: "", terminal: "", steps: [], printed: [] };
  const into = (name) => ({
    append: (words) => {
      seen[name] += words;
    },
  });
  const scope = {
    ...{ Agent, runId, options, output: into("output"), terminal: into("terminal") },
    store: async (step) => void seen.steps.push(step),
    print: (line) => seen.printed.push(line),
  };
  const { status, usage, tokens } = await runGuide("callbacks.md", scope, ["status", "usage", "tokens"]);
  assert.equal(status, "finished");
  assert.equal(tokens, usage.totalTokens);
  assert.equal(seen.output, await simulator.expectedText(runId));
  assert.ok(seen.terminal.length > 0);
  const texts = seen.steps
    .filter(({ type }) => type === "assistantMessage")
    .map(({ message }) => message.text);
  assert.equal(texts.join(""), seen.output);
  assert.match(seen.printed[0], /^> Columns are wrong/);
  assert.match(seen.printed.join("\n"), /\(thought for 4150 ms\)\n[\s\S]*read src\/lexer.ts: success\n/);
  assert.equal(seen.printed.length, seen.steps.length + 1);
});
