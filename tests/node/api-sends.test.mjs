// agent.send(), one after another and at once: each starts its own run or says that it may have, and none takes
// another's for its own. The service executes each POST that reaches it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, AgentBusyError, init } from "runwire";
import { createSimulator } from "runwire/testing";
import { turns } from "../lib/run-service.mjs";

await init();

const quick = { minDelayMs: 1, maxDelayMs: 2 };
const UNCERTAIN = /the run may have been started: look at the agent's runs before sending again/;

async function service(options = {}) {
  const simulator = createSimulator({ pace: "instant", idempotency: false, ...options });
  await simulator.ready();
  const given = { fetch: simulator.fetch, apiKey: "key-of-the-test", retry: quick };
  const asked = async () => (await simulator.requests()).map(({ endpoint }) => endpoint);
  const runs = async () => (await simulator.counters()).runs;
  return { simulator, given, asked, runs };
}

/** An agent that has had a run, with no requests but those to come. */
async function known(options) {
  const made = await service(options);
  const agent = await Agent.create(made.given);
  const run = await agent.send("Hello");
  await run.wait();
  await made.simulator.clearRequests();
  return { ...made, agent, run };
}

test("calls at the same time are sent one after the other, and each has its own run", async () => {
  const { simulator, given, runs } = await service();
  const agent = await Agent.create(given);
  // The second one's request does not get through at first: the first one's run is not its.
  await simulator.addRule({ endpoints: ["createRun"], times: 1, answer: "reset" });
  const [first, second] = await Promise.all([agent.send("One"), agent.send("Two")]);
  assert.notEqual(first.id, second.id);
  assert.equal(await runs(), 2);
  const posts = (await simulator.requests()).filter(({ method }) => method === "POST");
  assert.deepEqual(
    posts.map(({ body }) => JSON.parse(body).prompt.text),
    ["One", "Two", "Two"],
  );
});

test("one that is aborted while it waits for another sends nothing, and does not let a third one pass", async () => {
  const { simulator, given } = await service();
  const agent = await Agent.create(given);
  await simulator.addRule({ endpoints: ["createAgent"], answer: "pass", delayMs: 30 });
  const controller = new AbortController();
  const first = agent.send("One");
  const second = agent.send("Two", { signal: controller.signal });
  const third = agent.send("Three");
  controller.abort(new Error("mine"));
  await assert.rejects(second, /^Error: mine$/);
  assert.notEqual((await first).id, (await third).id);
  const posts = (await simulator.requests()).filter(({ method }) => method === "POST");
  assert.deepEqual(
    posts.map(({ body }) => JSON.parse(body).prompt.text),
    ["One", "Three"],
  );
});

test("a follow-up whose fate is not known is not taken for the next one", async () => {
  const { simulator, given, agent, runs } = await known();
  await simulator.addRule({ endpoints: ["createRun"], times: 1, execute: true, answer: "reset" });
  const forget = await simulator.addRule({ endpoints: ["getAgent"], answer: { error: { status: 500 } } });
  const lost = await agent.send("Lost").catch((error) => error);
  assert.match(lost.message, UNCERTAIN);
  assert.match(lost.stack, UNCERTAIN);
  assert.equal(lost.code, "network_error");
  await forget();
  // Its run is there by now. The next one's request does not get through at first.
  await simulator.addRule({ endpoints: ["createRun"], times: 1, answer: "reset" });
  const before = await runs();
  const { latestRunId } = await Agent.get(agent.agentId, given);
  const run = await agent.send("Next");
  assert.notEqual(run.id, latestRunId);
  assert.equal(await runs(), before + 1);
});

test("a prompt that may have created the agent may be sent again; another one is not taken for it", async () => {
  const { simulator, given, runs } = await service();
  for (const again of ["Hello", "Something else"]) {
    await simulator.addRule({ endpoints: ["createAgent"], times: 1, execute: true, answer: "reset" });
    const forget = await simulator.addRule({ endpoints: ["getAgent"], answer: { error: { status: 500 } } });
    const agent = await Agent.create(given);
    await assert.rejects(agent.send("Hello"), UNCERTAIN);
    await forget();
    const before = await runs();
    if (again === "Hello") {
      const run = await agent.send(again);
      assert.equal((await agent.reload()).latestRunId, run.id);
    } else {
      await assert.rejects(agent.send(again), { code: "agent_id_conflict" });
    }
    assert.equal(await runs(), before);
  }
});

test("a signal that aborts a create leaves it in doubt, too", async () => {
  const { simulator, given, runs } = await service();
  await simulator.addRule({ endpoints: ["createAgent"], times: 1, execute: true, answer: "never" });
  const agent = await Agent.create(given);
  await assert.rejects(agent.send("Hello", { signal: AbortSignal.timeout(10) }), { name: "TimeoutError" });
  const run = await agent.send("Hello");
  assert.equal((await run.wait()).status, "finished");
  assert.equal(await runs(), 1);
});

test("what cannot be told is not guessed: no newest run, another agent's run, no record of it", async () => {
  const json = (value) => ({ body: { contentType: "application/json", text: JSON.stringify(value) } });
  const { simulator, given, agent, asked, run } = await known();
  for (const [endpoint, answer] of [
    ["getAgent", json({ id: agent.agentId, status: "IDLE" })],
    ["getAgent", json([])],
    ["getAgent", { error: { status: 404, code: "agent_not_found" } }],
    ["getRun", json({ id: run.id, agentId: "bc-another", status: "RUNNING" })],
    ["getRun", { error: { status: 404, code: "run_not_found" } }],
  ]) {
    for (const handle of [agent, await Agent.resume(agent.agentId, given)]) {
      await handle.reload();
      await simulator.clearRequests();
      await simulator.addRule({ endpoints: ["createRun"], times: 1, execute: true, answer: "reset" });
      await simulator.addRule({ endpoints: [endpoint], answer });
      await assert.rejects(handle.send("More"), UNCERTAIN, endpoint);
      assert.equal((await asked()).filter((name) => name === "createRun").length, 1);
      await simulator.clearRules();
    }
  }
});

test("a resumed agent whose record cannot be read is still sent to, once", async () => {
  const { simulator, given, agent, asked } = await known();
  await simulator.addRule({ endpoints: ["getAgent"], answer: { error: { status: 403 } } });
  const resumed = await Agent.resume(agent.agentId, given);
  await (await resumed.send("More")).wait();
  const lost = await Agent.resume(agent.agentId, given);
  await simulator.clearRequests();
  await simulator.addRule({ endpoints: ["createRun"], times: 1, execute: true, answer: "reset" });
  await assert.rejects(lost.send("More"), UNCERTAIN);
  assert.deepEqual(await asked(), ["getAgent", "createRun"]);
});

test("a request that was never made, for want of a key, leaves no doubt", async () => {
  const { given, asked } = await service();
  let calls = 0;
  const apiKey = () => {
    if (++calls < 3) throw new Error("the vault is closed");
    return "key";
  };
  await (await (await Agent.create({ ...given, apiKey })).send("Hello")).wait();
  assert.deepEqual((await asked()).slice(0, 1), ["createAgent"]);
  calls = Number.NEGATIVE_INFINITY;
  const error = await (await Agent.create({ ...given, apiKey })).send("Hello").catch((thrown) => thrown);
  assert.match(error.message, /^Network request failed \(the option apiKey failed\)$/);
});

test("a time that is over while it is not known what has been done says so", async () => {
  const { simulator, given } = await service();
  await simulator.addRule({ endpoints: ["createAgent"], answer: "never" });
  const agent = await Agent.create(given);
  await assert.rejects(agent.send("Hello", { timeoutMs: 15 }), (error) => {
    assert.equal(error.code, "timeout");
    assert.match(error.message, UNCERTAIN);
    return true;
  });
  assert.equal(simulator.openConnections, 0);
});

test("timeoutMs is for all of a call, the look before it and its turn included", async () => {
  const { simulator, given, agent } = await known();
  await simulator.addRule({ endpoints: ["getAgent"], answer: "pass", delayMs: 40 });
  await simulator.addRule({ endpoints: ["createRun"], answer: "never" });
  const resumed = await Agent.resume(agent.agentId, given);
  const begun = performance.now();
  const [first, second] = [resumed.send("One", { timeoutMs: 60 }), resumed.send("Two", { timeoutMs: 60 })];
  await assert.rejects(first, { code: "timeout" });
  await assert.rejects(second, { code: "timeout" });
  assert.ok(performance.now() - begun < 400);
});

test("right after cancel(), awaited or not, a busy agent is tried again; else it is not", async () => {
  const { simulator, given, asked } = await service({ pace: 1 });
  const agent = await Agent.create(given);
  const run = await agent.send("Hello");
  await simulator.setFaults({ cancel: { delayMs: 200 } }, { runId: run.id });
  await assert.rejects(agent.send("And?"), AgentBusyError);
  const cancelled = run.cancel();
  const next = await agent.send("And now?");
  await cancelled;
  assert.notEqual(next.id, run.id);
  assert.ok((await asked()).filter((name) => name === "createRun").length >= 2);
  await next.cancel();
});

test("closing the handle ends the observing of its run, too", async () => {
  const { simulator, given } = await service({ pace: 1 });
  const agent = await Agent.create(given);
  const run = await agent.send("Hello");
  const forget = run.onDidChangeStatus(() => {});
  while (simulator.openConnections === 0) await turns();
  agent.close();
  await turns();
  assert.equal(simulator.openConnections, 0);
  forget();
});

test("ids that the service gave may be of any form, but reach no other endpoint", async () => {
  const asked = [];
  const agentId = "bc-00000000-0000-4000-8000-000000000001";
  const serviceOf =
    (id) =>
    async (url, { method }) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      if (url.endsWith("/stream")) return new Response("", { status: 404 });
      const run = { id, agentId, status: "FINISHED", result: "Done" };
      return Response.json(method === "POST" ? { agent: { id: agentId }, run } : run);
    };
  const agent = await Agent.create({ agentId, apiKey: "key", fetch: serviceOf("r/1?x") });
  const run = await agent.send("Hello");
  assert.equal((await run.wait()).result, "Done");
  await assert.rejects(run.stream().next(), { status: 404 });
  assert.deepEqual(asked, ["POST /v1/agents", `GET /v1/agents/${agentId}/runs/r%2F1%3Fx/stream`]);
  for (const id of ["..", "."]) {
    const lost = await Agent.create({ agentId, apiKey: "key", fetch: serviceOf(id) });
    await assert.rejects(lost.send("Hello"), { code: "invalid_answer" });
  }
});

test("options of send() are looked at before anything is sent", async () => {
  const fetch = () => assert.fail("nothing is requested");
  const agent = await Agent.create({ apiKey: "key", fetch });
  await assert.rejects(agent.send("Hello", { signal: "abort" }), { code: "invalid_option" });
  await assert.rejects(agent.send("Hello", { onDelta: 7 }), { code: "invalid_option" });
  await assert.rejects(agent.send("Hello", { local: { force: true } }), { code: "cloud_only" });
});
