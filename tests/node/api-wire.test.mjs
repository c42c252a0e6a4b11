// What goes over the wire: each call as the API documents it, and what comes of the answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, AgentNotFoundError, ConfigurationError, Cursor, init } from "runwire";
import { createSimulator } from "runwire/testing";

await init();

const apiKey = "key-of-the-test";

async function service(options = {}) {
  const simulator = createSimulator({ pace: "instant", ...options });
  await simulator.ready();
  const given = { fetch: simulator.fetch, apiKey };
  const agent = await Agent.create(given);
  const run = await agent.send("Hello");
  await run.wait();
  await simulator.clearRequests();
  const last = async () => (await simulator.requests()).at(-1);
  return { simulator, given, agent, run, last, agentId: agent.agentId };
}

const documented = new Set([
  "authorization",
  "accept",
  "content-type",
  "idempotency-key",
  "last-event-id",
  "host",
]);

test("each call is the documented request, with the documented headers only", async () => {
  const { simulator, given, agent, run, agentId, last } = await service();
  const at = `/v1/agents/${agentId}`;
  const cloud = { runtime: "cloud", ...given };
  const path = "artifacts/größe & 100%.txt";
  for (const [call, method, expected, body = ""] of [
    [() => Cursor.me(given), "GET", "/v1/me"],
    [() => Cursor.models.list(given), "GET", "/v1/models"],
    [() => Cursor.repositories.list(given), "GET", "/v1/repositories"],
    [() => Cursor.subTokens.create({ forUserId: 7 }, given), "POST", "/v1/sub-tokens", '{"forUserId":7}'],
    [() => Agent.get(agentId, given), "GET", at],
    [() => Agent.list(cloud), "GET", "/v1/agents"],
    [
      () =>
        Agent.list({ ...cloud, includeArchived: true, prUrl: "https://x/y?z", cursor: undefined, limit: 5 }),
      "GET",
      "/v1/agents?limit=5&prUrl=https%3A%2F%2Fx%2Fy%3Fz&includeArchived=true",
    ],
    [() => Agent.listRuns(agentId, { ...cloud, limit: 1 }), "GET", `${at}/runs?limit=1`],
    [() => Agent.getRun(run.id, { ...cloud, agentId }), "GET", `${at}/runs/${run.id}`],
    [() => Agent.archive(agentId, given), "POST", `${at}/archive`],
    [() => Agent.unarchive(agentId, given), "POST", `${at}/unarchive`],
    [() => Agent.getUsage(agentId, given), "GET", `${at}/usage`],
    [() => Agent.getUsage(agentId, { ...given, runId: run.id }), "GET", `${at}/usage?runId=${run.id}`],
    [() => agent.getUsage(), "GET", `${at}/usage`],
    [() => agent.reload(), "GET", at],
    [() => agent.listArtifacts(), "GET", `${at}/artifacts`],
    [
      () => agent.send("More", { mode: "plan" }),
      "POST",
      `${at}/runs`,
      '{"prompt":{"text":"More"},"mode":"plan"}',
    ],
    [() => Agent.delete(agentId, given), "DELETE", at],
  ]) {
    await call();
    const request = await last();
    assert.deepEqual([request.method, request.path, request.body], [method, expected, body], expected);
    const headers = new Map(request.headers);
    assert.equal(headers.get("authorization"), `Bearer ${apiKey}`);
    assert.equal(headers.get("content-type"), body ? "application/json" : undefined);
    for (const name of headers.keys()) assert.ok(documented.has(name), `${name} at ${expected}`);
  }
  await assert.rejects(agent.downloadArtifact(path), { name: "AgentNotFoundError" });
  assert.equal((await simulator.counters()).runs, 2);
});

test("creating sends all options in the API's form", async () => {
  const { simulator, given, last } = await service();
  const options = {
    ...given,
    model: { id: "composer-2", params: [{ id: "effort", value: "high" }] },
    name: "Ada",
    mode: "agent",
    idempotencyKey: "mine",
    mcpServers: {
      docs: { url: "https://docs.example", headers: { a: "b" } },
      tool: { command: "x", args: ["y"] },
    },
    agents: { tester: { description: "tests", prompt: "Test it", model: "inherit" } },
    cloud: {
      repos: [{ url: "https://github.com/o/r", startingRef: "main" }],
      workOnCurrentBranch: true,
      autoCreatePR: false,
      skipReviewerRequest: true,
      openAsCursorGithubApp: false,
      env: { type: "pool", name: "big" },
      metadata: { team: "a" },
      agentServeAgent: "b",
    },
  };
  const agent = await Agent.create(options);
  const images = [{ data: "aGk=", mimeType: "image/png", dimension: { width: 1, height: 2 } }];
  const run = await agent.send({ text: "Hello", images }, { cloud: { envVars: { RUN: "1" } } });
  const create = (await simulator.requests()).find(({ endpoint }) => endpoint === "createAgent");
  assert.deepEqual(JSON.parse(create.body), {
    agentId: agent.agentId,
    prompt: { text: "Hello", images },
    model: options.model,
    name: "Ada",
    mcpServers: [
      { name: "docs", url: "https://docs.example", headers: { a: "b" } },
      { name: "tool", command: "x", args: ["y"] },
    ],
    customSubagents: [{ name: "tester", description: "tests", prompt: "Test it", model: "inherit" }],
    env: { type: "pool", name: "big" },
    runEnvVars: { RUN: "1" },
    metadata: { team: "a" },
    agentServeAgent: "b",
    repos: [{ url: "https://github.com/o/r", startingRef: "main" }],
    workOnCurrentBranch: true,
    autoCreatePR: false,
    skipReviewerRequest: true,
    mode: "agent",
    openAsCursorGithubApp: false,
  });
  assert.equal(new Map(create.headers).get("idempotency-key"), "mine");
  await run.wait();

  const more = await agent.send("More", { model: { id: "gpt-6-codex" }, cloud: { envVars: { B: "2" } } });
  await more.wait();
  const followUp = (await simulator.requests()).find(({ endpoint }) => endpoint === "createRun");
  assert.deepEqual(JSON.parse(followUp.body), {
    prompt: { text: "More" },
    mcpServers: JSON.parse(create.body).mcpServers,
    model: { id: "gpt-6-codex" },
    envVars: { B: "2" },
  });
  assert.notEqual(new Map(followUp.headers).get("idempotency-key"), "mine", "that was the creation's");
  assert.equal(typeof (await last()).path, "string");
});

test("with envVars the service gives the agent its id", async () => {
  const { simulator, given } = await service();
  const agent = await Agent.create({ ...given, cloud: { envVars: { A: "b" } } });
  const before = agent.agentId;
  const run = await agent.send("Hello");
  const { body } = (await simulator.requests()).find(({ endpoint }) => endpoint === "createAgent");
  assert.deepEqual(Object.keys(JSON.parse(body)).sort(), ["envVars", "prompt"]);
  assert.notEqual(agent.agentId, before);
  assert.equal(agent.agentId, run.agentId);
});

test("an agent's state, url and latest run are there", async () => {
  const { agent, given, run, agentId } = await service();
  assert.equal(agent.latestRunId, run.id);
  assert.match(agent.url, new RegExp(`/agents/${agentId}$`));
  const info = await Agent.get(agentId, given);
  assert.deepEqual(
    [info.agentId, info.archived, info.runtime, info.status, info.latestRunId, info.url],
    [agentId, false, "cloud", "IDLE", run.id, agent.url],
  );
  assert.equal(typeof info.createdAt, "number");
  const resumed = await Agent.resume(agentId, given);
  assert.equal(resumed.latestRunId, undefined);
  assert.equal((await resumed.reload()).status, "IDLE");
  assert.equal(resumed.latestRunId, run.id);
  await Agent.archive(agentId, given);
  assert.equal((await Agent.get(agentId, given)).archived, true);
});

test("a list is a page, and all items of it and of those after it", async () => {
  const { agent, given, agentId } = await service();
  for (let n = 0; n < 4; n++) await (await agent.send(`more ${n}`)).wait();
  const page = await Agent.listRuns(agentId, { runtime: "cloud", limit: 2, ...given });
  assert.equal(page.items.length, 2);
  assert.equal(typeof page.nextCursor, "string");
  assert.deepEqual(Object.keys(page), ["items", "nextCursor"]);
  const ids = [];
  for await (const run of page) {
    ids.push(run.id);
    assert.equal(run.status, "finished");
    assert.equal(run.supports("cancel"), false);
  }
  assert.equal(new Set(ids).size, 5);
  const [first] = page.items;
  assert.equal((await first.wait()).status, "finished");
  let count = 0;
  for await (const info of await Agent.list({ runtime: "cloud", limit: 1, ...given })) {
    assert.equal(info.runtime, "cloud");
    count++;
  }
  assert.equal(count, 1);
});

test("an artifact is fetched without anything of ours", async () => {
  const { simulator, agent } = await service();
  const [{ path, sizeBytes }] = await agent.listArtifacts();
  const bytes = await agent.downloadArtifact(path);
  assert.ok(bytes instanceof Uint8Array);
  assert.equal(bytes.length, sizeBytes);
  const request = (await simulator.requests()).at(-1);
  assert.equal(request.endpoint, "artifactFile");
  assert.deepEqual(
    request.headers.map(([name]) => name),
    ["host", "accept"],
  );
  const stream = await agent.downloadArtifact(path, { stream: true });
  let length = 0;
  for await (const chunk of stream) length += chunk.length;
  assert.equal(length, sizeBytes);
  await simulator.addRule({ endpoints: ["artifactFile"], answer: { error: { status: 403 } } });
  const error = await agent.downloadArtifact(path).catch((thrown) => thrown);
  assert.match(error.message, /^The artifact could not be fetched: status 403$/);
  assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /signature/);
});

test("ids of another form are refused before any request", async () => {
  const fetch = () => assert.fail("nothing is requested");
  const given = { fetch, apiKey };
  for (const id of [
    "",
    "agent-1",
    "bc-",
    "bc-a/../../me",
    "bc-%2e%2e",
    "bc-1?x",
    "bc-ü",
    undefined,
    null,
    7,
    {},
  ]) {
    for (const call of [
      () => Agent.get(id, given),
      () => Agent.archive(id, given),
      () => Agent.unarchive(id, given),
      () => Agent.delete(id, given),
      () => Agent.getUsage(id, given),
      () => Agent.resume(id, given),
    ]) {
      await assert.rejects(call(), AgentNotFoundError, String(id));
    }
    if (id !== undefined) await assert.rejects(Agent.create({ ...given, agentId: id }), AgentNotFoundError);
    await assert.rejects(Agent.listRuns(id, { runtime: "cloud", ...given }), AgentNotFoundError);
    const runId = "run-00000000-0000-4000-8000-000000000000";
    const cloud = { runtime: "cloud", ...given };
    await assert.rejects(Agent.getRun(runId, { ...cloud, agentId: id }), { code: "invalid_id" });
    await assert.rejects(Agent.getRun(id, { ...cloud, agentId: "bc-1" }), { code: "invalid_id" });
    await assert.rejects(Agent.cancelRun(id, { ...cloud, agentId: "bc-1" }), { code: "invalid_id" });
  }
});

test("what only agents on one's own machine can do is refused", async () => {
  for (const options of [
    { local: { cwd: "." } },
    { tools: [] },
    { disallowedTools: ["x"] },
    { systemPrompt: "Be kind" },
  ]) {
    const refused = { name: "ConfigurationError", code: "cloud_only" };
    await assert.rejects(Agent.create({ apiKey, ...options }), refused);
    await assert.rejects(Agent.resume("bc-1", { apiKey, ...options }), refused);
  }
  const agent = await Agent.create({ apiKey, mcpServers: { x: { command: "y", cwd: "." } } });
  await assert.rejects(agent.send("Hello"), { code: "cloud_only" });
  await assert.rejects(Agent.list({ apiKey }), { code: "cloud_only" });
  await assert.rejects(agent.send({ texts: "Hello" }), { code: "invalid_option" });
});

test("a model that the service does not offer is refused; where it cannot be asked it may pass", async () => {
  const { simulator, given } = await service();
  await assert.rejects(Agent.create({ ...given, model: { id: "nobody" } }), {
    code: "invalid_model",
    message: "Model 'nobody' is not available or invalid. Call Cursor.models.list() to see valid model ids.",
  });
  assert.equal((await Agent.create({ ...given, model: { id: "composer-2" } })).model.id, "composer-2");
  for (const status of [401, 429, 500]) {
    await simulator.addRule({ endpoints: ["models"], answer: { error: { status } } });
    await Agent.create({ ...given, retry: { minDelayMs: 1, maxDelayMs: 1 }, model: { id: "nobody" } });
    await simulator.clearRules();
  }
  await simulator.addRule({ endpoints: ["models"], answer: { error: { status: 403 } } });
  await assert.rejects(Agent.create({ ...given, model: { id: "nobody" } }), { status: 403 });
});

test("Agent.prompt does all of it, and lets go of everything", async () => {
  const { simulator, given } = await service();
  const result = await Agent.prompt("Hello", given);
  assert.equal(result.status, "finished");
  assert.match(result.result, /128 tests/);
  assert.equal(simulator.openConnections, 0);
});

test("Cursor.configure sets what a call leaves out", async () => {
  const { simulator } = await service();
  try {
    Cursor.configure({ fetch: simulator.fetch, apiKey: "configured", headers: { "x-mine": "1" } });
    await Cursor.me();
    assert.equal(
      new Map((await simulator.requests()).at(-1).headers).get("authorization"),
      "Bearer configured",
    );
    await Cursor.me({ apiKey: "given", headers: undefined });
    const headers = new Map((await simulator.requests()).at(-1).headers);
    assert.deepEqual([headers.get("authorization"), headers.get("x-mine")], ["Bearer given", "1"]);
    const agent = await Agent.create();
    await (await agent.send("Hello")).wait();
    assert.throws(() => Cursor.configure({ retry: 7 }), ConfigurationError);
  } finally {
    Cursor.configure({});
  }
});

test("onRequest is told of each request, and of nothing secret", async () => {
  const { simulator, given, agentId } = await service();
  const traces = [];
  await simulator.addRule({ endpoints: ["getAgent"], times: 1, answer: { error: { status: 503 } } });
  await Agent.get(agentId, { ...given, onRequest: (trace) => traces.push(trace), retry: { minDelayMs: 1 } });
  assert.deepEqual(
    traces.map(({ method, path, attempt, status }) => [method, path, attempt, status]),
    [
      ["GET", `/v1/agents/${agentId}`, 1, 503],
      ["GET", `/v1/agents/${agentId}`, 2, 200],
    ],
  );
  assert.ok(traces.every(({ durationMs, requestId }) => durationMs >= 0 && requestId));
  assert.ok(!JSON.stringify(traces).includes(apiKey));
});
