// Who may use a session host: users, and the pages they use it from.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError, init as loadEngine } from "runwire";
import { createSessionHost } from "runwire/host";
import { scriptedQuery } from "../lib/scripted-query.mjs";
import { base, hostWith, request, settled } from "../lib/session-client.mjs";

await loadEngine();

/** Everything that can be asked of a session. */
const asked = [
  ["", "GET"],
  ["/stream", "GET"],
  ["/stream", "HEAD"],
  ["/messages", "POST"],
  ["/interrupt", "POST"],
  ["/close", "POST"],
  ["/end", "POST"],
  ["/commands", "GET"],
  ["/context", "GET"],
];

const withBody = (method) => (method === "POST" ? { json: { clientId: "m", text: "hi" } } : { method });

test("without authorize there is no host", () => {
  const { query } = scriptedQuery();
  for (const authorize of [undefined, null, true, "", "Public", "everybody", {}]) {
    assert.throws(
      () => createSessionHost({ query, authorize }),
      (error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.equal(error.code, "invalid_option");
        assert.match(error.message, /authorize: "public"/);
        return true;
      },
    );
  }
  assert.equal(typeof createSessionHost({ query, authorize: "public" }).fetch, "function");
});

test("options that are not what they must be are refused", () => {
  const { query } = scriptedQuery();
  for (const wrong of [
    { query: undefined },
    { query: "query" },
    { basePath: "agent" },
    { basePath: 5 },
    { maxSessions: 0 },
    { maxBodyBytes: -1 },
    { maxLogBytes: "1" },
    { idleMs: Number.NaN },
    { keepMs: null },
    { origins: ["*"] },
    { origins: ["https://app.example/"] },
    { origins: ["app.example"] },
    { origins: ["null"] },
    { origins: [undefined] },
  ]) {
    assert.throws(() => createSessionHost({ query, authorize: "public", ...wrong }), {
      constructor: ConfigurationError,
      code: "invalid_option",
    });
  }
});

test("authorize is asked for each request, with what it wants", async () => {
  const wants = [];
  const { session, fetch } = hostWith({
    authorize: (request, access) => {
      wants.push([request.method, new URL(request.url).pathname, access]);
      return true;
    },
  });
  const path = await session();
  const sessionId = path.slice("/sessions/".length);
  assert.deepEqual(wants.splice(0), [["POST", "/sessions", { action: "create", sessionId: undefined }]]);
  for (const [rest, method] of asked) {
    const { body } = await fetch(request(path + rest, withBody(method)));
    await body?.cancel();
    assert.deepEqual(wants.splice(0), [[method, path + rest, { action: "join", sessionId }]]);
  }
});

test("what authorize does not allow is 403, and nothing has happened", async () => {
  for (const verdict of [false, undefined, null, "", 0, 1, {}, []]) {
    for (const authorize of [() => verdict, async () => verdict]) {
      let open = true;
      const { session, ask, scripted, host } = hostWith({
        authorize: (...parameters) => open || authorize(...parameters),
      });
      const path = await session();
      open = false;
      const begun = await ask("/sessions", { json: { clientId: "c" } });
      assert.deepEqual([begun.status, begun.body.error.code], [403, "forbidden"]);
      for (const [rest, method] of asked) {
        assert.equal((await ask(path + rest, withBody(method))).status, 403, `${rest} ${verdict}`);
        assert.equal((await ask(`/sessions/${crypto.randomUUID()}${rest}`, withBody(method))).status, 403);
      }
      await settled();
      const [{ received, interrupts, closed }] = scripted.agents;
      assert.deepEqual([scripted.agents.length, received, interrupts, closed], [1, [], 0, false]);
      assert.equal(host.sessions.length, 1);
    }
  }
});

test("a session is its user's: to others it is as if it were not", async () => {
  const authorize = (request) => request.headers.get("x-user") ?? true;
  const { session, ask, scripted, host } = hostWith({ authorize });
  const as = (user) => (user === undefined ? {} : { headers: { "x-user": user } });
  const users = ["ann", "bob", "null", "undefined", "true", undefined];
  for (const owner of users) {
    const path = await session({}, as(owner));
    for (const other of users.filter((user) => user !== owner)) {
      for (const [rest, method] of asked) {
        const refused = await ask(path + rest, { ...withBody(method), ...as(other) });
        const missing = await ask(`/sessions/${crypto.randomUUID()}${rest}`, {
          ...withBody(method),
          ...as(other),
        });
        assert.equal(refused.status, 404, `${owner} ${other} ${rest}`);
        assert.deepEqual([refused.status, refused.body], [missing.status, missing.body]);
      }
    }
    assert.equal((await ask(path, as(owner))).status, 200);
    assert.equal(scripted.agent.closed, false);
  }
  assert.deepEqual(
    host.sessions.map(({ user, status, readers }) => [user, status, readers]),
    users.map((user) => [user, "RUNNING", 0]),
  );
});

test("the same client id of two users is two sessions", async () => {
  const { ask, host } = hostWith({ authorize: (request) => request.headers.get("x-user") ?? true });
  const begin = (user) =>
    ask("/sessions", { json: { clientId: "1" }, headers: user ? { "x-user": user } : {} });
  const answers = [await begin("ann"), await begin("bob"), await begin("null"), await begin()];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  assert.equal(new Set(host.sessions.map(({ id }) => id)).size, 4);
});

test("a Response of authorize's is the answer, as it is", async () => {
  const made = [];
  const { fetch } = hostWith({
    authorize: () => {
      made.push(Response.redirect("https://login.example/", 302));
      return made.at(-1);
    },
  });
  assert.equal(await fetch(request("/sessions", { json: { clientId: "c" } })), made[0]);
  assert.equal(await fetch(request(`/sessions/${crypto.randomUUID()}`)), made[1]);
});

test("an authorize or options that throws is told to the operator and to nobody else", async () => {
  const secret = new Error("database at 10.0.0.7");
  const fails = () => {
    throw secret;
  };
  for (const more of [
    { authorize: fails },
    { authorize: async () => fails() },
    { options: fails },
    { options: async () => fails() },
  ]) {
    const { ask, errors, host } = hostWith(more);
    const { status, body } = await ask("/sessions", { json: { clientId: "c" } });
    assert.deepEqual([status, body.error.code], [500, "internal_error"]);
    assert.doesNotMatch(JSON.stringify(body), /10\.0/);
    assert.deepEqual(errors, [{ error: secret, sessionId: undefined }]);
    assert.deepEqual(host.sessions, []);
  }
});

test("a start that failed can be tried again under its client id", async () => {
  let failures = 1;
  const { ask, host } = hostWith({
    options: () => {
      if (failures-- > 0) throw new Error("not yet");
      return {};
    },
  });
  const begin = () => ask("/sessions", { json: { clientId: "c" } });
  assert.equal((await begin()).status, 500);
  assert.equal((await begin()).status, 201);
  assert.equal((await begin()).status, 200);
  assert.equal(host.sessions.length, 1);
});

test("pages of other origins are refused, before anything is asked", async () => {
  const { session, ask } = hostWith({
    authorize: (request) => (request.headers.has("origin") ? assert.fail("authorize was asked") : true),
  });
  const path = await session();
  for (const origin of [
    "https://evil.example",
    "http://host.example",
    "https://host.example:8443",
    "https://host.example.evil.example",
    "https://evilhost.example",
    "HTTPS://HOST.EXAMPLE",
    "null",
    "",
  ]) {
    for (const [rest, method] of [...asked, ["", "OPTIONS"]]) {
      const answer = await ask(path + rest, { ...withBody(method), headers: { origin } });
      assert.equal(answer.status, 403, `${origin} ${method} ${rest}`);
      if (method !== "HEAD") assert.equal(answer.body.error.code, "origin_not_allowed");
      assert.equal(answer.headers.get("access-control-allow-origin"), null);
    }
    assert.equal((await ask("/sessions", { json: { clientId: "c" }, headers: { origin } })).status, 403);
  }
});

test("pages of the host's own origin need no CORS", async () => {
  const { ask } = hostWith();
  const { status, headers } = await ask("/sessions", { json: { clientId: "c" }, headers: { origin: base } });
  assert.equal(status, 201);
  assert.deepEqual(
    [...headers.keys()].filter((name) => name.startsWith("access-control") || name === "vary"),
    [],
  );
});

test("an origin that was named may use everything, with credentials, and read every answer", async () => {
  const origin = "https://app.example";
  const { session, ask, fetch } = hostWith({
    origins: ["http://localhost:5173", origin],
    authorize: (request) => request.headers.get("cookie") ?? Response.json({ login: true }, { status: 401 }),
  });
  const from = { headers: { origin, cookie: "u=ann" } };
  const path = await session({}, from);
  const shared = (headers) => {
    assert.equal(headers.get("access-control-allow-origin"), origin);
    assert.equal(headers.get("access-control-allow-credentials"), "true");
    assert.equal(headers.get("vary"), "Origin");
  };
  const { body, headers } = await fetch(request(`${path}/stream`, from));
  shared(headers);
  assert.equal(headers.get("content-type"), "text/event-stream");
  await body.cancel();
  for (const [rest, json, status] of [
    ["/messages", { clientId: "m", text: "hi" }, 202],
    ["/messages", {}, 400],
    ["/nothing", {}, 404],
    ["/commands", {}, 405],
    ["/close", {}, 200],
  ]) {
    const answer = await ask(path + rest, { json, ...from });
    assert.equal(answer.status, status, rest);
    shared(answer.headers);
  }
  const refused = await ask(path, { headers: { origin } });
  assert.deepEqual([refused.status, refused.body], [401, { login: true }]);
  shared(refused.headers);
  // What a cache keeps for a page of one origin must not be given to another's.
  assert.equal((await ask(path, { headers: { cookie: "u=ann" } })).headers.get("vary"), "Origin");
  assert.equal((await ask(path, { headers: { origin: "https://evil.example" } })).status, 403);
});

test("a page that asks first is told what it may send, without authorization", async () => {
  const origin = "https://app.example";
  const { ask } = hostWith({ origins: [origin], authorize: () => assert.fail("authorize was asked") });
  for (const [path, method, methods] of [
    ["/sessions", "POST", "POST, OPTIONS"],
    [`/sessions/${crypto.randomUUID()}/stream`, "GET", "GET, HEAD, OPTIONS"],
    [`/sessions/${crypto.randomUUID()}/messages`, "POST", "POST, OPTIONS"],
  ]) {
    const answer = await ask(path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": "content-type,last-event-id,x-session",
      },
    });
    assert.deepEqual([answer.status, answer.body], [204, ""]);
    assert.equal(answer.headers.get("access-control-allow-origin"), origin);
    assert.equal(answer.headers.get("access-control-allow-credentials"), "true");
    assert.equal(answer.headers.get("access-control-allow-methods"), methods);
    assert.match(answer.headers.get("access-control-allow-headers"), /content-type,last-event-id,x-session/i);
    assert.match(answer.headers.get("vary"), /Access-Control-Request-Headers/);
  }
  const plain = await ask("/sessions", {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST" },
  });
  assert.match(plain.headers.get("access-control-allow-headers"), /Last-Event-ID/);
});
