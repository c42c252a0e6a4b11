// agent.send(): one run for one call, whatever becomes of the answers. The service executes each POST that reaches it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, AgentBusyError, ConfigurationError, init, NetworkError } from "runwire";
import { createSimulator } from "runwire/testing";

await init();

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
const quick = { minDelayMs: 1, maxDelayMs: 2 };

/** A service that knows nothing of idempotency keys, and options to reach it. */
async function service(options = {}) {
  const simulator = createSimulator({ pace: "instant", idempotency: false, ...options });
  await simulator.ready();
  const posts = async () => (await simulator.requests()).filter(({ method }) => method === "POST");
  return { simulator, posts, given: { fetch: simulator.fetch, apiKey: "key-of-the-test", retry: quick } };
}

/** How an answer can be lost. */
const losses = {
  "the connection breaks": "reset",
  "the answer is a 500": { error: { status: 500 } },
  "the answer is a 503": { error: { status: 503 } },
  "the answer is no JSON": { body: { status: 200, contentType: "text/html", text: "<html>" } },
  "the answer is cut": { body: { status: 201, contentType: "application/json", text: '{"agent":{"id":' } },
  "the answer is empty": { body: { status: 200, contentType: "application/json", text: "{}" } },
};

for (const [loss, answer] of Object.entries(losses)) {
  for (const execute of [true, false]) {
    const name = `${loss} and the service has ${execute ? "" : "not "}done it`;

    test(`create: ${name}: one run`, async () => {
      const { simulator, posts, given } = await service();
      await simulator.addRule({ endpoints: ["createAgent"], times: 1, execute, answer });
      const agent = await Agent.create(given);
      const run = await agent.send("Hello");
      assert.equal((await simulator.counters()).runs, 1);
      assert.equal(run.agentId, agent.agentId);
      assert.equal((await run.wait()).status, "finished");
      const sent = await posts();
      assert.equal(sent.length, execute ? 1 : 2);
      // The same request, under the same key.
      const keys = sent.map(({ headers }) => new Map(headers).get("idempotency-key"));
      assert.match(keys[0], new RegExp(`^${UUID}$`));
      assert.deepEqual([...new Set(keys)].length, 1);
      assert.deepEqual([...new Set(sent.map(({ body }) => body))].length, 1);
    });

    test(`follow-up: ${name}: one run`, async () => {
      const { simulator, given } = await service();
      const first = await Agent.create(given);
      await (await first.send("Hello")).wait();
      for (const agent of [first, await Agent.resume(first.agentId, given)]) {
        const { runs } = await simulator.counters();
        await simulator.addRule({ endpoints: ["createRun"], times: 1, execute, answer });
        const run = await agent.send("And now?");
        assert.equal((await simulator.counters()).runs, runs + 1);
        assert.equal((await run.wait()).status, "finished");
      }
    });
  }
}

test("where nothing ever gets through it is tried three times, and then told", async () => {
  const { simulator, posts, given } = await service();
  await simulator.addRule({ endpoints: ["createAgent"], answer: "reset" });
  const agent = await Agent.create(given);
  await assert.rejects(agent.send("Hello"), (error) => error instanceof NetworkError && error.isRetryable);
  assert.equal((await posts()).length, 3);
  // A later call of the same handle is another call, with another key.
  await simulator.clearRules();
  await (await agent.send("Hello")).wait();
  const keys = (await posts()).map(({ headers }) => new Map(headers).get("idempotency-key"));
  assert.equal(new Set(keys).size, 2);
});

test("where it cannot be told whether there is a run, nothing is sent again", async () => {
  const { simulator, posts, given } = await service();
  await simulator.addRule({ endpoints: ["createAgent"], execute: true, answer: "reset" });
  await simulator.addRule({ endpoints: ["getAgent"], answer: { error: { status: 500 } } });
  const agent = await Agent.create(given);
  await assert.rejects(agent.send("Hello"), /the run may have been started: look at the agent's runs/);
  assert.equal((await posts()).length, 1);

  // With envVars the service gives the id, and nobody here knows it.
  const other = await service();
  await other.simulator.addRule({ endpoints: ["createAgent"], execute: true, answer: "reset" });
  const nameless = await Agent.create({ ...other.given, cloud: { envVars: { A: "b" } } });
  await assert.rejects(nameless.send("Hello"), /the run may have been started/);
  assert.equal((await other.posts()).length, 1);
});

test("what is refused is told at once, and nothing is sent again", async () => {
  for (const [status, code] of [
    [400, "validation_error"],
    [401, "unauthorized"],
    [402, "plan_required"],
    [403, "role_forbidden"],
    [404, "agent_not_found"],
    [409, "agent_archived"],
  ]) {
    const { simulator, posts, given } = await service();
    await simulator.addRule({ endpoints: ["createAgent"], answer: { error: { status, code } } });
    const agent = await Agent.create(given);
    await assert.rejects(agent.send("Hello"), { code, status });
    assert.equal((await posts()).length, 1);
  }
});

test("an id that is taken is an error, unless this very call may have taken it", async () => {
  const { simulator, given } = await service();
  const first = await Agent.create(given);
  await (await first.send("Hello")).wait();
  const second = await Agent.create({ ...given, agentId: first.agentId });
  await assert.rejects(second.send("Something else"), { code: "agent_id_conflict" });
  await assert.rejects(second.send("Something else"), { code: "agent_id_conflict" });
  assert.equal((await simulator.counters()).runs, 1);
});

test("429 is waited out, for nothing has been done", async () => {
  const { simulator, posts, given } = await service();
  await simulator.addRule({ endpoints: ["createAgent"], times: 2, answer: { error: { status: 429 } } });
  await (await (await Agent.create(given)).send("Hello")).wait();
  assert.equal((await posts()).length, 3);
});

test("a busy agent is an AgentBusyError, except for a moment after its run was cancelled", async () => {
  const { simulator, given } = await service({ pace: 1 });
  const agent = await Agent.create(given);
  const run = await agent.send("Hello");
  await assert.rejects(agent.send("And?"), AgentBusyError);
  await run.cancel();
  const busy = { error: { status: 409, code: "agent_busy" } };
  await simulator.addRule({ endpoints: ["createRun"], times: 1, answer: busy });
  const next = await agent.send("And now?");
  assert.notEqual(next.id, run.id);
  await next.cancel();
});

test("a closed handle sends nothing", async () => {
  const { posts, given } = await service();
  const agent = await Agent.create(given);
  agent.close();
  agent.close();
  const refused = (error) => error instanceof ConfigurationError && error.code === "closed";
  await assert.rejects(agent.send("Hello"), refused);
  await assert.rejects(agent.reload(), refused);
  await assert.rejects(agent.listArtifacts(), refused);
  assert.equal((await posts()).length, 0);
});

test("closing the handle ends its runs' streams, and the run goes on", async () => {
  const { simulator, given } = await service({ pace: 1 });
  const agent = await Agent.create(given);
  const run = await agent.send("Hello");
  const stream = run.stream();
  await stream.next();
  agent.close();
  await assert.rejects(
    async () => {
      for await (const _ of stream);
    },
    { code: "closed" },
  );
  assert.match(await simulator.runState(run.id), /^(CREATING|RUNNING)$/);
  assert.equal(simulator.openConnections, 0);
});

test("an abort ends the call with the signal's reason", async () => {
  const { simulator, given } = await service();
  await simulator.addRule({ endpoints: ["createAgent"], answer: "never" });
  const agent = await Agent.create(given);
  const controller = new AbortController();
  const sending = agent.send("Hello", { signal: controller.signal });
  setImmediate(() => controller.abort(new Error("mine")));
  await assert.rejects(sending, /^Error: mine$/);
  assert.equal(simulator.openConnections, 0);
});

test("timeoutMs bounds the call", async () => {
  const { simulator, given } = await service();
  await simulator.addRule({ endpoints: ["createAgent"], answer: "never" });
  await simulator.addRule({ endpoints: ["getAgent"], answer: "never" });
  const agent = await Agent.create(given);
  await assert.rejects(agent.send("Hello", { timeoutMs: 20 }), { code: "timeout" });
});
