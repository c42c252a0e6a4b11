// Options: what is wrong with them is said before any request, and what they give is said to be theirs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { Agent, ConfigurationError, init, MessageDecoder, NetworkError, openRunStream } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { agentId, run, runId, turns } from "../lib/run-service.mjs";
import { refusal, scriptedRun, text, whole } from "../lib/scripted-run.mjs";
import { unhandledDuring } from "../lib/unhandled.mjs";

await init();

const wrong = {
  apiKey: [12345678, null, {}, true],
  auth: ["digest", null, 1],
  baseUrl: [5, null, {}],
  headers: [5, "a: b", ["a: b"], null],
  credentials: ["yes", true, null],
  fetch: ["fetch", null, {}],
  lastEventIdIn: ["cookie", null],
  signal: [{}, null, new AbortController(), "abort"],
  onWarning: ["console.log", null, {}],
  maxEventBytes: [-1, Number.NaN, "16", null],
  retry: [null, 3, "often"],
  "retry.minDelayMs": [-1, Number.NaN, "250", null],
  "retry.maxDelayMs": [-1, Number.NaN, "250", null],
  "retry.giveUpAfterMs": [-1, Number.NaN, "250", null],
  "retry.attempts": [-1, Number.NaN, "250", null],
  idleTimeoutMs: [-1, Number.NaN, "250", null],
  stallTimeoutMs: [-1, Number.NaN, "250", null],
  connectTimeoutMs: [-1, Number.NaN, "250", null],
  terminalGraceMs: [-1, Number.NaN, "250", null],
  wakeProbeMs: [-1, Number.NaN, "250", null],
};

const optionsOf = (name, value) => {
  const [, nested] = name.split(".");
  return nested ? { retry: { [nested]: value } } : { [name]: value };
};

test("a wrong option is an error that names it, and nothing is requested", async () => {
  const fetch = () => assert.fail("nothing is requested");
  const refused = (name) => (error) => {
    assert.ok(error instanceof ConfigurationError, `${name}: ${error}`);
    assert.equal(error.code, "invalid_option");
    assert.match(error.message, new RegExp(`^${name} is (of type \\w+|null|NaN|-?\\d+): it must be `));
    // What somebody took for another option may be a key.
    assert.doesNotMatch(error.message, /12345678|digest/);
    return true;
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const options = { fetch, ...optionsOf(name, value) };
      await assert.rejects(Agent.getRun(runId, { ...run, ...options }), refused(name));
      assert.throws(() => openRunStream(runId, { agentId, ...options }), refused(name));
    }
  }
  assert.throws(() => openRunStream(runId, { agentId, fetch, onConnection: {} }), refused("onConnection"));
  assert.throws(() => openRunStream(runId, null), refused("options"));
  // As good as its own: what it inherits is used, too.
  class Options {
    get retry() {
      return { attempts: "3" };
    }
  }
  assert.throws(() => openRunStream(runId, new Options()), refused("retry.attempts"));
});

test("an address that the platform's fetch cannot take is refused, and not tried for ten minutes", async () => {
  const refused = {
    name: "ConfigurationError",
    code: "invalid_option",
    message: /^baseUrl must begin with http/,
  };
  for (const baseUrl of ["api.cursor.com", "localhost:3000", "/api", "file:///api"]) {
    await assert.rejects(Agent.getRun(runId, { ...run, baseUrl }), refused);
    await assert.rejects(openRunStream(runId, { agentId, apiKey: "key", baseUrl }).next(), refused);
  }
  // What a fetch of the caller's can take is the caller's to know.
  const { baseUrl, fetch } = { baseUrl: "/api", fetch: scriptedRun().fetch };
  const relative = (path, init) => fetch(path.replace("/api", "https://relay.example"), init);
  assert.equal((await Agent.getRun(runId, { ...run, baseUrl, fetch: relative })).id, runId);
});

test("where there is no fetch, the option is said to be missing", async () => {
  const { fetch } = globalThis;
  globalThis.fetch = undefined;
  try {
    await assert.rejects(Agent.getRun(runId, run), { code: "invalid_option", message: /^fetch is missing/ });
  } finally {
    globalThis.fetch = fetch;
  }
});

test("what is wrong with the options of a handle's calls is said, too", async () => {
  const handle = await scriptedRun().handle();
  const refused = { name: "ConfigurationError", code: "invalid_option" };
  assert.throws(() => handle.stream({ from: 7 }), refused);
  assert.throws(() => handle.stream({ signal: {} }), refused);
  await assert.rejects(handle.wait({ signal: new AbortController() }), refused);
  await assert.rejects(handle.cancel({ signal: {} }), refused);
  await assert.rejects(handle.wait(null), refused);
  const decoder = (options) => () => new MessageDecoder({ agentId, runId, ...options });
  assert.throws(decoder({ onWarning: "console.log" }), refused);
  for (const maxEventBytes of wrong.maxEventBytes) assert.throws(decoder({ maxEventBytes }), refused);
});

test("undefined counts as absent, and a URL is an address", async () => {
  const names = Object.keys(wrong).filter((name) => name !== "fetch");
  const absent = Object.assign({}, ...names.map((name) => optionsOf(name, undefined)));
  const service = scriptedRun({ stream: (connection) => void connection.send(whole) });
  const handle = await service.handle({ ...absent, baseUrl: new URL("https://relay.example") });
  assert.equal((await handle.wait()).status, "finished");
  const addressed = [];
  const fetch = (url, options) => {
    addressed.push(url);
    return service.fetch(url.replace("/api", ""), options);
  };
  await service.handle({ baseUrl: new URL("https://relay.example/api/"), fetch });
  assert.match(addressed[0], /^https:\/\/relay\.example\/api\/v1\/agents\//);
});

test("no message quotes a key", async () => {
  for (const options of [{ apiKey: ["sk-secret"] }, { headers: "authorization: sk-secret" }]) {
    const error = await Agent.getRun(runId, { ...run, ...options }).catch((thrown) => thrown);
    assert.ok(!`${error.message}${JSON.stringify(error)}`.includes("sk-secret"), error.message);
  }
});

for (const name of ["apiKey", "headers"]) {
  test(`what the caller's own ${name} throws is tried again, and said to be its`, () =>
    withFakeTime(async (clock) => {
      const mine = new Error("the vault is closed: sk-secret");
      let calls = 0;
      const service = scriptedRun({ stream: (connection) => void connection.send(text(1), whole) });
      const handle = await service.handle({
        retry: { attempts: 2 },
        [name]: () => {
          if (calls++ > 0) throw mine;
          return undefined;
        },
      });
      const reasons = [];
      handle.onDidChangeConnection(({ reason }) => reason && reasons.push(reason));
      const read = assert.rejects(handle.stream().next(), (error) => {
        assert.ok(error instanceof NetworkError);
        assert.equal(error.message, `Network request failed (the option ${name} failed)`);
        assert.equal(error.cause, mine);
        return true;
      });
      await clock.advance(60_000);
      await read;
      assert.equal(service.count("stream"), 0);
      assert.equal(calls, 4, "once for the record, and three times for the stream");
      assert.match(reasons[0].message, new RegExp(`the option ${name} failed`));
    }));

  test(`what ${name} gives and cannot be one is refused at once`, async () => {
    for (const [type, value] of [
      ["number", 5],
      ["object", ["a: b"]],
    ]) {
      const service = scriptedRun();
      const error = await service.handle({ [name]: async () => value }).catch((thrown) => thrown);
      assert.ok(error instanceof ConfigurationError, error);
      assert.equal(error.code, "invalid_option");
      assert.equal(error.operation, "Agent.getRun");
      assert.match(error.message, new RegExp(`^${name} is of type ${type}: it must be `));
      assert.equal(service.requests.length, 0);
    }
  });
}

test("cancel({ signal }): an abort ends the waiting, and the cancel goes on for others", async () => {
  let answer;
  const promise = new Promise((resolve) => {
    answer = resolve;
  });
  const service = scriptedRun({
    cancel: () => promise,
    stream: (connection) => void connection.send(text(1)),
  });
  const handle = await service.handle();
  const waiting = handle.wait();
  const controller = new AbortController();
  const mine = handle.cancel({ signal: controller.signal });
  const other = handle.cancel();
  await turns();
  controller.abort(new Error("mine"));
  await assert.rejects(mine, /^Error: mine$/);
  answer({});
  await turns();
  service.requests.length = 0;
  await assert.rejects(handle.cancel({ signal: AbortSignal.abort(new Error("before")) }), /^Error: before$/);
  assert.equal(service.count("cancel"), 0);
  service.connections[0].send(whole);
  await other;
  assert.equal((await waiting).status, "finished");
  assert.equal(service.count("cancel"), 0, "nobody asked again");
});

test("a signal that is aborted already makes every call reject, also when the run is over", async () => {
  const signal = AbortSignal.abort(new Error("before"));
  for (const record of [{}, { status: "FINISHED" }]) {
    const service = scriptedRun({ record });
    const handle = await service.handle();
    for (const name of ["wait", "cancel", "conversation"]) {
      await assert.rejects(handle[name]({ signal }), /^Error: before$/, name);
    }
    await assert.rejects(handle.stream({ signal }).next(), /^Error: before$/);
    assert.equal(service.requests.length, 1, "only getRun's");
  }
});

test("a listener or onWarning whose promise rejects harms nobody", async () => {
  const said = [];
  const { error } = console;
  console.error = (...words) => said.push(words.join(" "));
  try {
    const warnings = [];
    const complaints = await unhandledDuring(async () => {
      const service = scriptedRun({ stream: (connection) => void connection.send(text(1), whole) });
      const handle = await service.handle({
        onWarning: async (warning) => {
          warnings.push(warning.code);
          throw new Error("and this");
        },
      });
      handle.onDidChangeStatus(async () => {
        throw new Error("mine");
      });
      // What is waited for need not be a promise of this realm's.
      handle.onDidChangeStatus(() => runInNewContext("Promise.reject(new Error('of another realm'))"));
      handle.onDidChangeConnection(async () => {
        throw new Error("mine");
      });
      assert.equal((await handle.wait()).status, "finished");
      await turns();
    });
    assert.deepEqual(complaints, []);
    assert.ok(warnings.length >= 3 && warnings.every((code) => code === "listener_threw"), warnings.join());
    assert.match(said[0], /onWarning threw: Error: and this/);
  } finally {
    console.error = error;
  }
});

test("a page where a stream should be is said to be one", () =>
  withFakeTime(async (clock) => {
    const page = () => new Response("<html>Welcome", { headers: { "content-type": "text/html" } });
    const handle = await scriptedRun({ stream: page }).handle({ retry: { attempts: 1 } });
    const read = assert.rejects(handle.stream().next(), {
      name: "NetworkError",
      code: "not_an_event_stream",
      message: "[not_an_event_stream] The answer is not an event stream: status 200, text/html",
      contentType: "text/html",
      body: "<html>Welcome",
    });
    await clock.advance(60_000);
    await read;
    await assert.rejects(scriptedRun({ record: page }).handle(), {
      name: "UnknownAgentError",
      code: "invalid_answer",
      message: "Failed to parse Cursor API response: status 200, text/html",
      body: "<html>Welcome",
    });
    // Where it is asked for later on, nothing has parsed it yet.
    for (const [answer, type] of [
      [page, "text/html"],
      [() => Response.json({ id: runId, state: "RUNNING" }), "application/json"],
    ]) {
      const service = scriptedRun({
        record: (n) => (n === 1 ? {} : answer()),
        stream: (connection) => void connection.end(),
      });
      const lost = assert.rejects((await service.handle()).stream().next(), {
        code: "invalid_answer",
        message: `[invalid_answer] The answer is no run: status 200, ${type}`,
        contentType: type,
      });
      await clock.advance(1_000);
      await lost;
    }
    const noRun = () => Response.json({ id: runId, state: "RUNNING" });
    await assert.rejects(scriptedRun({ record: noRun }).handle(), {
      code: "invalid_answer",
      message: "The answer is no run: it has no status, or no id",
      body: JSON.stringify({ id: runId, state: "RUNNING" }),
    });
  }));

test("a record of a state that nobody knows does not end the run", async () => {
  const service = scriptedRun({
    record: { status: "PAUSED" },
    stream: (connection, n) =>
      void (n === 1 ? connection.end(text(1)) : connection.send(text(1), text(2), whole)),
  });
  const handle = await service.handle();
  assert.equal(handle.status, "running");
  const messages = [];
  for await (const message of handle.stream()) messages.push(message.message.content[0].text);
  assert.equal(messages.join(""), "1;2;");
  assert.equal(handle.status, "finished");
});

test("a refused key function gets one fresh try for the record that a stream or a wait needs", async () => {
  for (const refusals of [1, 2]) {
    let keys = 0;
    const service = scriptedRun({
      record: (n) => {
        if (n > 1 && n < 2 + refusals) return refusal(401, "unauthorized");
        return n > 2 ? { status: "FINISHED", result: "R" } : {};
      },
      stream: () => refusal(410, "stream_expired"),
    });
    const handle = await service.handle({ apiKey: async () => `key-${++keys}` });
    const waiting = handle.wait();
    if (refusals === 1) assert.equal((await waiting).result, "R");
    else await assert.rejects(waiting, { name: "AuthenticationError", status: 401, operation: "run.wait" });
    const sent = service.requests.map(({ kind, headers }) => [kind, headers.get("authorization")]);
    assert.deepEqual(sent, [
      ["record", "Bearer key-1"],
      ["stream", "Bearer key-2"],
      ["record", "Bearer key-3"],
      ["record", "Bearer key-4"],
    ]);
  }
});

test("a refused key function gets one fresh try for the record, too", async () => {
  let keys = 0;
  const service = scriptedRun({ record: (n) => (n === 1 ? refusal(401, "unauthorized") : {}) });
  const handle = await service.handle({ apiKey: async () => `key-${++keys}` });
  assert.equal(handle.status, "running");
  assert.deepEqual(
    service.of("record").map(({ headers }) => headers.get("authorization")),
    ["Bearer key-1", "Bearer key-2"],
  );
});
