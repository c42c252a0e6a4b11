// The code in docs/ does what the text around it says.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as runwire from "runwire";
import { createSessionHost } from "runwire/host";
import { listen } from "runwire/host/node";
import * as kit from "runwire/kit";
import { createSimulator } from "runwire/testing";
import { runGuide } from "../lib/guide.mjs";
import * as scripted from "../lib/scripted-query.mjs";

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
    ...{ Agent: runwire.Agent, runId, options, output: into("output"), terminal: into("terminal") },
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

/** What the guides' code finds: a service with a run, and where it prints. */
async function surroundings() {
  const simulator = createSimulator({ pace: "instant", auth: { keys: ["key-of-the-guides"] } });
  const { agentId, runId } = await simulator.startRun();
  const options = { apiKey: "key-of-the-guides", fetch: simulator.fetch };
  const printed = [];
  const stored = new Map();
  const storage = {
    setItem: (name, value) => stored.set(name, value),
    getItem: (name) => stored.get(name) ?? null,
  };
  const scope = { ...runwire, createSimulator, agentId, runId, options, storage, stopButton: {} };
  scope.print = (line) => printed.push(String(line));
  return { simulator, scope, printed, agentId, runId };
}

test("guides/agents.md", async () => {
  const { simulator, scope, printed } = await surroundings();
  // The third run is stopped: it must not be over before.
  await simulator.planRuns({ pace: "instant" }, { pace: "instant" }, { pace: 1 });
  let output = "";
  scope.output = {
    append: (words) => {
      output += words;
    },
  };
  const { run } = await runGuide("guides/agents.md", scope, ["run"]);
  assert.equal(output, await simulator.expectedText(run.id));
  assert.deepEqual(printed, ["finished", "true", "cancelled", "true"]);
  assert.equal(simulator.openConnections, 0);
});

test("guides/runs.md", async () => {
  const { simulator, scope, printed } = await surroundings();
  await runGuide("guides/runs.md", scope, []);
  assert.ok(printed.includes("read_file completed"));
  assert.match(printed.join("\n"), /artifacts\/report\.md: \d+\n/);
  assert.match(printed.at(-1), /^\d+ tokens, \d+\.\d cents$/);
  assert.equal(simulator.openConnections, 0);
});

test("guides/errors.md", async () => {
  const { scope, printed, agentId, runId } = await surroundings();
  await runGuide("guides/errors.md", scope, []);
  assert.deepEqual(printed, [
    "Simulated key",
    `GET /v1/agents/${agentId}/runs/${runId} #1: 200`,
    "finished",
    "Simulated key",
  ]);
});

test("guides/keys.md", async () => {
  const { simulator, scope, printed, runId } = await surroundings();
  const served = new Map();
  /** What the page asks for. */
  const asked = [];
  const { fetch } = globalThis;
  Object.assign(globalThis, {
    // A page's own origin, and what paths are of it.
    location: { origin: "https://page.example" },
    fetch(address, init) {
      const { origin, href, pathname } = new URL(address, location.origin);
      if (origin === "https://api.cursor.com") return simulator.fetch(href, init);
      const request = new Request(href, init);
      asked.push(request);
      if (origin === "https://relay.example")
        return served.get("/api")(new Request(`${location.origin}/api${pathname}`, request));
      return served.get(`/${pathname.split("/")[1]}`)(request);
    },
  });
  let output = "";
  try {
    const { run } = await runGuide(
      "guides/keys.md",
      {
        ...scope,
        serve: (path, answer) => served.set(path, answer),
        vault: { read: async () => "key-of-the-guides" },
        mayUse: async (_, agentId) => agentId === scope.agentId,
        emailOf: async () => "ada@example.com",
        csrfToken: async () => "csrf",
        output: {
          append: (words) => {
            output += words;
          },
        },
      },
      ["run"],
    );
    assert.equal(run.id, runId);
    assert.equal(output, await simulator.expectedText(runId));
    assert.deepEqual(printed, ["Simulated key", "composer-2", "claude-opus-5", "gpt-6-codex", "finished"]);
    for (const request of asked.filter(({ url }) => url.includes("/api/")))
      assert.equal(request.headers.get("authorization"), null, request.url);
    const models = (await simulator.requests()).find(({ endpoint }) => endpoint === "models");
    const sent = new Map(models.headers).get("authorization");
    assert.equal(sent, asked.find(({ url }) => url.endsWith("/mine/v1/models")).headers.get("authorization"));
    assert.notEqual(sent, "Bearer key-of-the-guides");
    const elsewhere = asked.find(({ url }) => url.startsWith("https://relay.example/"));
    assert.deepEqual([elsewhere.credentials, elsewhere.headers.get("x-csrf-token")], ["include", "csrf"]);
    const forbidden = { status: 403, code: "forbidden", message: "[forbidden] Not yours" };
    const given = { runtime: "cloud", baseUrl: "/api", retry: { attempts: 0 } };
    await assert.rejects(runwire.Agent.get("bc-of-somebody-else", given), forbidden);
    await assert.rejects(runwire.Cursor.me(given), forbidden);
  } finally {
    delete globalThis.location;
    globalThis.fetch = fetch;
  }
});

/** The agent of the guide to sessions. */
async function* sessionTurn(message) {
  const words = scripted.wordsOf(message).split("\n").at(-1);
  if (words === "Fix the failing test") {
    yield scripted.init();
    yield scripted.toolUse("t1", "Edit", { path: "a.test.js" });
    yield scripted.toolResult("t1", "ok");
    yield* scripted.spoken("fixed", "Fixed.");
    yield scripted.result("Fixed.");
  } else if (words === "Count to a million") {
    yield* scripted.spoken("count", "One.");
    await new Promise(() => {});
  } else yield* scripted.echo({ message: { content: words } });
}

test("sessions.md", async () => {
  const agent = scripted.scriptedQuery({
    turn: sessionTurn,
    commands: [{ name: "compact", description: "Shortens", argumentHint: "" }],
    usage: { percentage: 12, totalTokens: 120, maxTokens: 1_000 },
  });
  const printed = [];
  let output = "";
  const stopButton = {};
  const stored = new Map();
  const posted = [];
  const served = [];
  const sentence = (words) => [...scripted.spoken(words, words), scripted.result(words)];
  const scope = {
    ...kit,
    ...{ createSessionHost, listen, query: agent.query, stopButton },
    print: (line) => printed.push(line),
    output: {
      append(words) {
        output += words;
        if (words === "One.") stopButton.onclick();
      },
    },
    userOf: (cookie) => cookie?.replace("user=", ""),
    storage: {
      setItem: (name, value) => stored.set(name, value),
      getItem: (name) => stored.get(name) ?? null,
    },
    Deno: { serve: (fetch) => served.push(fetch) },
    Bun: { serve: ({ fetch, idleTimeout }) => served.push(fetch, idleTimeout) },
    transport: "https://transport.example",
    async fetch(address, init) {
      posted.push([new URL(address).pathname, init?.body && scripted.wordsOf(JSON.parse(init.body))]);
      const frames = sentence("Raw").map((message) => `data: ${JSON.stringify(message)}\n\n`);
      return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
    },
    recording: new Response(
      sentence("Kept")
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(""),
      {
        headers: { "content-type": "application/x-ndjson" },
      },
    ),
  };
  const names = ["end", "host", "server", "page", "shown", "again", "rest"];
  const { end, host, server, page, shown, again, rest } = await runGuide("sessions.md", scope, names);
  try {
    assert.deepEqual(printed, [
      'Edit {"path":"a.test.js"}',
      "Edit: done",
      "You said: What was wrong?",
      "Stopped",
      "/compact: Shortens",
      "12 % of 1000 tokens",
      ...Array(2).fill(['Edit {"path":"a.test.js"}', "Edit: done"]).flat(),
      "text",
      "turn-end",
      "ConfigurationError session_not_found",
    ]);
    assert.equal(end.resultText, "You said: What was wrong?");
    assert.equal(
      output,
      [
        "You said: What does this repository do?",
        ...["Fixed.", "One.", "You said: And now to ten", "You said: Write the changelog"],
        ...["Fixed.", "Fixed.", "You said: Is there another?", "Raw"],
      ].join(""),
    );
    // Only what the other page had not read is left.
    shown.push("Last");
    let left = "";
    for await (const event of rest.turn()) if (event.type === "text") left += event.text;
    assert.equal(left, "You said: Last");
    const { agents } = agent;
    assert.deepEqual(agents[0].options, { cwd: "/srv/repo", includePartialMessages: true });
    assert.deepEqual(agents.at(-1).options, { cwd: "/srv/ada", includePartialMessages: true });
    const planned = agents.find(({ received }) => /Plan mode is on/.test(JSON.stringify(received)));
    assert.match(scripted.wordsOf(planned.received[1]), /Plan mode is over[^\n]*\n\nDo it$/);
    assert.deepEqual(posted, [
      ["/messages", undefined],
      ["/say", "Hello"],
    ]);
    assert.deepEqual(served, [host.fetch, host.fetch, 60]);
  } finally {
    // What is left of them would try to connect again.
    for (const run of [page, again, rest]) run.close();
    await server.close();
    await host.close();
  }
});
