// No key in anything that a failure prints, wherever the key was put and whatever the service does with it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Agent, Cursor, init, openRunStream } from "runwire";
import { agentId, runId } from "../lib/run-service.mjs";
import { unhandledDuring } from "../lib/unhandled.mjs";

await init();

const SECRET = "sk-live-0123456789";
const retry = { attempts: 1, minDelayMs: 1, maxDelayMs: 1 };

/** Where a key can be. */
const positions = {
  apiKey: { apiKey: SECRET },
  "a function": { apiKey: async () => SECRET },
  "basic auth": { apiKey: SECRET, auth: "basic" },
  headers: { headers: { authorization: `Bearer ${SECRET}` } },
  "another header": { headers: { "x-relay-key": SECRET } },
  "a function for headers": { headers: () => [["x-relay-key", SECRET]] },
  "a header that HTTP does not allow": { headers: { "x-relay-key": `${SECRET}\n` } },
  "a key that HTTP does not allow": { apiKey: `${SECRET}\n` },
  "a key beyond Latin in basic auth": { apiKey: `${SECRET}日`, auth: "basic" },
  "no string": { apiKey: [SECRET] },
  "no string from a function": { apiKey: () => [SECRET] },
};

/** What was sent, in any form that a service may repeat it in. */
const sentIn = (init) =>
  [...new Headers(init.headers)].map(([name, value]) => `${name}: ${value}`).join("\n");

/** What a service, or what lies between, can do. */
const answers = {
  "an error that repeats the request": (init) =>
    Response.json(
      { error: { code: "unauthorized", message: `Bad request: ${sentIn(init)}` } },
      { status: 401 },
    ),
  "an error whose code is the key": (init) =>
    Response.json({ error: { code: sentIn(init), message: "no" } }, { status: 403 }),
  "a page that repeats the request": (init) =>
    new Response(`<html>${sentIn(init)}`, { status: 500, headers: { "content-type": "text/html" } }),
  "a good answer that repeats the request and is no JSON": (init) =>
    new Response(sentIn(init), { headers: { "content-type": "text/plain", "x-request-id": "req-1" } }),
  "an odd head": (init) =>
    new Response("{}", {
      status: 418,
      headers: {
        "content-type": sentIn(init).replaceAll("\n", " "),
        "x-request-id": sentIn(init).replaceAll("\n", " "),
      },
    }),
  "a lost connection": () => {
    throw new TypeError("fetch failed");
  },
  "a redirect": () =>
    new Response(null, { status: 302, headers: { location: "https://elsewhere.example/" } }),
};

const forms = [SECRET, btoa(`${SECRET}:`), btoa(SECRET), encodeURIComponent(SECRET)];

function assertClean(printed, where) {
  for (const form of forms) assert.ok(!printed.includes(form), `${where}:\n${printed.slice(0, 2000)}`);
}

const calls = {
  "Cursor.me": (options) => Cursor.me(options),
  "Agent.getRun": (options) => Agent.getRun(runId, { runtime: "cloud", agentId, ...options }),
  "Agent.prompt": (options) => Agent.prompt("Hello", options),
  "Agent.list": (options) => Agent.list({ runtime: "cloud", ...options }),
  openRunStream: async (options) => openRunStream(runId, { agentId, ...options }).next(),
};

for (const [position, options] of Object.entries(positions)) {
  test(`with the key as ${position}`, async () => {
    for (const [answer, reply] of Object.entries(answers)) {
      for (const [name, call] of Object.entries(calls)) {
        const printed = [];
        const note = (...values) =>
          printed.push(...values.map((value) => inspect(value, { depth: 9, showHidden: true })));
        const { log, warn, error } = console;
        Object.assign(console, { log: note, warn: note, error: note });
        try {
          const complaints = await unhandledDuring(async () => {
            await assert.rejects(
              call({
                baseUrl: "https://relay.example",
                fetch: async (_, init) => reply(init),
                retry,
                onWarning: note,
                onRequest: note,
                onConnection: note,
                ...options,
              }),
              (thrown) => {
                note(thrown, thrown.message, thrown.stack, JSON.stringify(thrown), String(thrown), {
                  ...thrown,
                });
                for (let cause = thrown.cause; cause; cause = cause.cause)
                  note(cause, cause.message, cause.stack);
                note(thrown.body, thrown.contentType);
                return true;
              },
            );
          });
          note(...complaints);
        } finally {
          Object.assign(console, { log, warn, error });
        }
        assertClean(printed.join("\n"), `${name}, ${answer}`);
      }
    }
  });
}

test("a redirect to another origin is not followed, one of the same origin is", async () => {
  const asked = [];
  const to = (location) => async (url) => {
    asked.push(url);
    if (asked.length > 1) return Response.json({ apiKeyName: "mine" });
    return new Response(null, { status: 307, headers: { location } });
  };
  const given = { apiKey: SECRET, baseUrl: "https://relay.example/api" };
  await assert.rejects(Cursor.me({ ...given, fetch: to("https://evil.example/v1/me") }), {
    code: "redirected",
  });
  assert.deepEqual(asked, ["https://relay.example/api/v1/me"]);
  asked.length = 0;
  assert.equal((await Cursor.me({ ...given, fetch: to("/other/v1/me") })).apiKeyName, "mine");
  assert.deepEqual(asked, ["https://relay.example/api/v1/me", "https://relay.example/other/v1/me"]);
  let count = 0;
  const loop = async () => {
    count++;
    return new Response(null, { status: 302, headers: { location: "/again" } });
  };
  await assert.rejects(Cursor.me({ ...given, fetch: loop }), { code: "redirected" });
  assert.ok(count < 10);
});

test("without a key, the API is not asked; a relay is", async () => {
  const { CURSOR_API_KEY } = process.env;
  delete process.env.CURSOR_API_KEY;
  const { fetch } = globalThis;
  const asked = [];
  globalThis.fetch = async (url) => {
    asked.push(url);
    return Response.json({ apiKeyName: "the relay's" });
  };
  try {
    await assert.rejects(Cursor.me(), { name: "ConfigurationError", code: "unauthenticated" });
    assert.deepEqual(asked, []);
    assert.equal((await Cursor.me({ baseUrl: "https://relay.example" })).apiKeyName, "the relay's");
    process.env.CURSOR_API_KEY = "from-the-environment";
    await Cursor.me();
    assert.equal(asked.length, 2);
  } finally {
    globalThis.fetch = fetch;
    delete process.env.CURSOR_API_KEY;
    if (CURSOR_API_KEY !== undefined) process.env.CURSOR_API_KEY = CURSOR_API_KEY;
  }
});
