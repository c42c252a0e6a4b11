// The page's server: what it lets in, and what it sends along.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { after, before, test } from "node:test";
import { createAgent } from "../../www/server/agent.mjs";
import { serve } from "../../www/server.mjs";

let server;
before(async () => {
  server = await serve();
});
after(() => server.close());

/** A request with any headers, `Host` too, which `fetch` does not allow. */
function ask(path, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    // The path as it is: a URL would be tidied up.
    const { hostname, port } = new URL(server.url);
    const asked = request({ hostname, port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

const json = { "content-type": "application/json" };
const run = JSON.stringify({ scenario: "example", pace: "full" });
const post = (path, headers = json, body = run) => ask(path, { method: "POST", headers, body });

test("the page comes with a policy that lets nothing in but its own files", async () => {
  const { status, headers, text } = await ask("/");
  assert.equal(status, 200);
  assert.match(text, /^<!doctype html>/);
  const policy = headers["content-security-policy"];
  for (const part of ["default-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", "object-src 'none'"])
    assert.ok(policy.includes(part), part);
  assert.ok(!policy.includes("unsafe-inline") && !policy.includes("'unsafe-eval'"));
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.ok(!/style=|onclick=|<script>/.test(text), "nothing inline");
});

test("built files may be kept for good, the page itself may not", async () => {
  const { headers, text } = await ask("/");
  assert.equal(headers["cache-control"], "no-cache");
  const [script] = /\/assets\/[\w.-]+\.js/.exec(text);
  const answer = await ask(script);
  assert.match(answer.headers["content-type"], /^text\/javascript/);
  assert.match(answer.headers["cache-control"], /immutable/);
});

test("a run is started and read without a key", async () => {
  const started = await post("/control/runs");
  assert.equal(started.status, 200);
  const { agentId, runId } = JSON.parse(started.text);
  const stream = await ask(`/api/v1/agents/${agentId}/runs/${runId}/stream`);
  assert.match(stream.text, /event: assistant\ndata: \{"text":"I'll update the README now\."\}/);
  const expected = await ask(`/control/runs/${runId}/expected`);
  assert.equal(JSON.parse(expected.text).assistant.length, 27);
});

test("a name that is not the loopback's own is refused", async () => {
  for (const path of ["/", "/api/v1/me", "/control/runs"]) {
    assert.equal((await ask(path, { headers: { host: "rebound.example" } })).status, 421);
  }
});

test("pages of other origins control nothing", async () => {
  assert.equal((await post("/control/runs", { ...json, origin: "https://other.example" })).status, 403);
  assert.equal((await post("/control/runs", { ...json, "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await post("/control/runs", { ...json, "sec-fetch-site": "same-site" })).status, 403);
  assert.equal((await post("/control/runs", { "content-type": "text/plain" })).status, 415);
  assert.equal((await ask("/control/runs")).status, 405);
});

test("an agent's session is begun and talked to without a key, by the page alone", async () => {
  const begin = (headers) =>
    post("/agent/sessions", headers, JSON.stringify({ clientId: crypto.randomUUID() }));
  assert.equal((await begin({ ...json, origin: "https://other.example" })).status, 403);
  const { status, text, headers } = await begin(json);
  assert.equal(status, 201);
  assert.ok(headers["content-security-policy"], "as all answers");
  const path = `/agent/sessions/${JSON.parse(text).id}`;
  const said = JSON.stringify({ clientId: crypto.randomUUID(), text: "/help" });
  assert.equal((await post(`${path}/messages`, json, said)).status, 202);
  await post(`${path}/end`, json, "{}");
  const stream = await ask(`${path}/stream`);
  assert.match(stream.text, /"level":"local-command".*"type":"turn-end".*event: done/s);
});

test("a session's connections are cut, and refused for a while", async () => {
  const clock = { now: () => time, setTimeout, clearTimeout };
  let time = 0;
  const agent = createAgent({ clock });
  const own = createServer(agent.listener).listen(0, "127.0.0.1");
  await once(own, "listening");
  const url = `http://127.0.0.1:${own.address().port}/agent/sessions`;
  const begin = () =>
    fetch(url, { method: "POST", headers: json, body: JSON.stringify({ clientId: crypto.randomUUID() }) });
  const { id } = await (await begin()).json();
  const { body } = await fetch(`${url}/${id}/stream`);
  agent.injectFault("unavailable");
  await assert.rejects(body.getReader().read());
  assert.equal((await begin()).status, 503);
  time = 10_000;
  assert.equal((await begin()).status, 201);
  own.close();
  own.closeAllConnections();
  await agent.close();
});

test("what is not offered is refused", async () => {
  const odd = [
    ["/control/runs", { scenario: "fatal:x", pace: "1" }, 400],
    ["/control/runs", { scenario: "coding", pace: "1000" }, 400],
    ["/control/runs", { scenario: { wire: "" }, pace: "1" }, 400],
    ["/control/runs/run-1/faults", { fault: "cut" }, 404],
    ["/control/agent/faults", { fault: "stall" }, 400],
    ["/control/else", {}, 404],
  ];
  for (const [path, body, status] of odd) {
    assert.equal((await post(path, json, JSON.stringify(body))).status, status, JSON.stringify([path, body]));
  }
  assert.equal((await post("/control/runs", json, "{")).status, 400);
  assert.equal((await post("/control/runs", json, "null")).status, 400);
  assert.equal((await post("/control/runs", json, `"${"x".repeat(2000)}"`)).status, 413);
});

test("nothing outside the built page can be read", async () => {
  for (const path of ["/../package.json", "/..%2fpackage.json", "/server.mjs", "/assets/", "//etc/passwd"]) {
    assert.equal((await ask(path)).status, 404, path);
  }
  assert.equal((await ask("/", { method: "PUT" })).status, 405);
});

test("each fault of the page's buttons breaks a stream that is open", async () => {
  for (const fault of ["cut", "unavailable", "expire", "refuse-id"]) {
    const body = JSON.stringify({ scenario: "coding", pace: "1" });
    const { agentId, runId } = JSON.parse((await post("/control/runs", json, body)).text);
    const response = await fetch(new URL(`/api/v1/agents/${agentId}/runs/${runId}/stream`, server.url));
    const reader = response.body.getReader();
    await reader.read();
    const broken = assert.rejects(async () => {
      while (!(await reader.read()).done);
    }, fault);
    assert.equal((await post(`/control/runs/${runId}/faults`, json, JSON.stringify({ fault }))).status, 200);
    await broken;
  }
});
