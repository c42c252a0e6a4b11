// Artifacts: a key of their own leads to them, so nothing of the caller's goes there and nothing of that key comes back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Agent, Cursor, init, NetworkError } from "runwire";
import { agentId, bodyOf } from "../lib/run-service.mjs";

await init();

const address = "https://store.example/file?signature=sk-of-the-store";
const retry = { minDelayMs: 1, maxDelayMs: 2 };

/** An agent whose artifacts the store answers for with `answer(n, init)`, and what the store was asked. */
async function stored(answer, options = {}) {
  const asked = [];
  const fetch = async (url, init) => {
    if (url !== address) return Response.json({ url: address });
    asked.push(init);
    return answer(asked.length, init);
  };
  const given = { apiKey: "sk-mine", headers: { "x-mine": "sk-mine-too" }, credentials: "include", retry };
  return { agent: await Agent.resume(agentId, { ...given, fetch, ...options }), asked };
}

test("what passes is tried again, without anything of the caller's", async () => {
  const answers = [
    () => new Response("", { status: 503 }),
    () => {
      throw new TypeError("fetch failed");
    },
    () => new Response("the file"),
  ];
  for (const stream of [false, true]) {
    const { agent, asked } = await stored((n) => answers[n - 1]());
    const file = await agent.downloadArtifact("a", { stream });
    assert.equal(await new Response(file).text(), "the file");
    assert.equal(asked.length, 3);
    for (const { method, headers, credentials } of asked) {
      assert.deepEqual([method, headers, credentials], ["GET", undefined, "omit"]);
    }
  }
});

test("onRequest is told of each attempt, and not where", async () => {
  const traces = [];
  const { agent } = await stored(
    (n) => new Response("the file", { status: n === 1 ? 503 : 200, headers: { "x-request-id": address } }),
    { onRequest: (trace) => traces.push(trace) },
  );
  await agent.downloadArtifact("a");
  assert.deepEqual(
    traces.map(({ method, path, attempt, status }) => [method, path, attempt, status]),
    [
      ["GET", `/v1/agents/${agentId}/artifacts/download?path=a`, 1, 200],
      ["GET", "artifact", 1, 503],
      ["GET", "artifact", 2, 200],
    ],
  );
  assert.doesNotMatch(JSON.stringify(traces), /store/);
});

test("no error holds the address", async () => {
  for (const answer of [
    () => new Response(`<Error>${address}</Error>`, { status: 403, headers: { "x-request-id": address } }),
    () => {
      throw new TypeError(`Failed to parse URL from ${address}`);
    },
    () => bodyThatBreaks(),
  ]) {
    const { agent } = await stored(answer, { retry: { attempts: 0 } });
    const error = await agent.downloadArtifact("a").catch((thrown) => thrown);
    assert.ok(error instanceof NetworkError);
    assert.equal(error.operation, "agent.downloadArtifact");
    const printed = inspect(error, { depth: 9, showHidden: true }) + error.body + error.contentType;
    assert.doesNotMatch(printed, /sk-of-the-store/);
  }
});

function bodyThatBreaks() {
  const pull = (controller) => controller.error(new TypeError(`lost ${address}`));
  return new Response(new ReadableStream({ pull }));
}

test("a file is read as it is wanted, and an abort ends that with the signal's reason", async () => {
  const body = bodyOf(["one", "two", "three"]);
  const { agent } = await stored((_, { signal }) => {
    signal.addEventListener("abort", () => body.stream.cancel?.(signal.reason).catch(() => {}));
    return new Response(body.stream);
  });
  const controller = new AbortController();
  const file = await agent.downloadArtifact("a", { stream: true, signal: controller.signal });
  const reader = file.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "one");
  assert.equal(body.pulls, 1);
  await reader.cancel();

  const silent = await stored((_, { signal }) => {
    const start = (stream) => signal.addEventListener("abort", () => stream.error(signal.reason));
    return new Response(new ReadableStream({ start }));
  });
  const whole = silent.agent.downloadArtifact("a", { signal: controller.signal });
  setImmediate(() => controller.abort(new Error("mine")));
  await assert.rejects(whole, /^Error: mine$/);
});

test("the fetch that is configured fetches them, too", async () => {
  const asked = [];
  try {
    Cursor.configure({
      apiKey: "key",
      fetch: async (url) => {
        asked.push(url);
        return url === address ? new Response("the file") : Response.json({ url: address });
      },
    });
    const agent = await Agent.resume(agentId);
    assert.equal(new TextDecoder().decode(await agent.downloadArtifact("a")), "the file");
    assert.equal(asked.at(-1), address);
  } finally {
    Cursor.configure({});
  }
});

test("an empty file is one", async () => {
  const { agent } = await stored(() => new Response(null, { status: 204 }));
  assert.equal((await agent.downloadArtifact("a")).length, 0);
});
