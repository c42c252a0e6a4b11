// Answers that are not what was asked for, or not whole: typed errors, never a TypeError from inside, never an empty
// list that is none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Cursor, init, UnknownAgentError } from "runwire";
import { createSimulator } from "runwire/testing";
import { agentId, runId } from "../lib/run-service.mjs";

await init();

const retry = { minDelayMs: 1, maxDelayMs: 2 };
const given = { apiKey: "key-of-the-test", retry };
const agent = () => Agent.resume(agentId, given);

const calls = {
  "Cursor.models.list": (options) => Cursor.models.list(options),
  "Cursor.repositories.list": (options) => Cursor.repositories.list(options),
  "Agent.list": (options) => Agent.list({ runtime: "cloud", ...options }),
  "Agent.listRuns": (options) => Agent.listRuns(agentId, { runtime: "cloud", ...options }),
  "Agent.getRun": (options) => Agent.getRun(runId, { runtime: "cloud", agentId, ...options }),
  "Agent.get": (options) => Agent.get(agentId, options),
  "Agent.getUsage": (options) => Agent.getUsage(agentId, options),
  "agent.reload": async (options) => (await Agent.resume(agentId, options)).reload(),
  "agent.getUsage": async (options) => (await Agent.resume(agentId, options)).getUsage(),
  "agent.listArtifacts": async (options) => (await Agent.resume(agentId, options)).listArtifacts(),
  "agent.downloadArtifact": async (options) => (await Agent.resume(agentId, options)).downloadArtifact("a"),
};

for (const [operation, call] of Object.entries(calls)) {
  test(`${operation}: a good answer of another shape is an error that says so`, async () => {
    for (const text of ["", "null", "7", '"x"', "[]", "{}", '{"items":{}}', '{"items":null}', "<html>"]) {
      let asked = 0;
      const fetch = async () => {
        asked++;
        return new Response(text, { headers: { "content-type": "application/json" } });
      };
      const error = await call({ ...given, fetch }).catch((thrown) => thrown);
      assert.ok(error instanceof UnknownAgentError, `${text}: ${error}`);
      assert.equal(error.code, "invalid_answer");
      assert.equal(error.operation, operation);
      assert.equal(asked, 1, "and it is not asked again: it would be the same");
    }
  });
}

test("a body that breaks off is a lost connection, and is asked for again", async () => {
  let asked = 0;
  const fetch = async () => {
    if (++asked === 3) return Response.json({ apiKeyName: "mine" });
    const chunks = ['{"apiKeyName"'];
    return new Response(
      new ReadableStream({
        pull(controller) {
          const chunk = chunks.pop();
          if (chunk) controller.enqueue(new TextEncoder().encode(chunk));
          else controller.error(new TypeError("terminated"));
        },
      }),
    );
  };
  assert.deepEqual(await Cursor.me({ ...given, fetch }), { apiKeyName: "mine" });
  assert.equal(asked, 3);
  await assert.rejects(
    Cursor.me({
      ...given,
      retry: { attempts: 0 },
      fetch: async () => {
        asked = 0;
        return fetch();
      },
    }),
    { name: "NetworkError", code: "network_error", isRetryable: true },
  );
});

test("a service whose pages come round again does not keep anybody for ever", async () => {
  const fetch = async () => Response.json({ items: [{ id: agentId, status: "IDLE" }], nextCursor: "again" });
  let count = 0;
  for await (const _ of await Agent.list({ ...given, runtime: "cloud", fetch })) {
    if (++count > 9) break;
  }
  assert.equal(count, 2);
});

test("the model that a run was sent with is told", async () => {
  const simulator = createSimulator({ pace: "instant" });
  const options = { ...given, fetch: simulator.fetch };
  const own = await Agent.create({ ...options, model: { id: "composer-2" } });
  const run = await own.send("Hello");
  assert.deepEqual(run.model, { id: "composer-2" });
  assert.deepEqual((await run.wait()).model, { id: "composer-2" });
  const other = await own.send("More", { model: { id: "gpt-6-codex" } });
  assert.deepEqual((await other.wait()).model, { id: "gpt-6-codex" });
  const fetched = await Agent.getRun(run.id, { ...options, runtime: "cloud", agentId: own.agentId });
  assert.equal(fetched.model, undefined);
  assert.ok(!("model" in (await fetched.wait())));
  await assert.rejects(Agent.create({ ...options, model: "composer-2" }), { code: "invalid_option" });
});

test("an agent's record is shown when it has been read", async () => {
  const simulator = createSimulator({ pace: "instant" });
  const own = await Agent.create({ ...given, fetch: simulator.fetch });
  assert.deepEqual([own.status, own.url, own.latestRunId], [undefined, undefined, undefined]);
  const run = await own.send("Hello");
  assert.match(own.url, /^https:\/\/cursor\.com\/agents\/bc-/);
  assert.equal(own.latestRunId, run.id);
  await run.wait();
  await own.reload();
  assert.equal(own.status, "IDLE");
  await Agent.archive(own.agentId, { ...given, fetch: simulator.fetch });
  await own.reload();
  assert.equal(own.status, "ARCHIVED");
});

test("options of a handle's calls are looked at first", async () => {
  const handle = await agent();
  for (const call of ["reload", "getUsage", "listArtifacts"]) {
    await assert.rejects(handle[call]({ signal: {} }), { code: "invalid_option" }, call);
  }
  await assert.rejects(handle.downloadArtifact("a", { signal: {} }), { code: "invalid_option" });
});
