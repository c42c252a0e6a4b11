// What a session host answers: its routes, from beginning a session to closing it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init as loadEngine } from "runwire";
import {
  echo,
  gate,
  init,
  messageStart,
  result,
  spoken,
  suggestion,
  textDelta,
  toolResult,
  toolUse,
  wordsOf,
} from "../lib/scripted-query.mjs";
import { hostWith, settled } from "../lib/session-client.mjs";

await loadEngine();

const types = (frames) => frames.map(({ data }) => data?.type);
const textOf = (frames) =>
  frames
    .filter(({ data }) => data?.type === "text")
    .map(({ data }) => data.text)
    .join("");

test("a session is begun, talked to, followed and ended", async () => {
  const { ask, say, stream, scripted } = hostWith();
  const begun = await ask("/sessions", { json: { clientId: "c1" } });
  assert.equal(begun.status, 201);
  assert.deepEqual(Object.keys(begun.body), ["id", "status"]);
  assert.equal(begun.body.status, "RUNNING");
  assert.match(begun.body.id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  const path = `/sessions/${begun.body.id}`;
  assert.deepEqual((await ask(path)).body, { id: begun.body.id, status: "RUNNING" });

  const reader = await stream(path);
  assert.equal(reader.response.status, 200);
  assert.equal(reader.response.headers.get("content-type"), "text/event-stream");
  assert.equal(reader.response.headers.get("cache-control"), "no-store");
  assert.equal(reader.response.headers.get("x-accel-buffering"), "no");

  const said = await say(path, "Hello there");
  assert.deepEqual([said.status, said.body], [202, { accepted: true }]);
  const first = await reader.turn();
  assert.equal(textOf(first), "You said: Hello there");
  await say(path, "Again");
  const second = await reader.turn();
  assert.equal(textOf(second), "You said: Again");
  assert.equal(second.at(-1).data.resultText, "You said: Again");
  assert.deepEqual(scripted.agent.received.map(wordsOf), ["Hello there", "Again"]);

  assert.deepEqual((await ask(`${path}/end`, { method: "POST" })).body, {});
  assert.deepEqual(await reader.rest(), [{ event: "done", data: {} }]);
  assert.deepEqual((await ask(path)).body, { id: begun.body.id, status: "FINISHED" });
});

test("the ids of a session are not to be guessed from each other", async () => {
  const { session } = hostWith();
  const ids = new Set();
  for (let count = 0; count < 50; count++) ids.add(await session());
  assert.equal(ids.size, 50);
  // Of a random UUID every digit but the version's and the variant's is random.
  const digits = [...ids].map((path) => path.slice(-12, -10));
  assert.ok(new Set(digits).size > 10, digits.join(" "));
});

test("a frame is an id, one line of data and nothing else, and the ids count from 1", async () => {
  const { session, stream } = hostWith();
  const reader = await stream(await session({ prompt: "two\nlines" }));
  const frames = await reader.rest();
  assert.deepEqual(
    frames.slice(0, -1).map(({ id }) => id),
    frames.slice(0, -1).map((_, at) => `${at + 1}`),
  );
  const blocks = reader.raw.split("\n\n");
  assert.equal(blocks.pop(), "");
  assert.equal(blocks.pop(), "event: done\ndata: {}");
  for (const block of blocks) assert.match(block, /^id: \d+\ndata: \{"type":"[^\n]*\}$/);
});

test("a session with a prompt is one turn, and takes no messages", async () => {
  const { session, stream, say, scripted, ask } = hostWith();
  const path = await session({ prompt: "Once" });
  const refused = await say(path, "more");
  assert.deepEqual([refused.status, refused.body.error.code], [409, "session_over"]);
  assert.equal((await ask(`${path}/end`, { method: "POST" })).status, 200);
  const frames = await (await stream(path)).rest();
  assert.equal(textOf(frames), "You said: Once");
  assert.deepEqual(frames.at(-1), { event: "done", data: {} });
  assert.equal(scripted.agent.prompt, "Once");
});

test("all kinds of events come through, in their order", async () => {
  function* turn() {
    yield init({ mcp_servers: [{ name: "files", status: "failed" }] });
    yield* spoken("m1", "I look");
    yield toolUse("t1", "Read", { path: "a/b" });
    yield toolResult("t1", "the file");
    yield result("done");
    yield suggestion("And now?");
  }
  const { session, say, stream, ask } = hostWith({ script: { turn } });
  const path = await session();
  await say(path, "go");
  await settled();
  await ask(`${path}/close`, { method: "POST" });
  const frames = await (await stream(path)).rest();
  const kinds = types(frames);
  assert.deepEqual(
    kinds.filter((type, at) => type !== kinds[at - 1]),
    ["mcp-error", "text", "action", "tool-result", "turn-end", "prompt-suggestion", undefined],
  );
  assert.deepEqual(frames.find(({ data }) => data.type === "action").data, {
    type: "action",
    toolName: "Read",
    input: { path: "a/b" },
    toolUseId: "t1",
  });
});

test("the host takes the agent's events though nobody reads", async () => {
  const { session, say, host, scripted } = hostWith();
  const path = await session();
  await say(path, "one");
  await say(path, "two");
  await settled();
  assert.equal(scripted.agent.received.length, 2);
  assert.equal(host.sessions[0].readers, 0);
});

test("the options of the operator reach the agent, made for each session", async () => {
  const given = [];
  const fixed = hostWith({ options: { model: "m", cwd: "/w" } });
  await fixed.session({ options: { cwd: "/etc" }, cwd: "/etc" });
  assert.deepEqual(fixed.scripted.agent.options, { model: "m", cwd: "/w" });

  const made = hostWith({
    authorize: (request) => request.headers.get("x-user"),
    options: async ({ request, user }) => {
      given.push([new URL(request.url).pathname, user]);
      return { cwd: `/home/${user}` };
    },
  });
  for (const user of ["ann", "bob"]) await made.session({}, { headers: { "x-user": user } });
  assert.deepEqual(
    made.scripted.agents.map(({ options }) => options.cwd),
    ["/home/ann", "/home/bob"],
  );
  assert.deepEqual(given, [
    ["/sessions", "ann"],
    ["/sessions", "bob"],
  ]);
});

test("content blocks are passed on as the message's content", async () => {
  const { session, ask, scripted } = hostWith();
  const path = await session();
  const content = [
    { type: "text", text: "look" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
  ];
  assert.equal((await ask(`${path}/messages`, { json: { clientId: "m", content } })).status, 202);
  await settled();
  assert.deepEqual(scripted.agent.received, [
    { type: "user", message: { role: "user", content }, parent_tool_use_id: null },
  ]);
});

test("an interruption stops the turn, gives what the agent says to it, and the session goes on", async () => {
  const { opened } = gate();
  async function* turn(message) {
    if (wordsOf(message) !== "stuck") return yield* echo(message);
    yield init();
    yield messageStart("m");
    yield textDelta("Wait");
    await opened;
  }
  const receipt = { still_queued: ["u1"], cancelled: 2 };
  const { session, say, stream, ask } = hostWith({ script: { turn, interrupt: () => receipt } });
  const path = await session();
  const reader = await stream(path);
  await say(path, "stuck");
  assert.equal((await reader.next()).data.text, "Wait");
  const answer = await ask(`${path}/interrupt`, { method: "POST" });
  assert.deepEqual([answer.status, answer.body], [200, { result: receipt }]);
  const [end] = await reader.turn();
  assert.equal(end.data.status, "error_during_execution");
  assert.equal(end.data.errorText, "");
  await say(path, "next");
  assert.equal(textOf(await reader.turn()), "You said: next");
});

test("an interruption with a client id is one, however often it is asked for; a refused one may come again", async () => {
  let asked = 0;
  const interrupt = async () => {
    if (++asked === 1) throw new Error("not now");
    return { asked };
  };
  const { session, ask, errors } = hostWith({ script: { interrupt }, maxClientIds: 2 });
  const path = await session();
  const interruption = async (clientId) => {
    const { status, body } = await ask(`${path}/interrupt`, { json: { clientId } });
    return body.result?.asked ?? status;
  };
  assert.equal(await interruption("a"), 502);
  assert.equal(errors.length, 1);
  assert.deepEqual(await Promise.all([interruption("a"), interruption("a")]), [2, 2]);
  assert.equal(await interruption("b"), 3);
  assert.equal(await interruption("a"), 2);
  assert.equal(await interruption("c"), 4);
  assert.equal(await interruption("a"), 5, "so many are remembered");
  for (const clientId of ["", 7, null, "x".repeat(201)]) assert.equal(await interruption(clientId), 400);
});

test("an interruption's result is left out where it is nothing, or nothing for JSON", async () => {
  for (const value of [undefined, 1n, () => {}]) {
    const { session, ask } = hostWith({ script: { interrupt: () => value } });
    const answer = await ask(`${await session()}/interrupt`, { method: "POST" });
    assert.deepEqual([answer.status, answer.body], [200, {}]);
  }
});

test("an agent that refuses a command is told to the operator, not to the client", async () => {
  const secret = new Error("key sk-123 in /etc/agent");
  const fails = () => Promise.reject(secret);
  const { session, ask, errors } = hostWith({ script: { interrupt: fails, commands: fails, usage: fails } });
  const path = await session();
  for (const [rest, method] of [
    ["interrupt", "POST"],
    ["commands", "GET"],
  ]) {
    const { status, body } = await ask(`${path}/${rest}`, { method });
    assert.deepEqual([status, body.error.code], [502, "agent_failed"]);
    assert.doesNotMatch(JSON.stringify(body), /sk-123|etc/);
  }
  assert.deepEqual((await ask(`${path}/context`)).body, { usage: null });
  assert.deepEqual(
    errors.map(({ error, sessionId }) => [error, `/sessions/${sessionId}`]),
    [
      [secret, path],
      [secret, path],
    ],
  );
});

test("commands and context usage are the session's", async () => {
  const commands = [{ name: "compact", description: "Shorten", argumentHint: "" }];
  const usage = { percentage: 12, totalTokens: 24_000, maxTokens: 200_000, categories: [] };
  const { session, ask } = hostWith({ script: { commands, usage } });
  const path = await session();
  const answer = await ask(`${path}/commands`);
  assert.deepEqual([answer.status, answer.body], [200, { items: commands }]);
  assert.deepEqual((await ask(`${path}/context`)).body, {
    usage: { percentage: 12, totalTokens: 24_000, maxTokens: 200_000 },
  });
  await ask(`${path}/close`, { method: "POST" });
  assert.deepEqual((await ask(`${path}/commands`)).body, { items: [] });
  assert.deepEqual((await ask(`${path}/context`)).body, { usage: null });
});

test("closing ends the session and its streams, as often as it is asked", async () => {
  const { session, say, stream, ask, scripted } = hostWith();
  const path = await session();
  const reader = await stream(path);
  for (let time = 0; time < 3; time++) {
    const { status, body } = await ask(`${path}/close`, { method: "POST" });
    assert.deepEqual([status, body], [200, {}]);
  }
  assert.deepEqual(await reader.rest(), [{ event: "done", data: {} }]);
  assert.equal(scripted.agent.closed, true);
  assert.equal((await ask(path)).body.status, "FINISHED");
  assert.equal((await say(path, "late")).body.error.code, "session_over");
  assert.deepEqual((await ask(`${path}/interrupt`, { method: "POST" })).body, {});
  assert.equal(scripted.agent.interrupts, 0);
});

test("closing answers what still waits for the agent", async () => {
  const never = () => new Promise(() => {});
  const { session, ask } = hostWith({ script: { interrupt: never, commands: never, usage: never } });
  const path = await session();
  const waiting = [
    ask(`${path}/interrupt`, { method: "POST" }),
    ask(`${path}/commands`),
    ask(`${path}/context`),
  ];
  await settled();
  await ask(`${path}/close`, { method: "POST" });
  const answers = await Promise.all(waiting);
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    [
      [200, {}],
      [200, { items: [] }],
      [200, { usage: null }],
    ],
  );
});

test("what was said before the input's end is handled, and nothing after it is taken", async () => {
  const held = gate();
  async function* turn(message) {
    await held.opened;
    yield* echo(message);
  }
  const { session, say, stream, ask, scripted } = hostWith({ script: { turn } });
  const path = await session();
  for (const text of ["one", "two", "three"]) await say(path, text);
  await ask(`${path}/end`, { method: "POST" });
  assert.equal((await ask(`${path}/end`, { method: "POST" })).status, 200);
  const refused = await say(path, "four");
  assert.deepEqual([refused.status, refused.body.error.code], [409, "session_over"]);
  assert.equal((await ask(path)).body.status, "RUNNING");
  held.open();
  await (await stream(path)).rest();
  assert.deepEqual(scripted.agent.received.map(wordsOf), ["one", "two", "three"]);
});

test("a session whose agent ends is over", async () => {
  async function* turn(message, agent) {
    yield* echo(message);
    agent.close();
  }
  const { session, say, stream, ask } = hostWith({ script: { turn } });
  const path = await session();
  await say(path, "last");
  const frames = await (await stream(path)).rest();
  assert.deepEqual(frames.at(-1), { event: "done", data: {} });
  assert.equal((await ask(path)).body.status, "FINISHED");
  assert.equal((await say(path, "more")).status, 409);
});

test("what is at no path of the host's is 404, and another method than a path's is 405", async () => {
  const { session, ask, fetch } = hostWith();
  const path = await session();
  for (const other of [
    "/",
    "/session",
    "/sessions/",
    "/sessionsx",
    `${path}/`,
    `${path}/nothing`,
    `${path}/stream/`,
    `${path}/stream/more`,
    `/x${path}`,
    `/${path}`,
    path.toUpperCase(),
    `${path}/constructor`,
    `${path}/__proto__`,
    `${path}/toString`,
    `${path}/%73tream`,
    `${path}%2Fstream`,
  ]) {
    const { status, body } = await ask(other);
    assert.equal(status, 404, other);
    assert.match(body.error.code, /^(session_)?not_found$/);
  }
  for (const [place, allow, wrong] of [
    ["/sessions", "POST, OPTIONS", ["GET", "HEAD", "PUT", "DELETE", "PATCH"]],
    [path, "GET, HEAD, OPTIONS", ["POST", "DELETE"]],
    [`${path}/stream`, "GET, HEAD, OPTIONS", ["POST"]],
    [`${path}/messages`, "POST, OPTIONS", ["GET", "HEAD"]],
    [`${path}/close`, "POST, OPTIONS", ["GET"]],
  ]) {
    for (const method of wrong) {
      const { status, headers } = await ask(place, { method, ...(method === "POST" ? { json: {} } : {}) });
      assert.deepEqual([status, headers.get("allow")], [405, allow], `${method} ${place}`);
    }
    const options = await ask(place, { method: "OPTIONS" });
    assert.deepEqual([options.status, options.headers.get("allow"), options.body], [204, allow, ""]);
  }
  for (const place of [path, `${path}/stream`, `${path}/commands`]) {
    const head = await ask(place, { method: "HEAD" });
    const get = await fetch(new Request(`https://host.example${place}`));
    assert.deepEqual([head.status, head.body], [200, ""]);
    assert.deepEqual([...head.headers], [...get.headers]);
    await get.body.cancel();
  }
});

test("ids that no session has are 404, whatever they look like, and authorize sees none that could be none", async () => {
  const { ask } = hostWith({
    authorize: (_, { sessionId }) => {
      assert.match(sessionId, /^[\da-f-]{36}$/);
      return true;
    },
  });
  for (const id of [
    crypto.randomUUID(),
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "..",
    "%2e%2e",
    "%00",
    "%ff%fe",
    "%F0%9F%98%80",
    "a".repeat(10_000),
    " ",
    "null",
    "undefined",
    "0",
    `${crypto.randomUUID()}%0a`,
  ]) {
    for (const rest of ["", "/stream", "/commands"]) {
      assert.equal((await ask(`/sessions/${id}${rest}`)).status, 404, id);
    }
  }
});

test("the routes lie under the base path, and nowhere else", async () => {
  for (const basePath of ["/api/agent", "/api/agent/"]) {
    const { ask } = hostWith({ basePath });
    const { status, body } = await ask("/api/agent/sessions", { json: { clientId: "c" } });
    assert.equal(status, 201);
    assert.equal((await ask(`/api/agent/sessions/${body.id}`)).status, 200);
    assert.equal((await ask(`/sessions/${body.id}`)).status, 404);
    assert.equal((await ask("/sessions", { json: { clientId: "c" } })).status, 404);
    assert.equal((await ask("/api/agent/x/../sessions", { json: { clientId: "c" } })).status, 200);
  }
});
