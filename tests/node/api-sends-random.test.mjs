// agent.send() under random trouble: as many runs as there were calls at most, and each call that gives a run has its
// own. The service executes each POST that reaches it, knows no idempotency keys, and its runs are over at once, so
// nothing but the client keeps a second one from being started.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, CursorSdkError, init } from "runwire";
import { createSimulator } from "runwire/testing";
import { pick, randomOf } from "../lib/random.mjs";

await init();

const SEEDS = process.env.RUNWIRE_TEST_RELEASE ? 2_000 : 150;

const losses = [
  "reset",
  { error: { status: 500 } },
  { error: { status: 503, retryAfter: { seconds: 0 } } },
  { error: { status: 408 } },
  { body: { status: 200, contentType: "text/html", text: "<html>" } },
  { body: { status: 201, contentType: "application/json", text: '{"run":' } },
];
const refusals = [429, 400, 403].map((status) => ({ error: { status } }));

const totals = { runs: 0, errors: 0, again: 0 };

for (let part = 0; part < 5; part++) {
  test(`random trouble, part ${part + 1}`, async () => {
    for (let seed = part; seed < SEEDS; seed += 5) await one(seed);
  });
}

async function one(seed) {
  const random = randomOf(seed + 1);
  const simulator = createSimulator({ pace: "instant", idempotency: false, seed: seed + 1 });
  await simulator.ready();
  const given = { apiKey: "key", fetch: simulator.fetch, retry: { minDelayMs: 1, maxDelayMs: 2 } };
  const rule = (endpoints, answers, execute) =>
    simulator.addRule({
      endpoints,
      answer: pick(random, answers),
      execute,
      skip: random(3),
      times: 1 + random(2),
    });
  for (let count = 0; count < 4; count++) {
    await rule(["createAgent", "createRun"], random(5) > 0 ? losses : refusals, random(2) > 0);
    if (random(2) > 0) await rule(["getAgent", "getRun"], [...losses, ...refusals], false);
  }
  const agent = await Agent.create(given);
  const sent = [];
  const story = () => `seed ${seed}: ${sent.map((one) => one.id ?? one.code ?? one).join(", ")}`;
  for (let round = 0; round < 4; round++) {
    const calls = Array.from({ length: random(3) === 0 ? 2 : 1 }, (_, nth) =>
      agent.send(`${round}.${nth}`).catch((error) => error),
    );
    sent.push(...(await Promise.all(calls)));
  }
  const runs = sent.filter((one) => !(one instanceof Error));
  for (const error of sent.filter((one) => one instanceof Error)) {
    assert.ok(error instanceof CursorSdkError, `${story()}: ${error.stack}`);
  }
  const { runs: started } = await simulator.counters();
  assert.equal(new Set(runs.map(({ id }) => id)).size, runs.length, `one run for two calls: ${story()}`);
  assert.ok(started <= sent.length, `${started} runs: ${story()}`);
  // What was sent for each of them has been executed once at most.
  const executed = (await simulator.requests()).filter(
    ({ method, executed, outcome }) => method === "POST" && executed && outcome.status === 201,
  );
  totals.runs += runs.length;
  totals.errors += sent.length - runs.length;
  totals.again += (await simulator.requests()).filter(({ method }) => method === "POST").length - sent.length;
  const prompts = executed.map(({ body }) => JSON.parse(body).prompt.text);
  assert.equal(new Set(prompts).size, prompts.length, `twice: ${prompts.join(", ")}: ${story()}`);
}

test("there was trouble of all kinds", () => {
  for (const [name, count] of Object.entries(totals)) assert.ok(count > SEEDS / 10, `${name}: ${count}`);
});
