// Sessions whose messages come from elsewhere: bodies of answers, and what goes back beside them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EventTooLargeError, NetworkError, UnknownAgentError } from "runwire";
import { createInputQueue, init, normalizeMessages, runQuery } from "runwire/kit";
import { delta, result, tool } from "../lib/fake-query.mjs";
import { turns } from "../lib/run-service.mjs";

await init();

const encoder = new TextEncoder();
const sse = "text/event-stream";
const lines = "application/x-ndjson";

function answer(text, type, init = {}) {
  return new Response(text, { ...init, headers: { "content-type": type } });
}

async function all(events) {
  const list = [];
  for await (const event of events) list.push(event);
  return list;
}

const line = (message) => `${JSON.stringify(message)}\n`;
const frame = (message, event = "") => `${event && `event: ${event}\n`}data: ${JSON.stringify(message)}\n\n`;

test("an answer that holds no messages is told with its status and the start of it", async () => {
  const table = [
    [answer("<h1>Oops</h1>", "text/html"), /status 200, text\/html: <h1>Oops/],
    [
      answer('{"error":"no such session"}', "application/json", { status: 404 }),
      /status 404.*no such session/,
    ],
    [new Response(null, { status: 503 }), /status 503, no Content-Type/],
    [answer("x".repeat(10_000), "text/plain"), /x{300}$/],
  ];
  for (const [response, pattern] of table) {
    const run = runQuery("x", { messages: response });
    await assert.rejects(
      run.events.next(),
      (error) => error instanceof UnknownAgentError && pattern.test(error.message),
    );
    assert.deepEqual(await run.events.next(), { done: true, value: undefined });
  }
});

test("what is not JSON is reported with the start of it, and the session goes on", async () => {
  for (const [type, text] of [
    [sse, `${frame(delta("a"))}data: {"type": nonsense${"x".repeat(999)}\n\n${frame(delta("b"))}`],
    [lines, `${line(delta("a"))}{"type": nonsense${"x".repeat(999)}\n${line(delta("b"))}`],
  ]) {
    const warnings = [];
    const events = await all(
      normalizeMessages(answer(text, type), { onWarning: (warning) => warnings.push(warning) }),
    );
    assert.deepEqual(
      events.map(({ text }) => text),
      ["a", "b"],
    );
    assert.deepEqual(
      [warnings.length, warnings[0].code, warnings[0].excerpt.length],
      [1, "invalid_json", 256],
    );
  }
});

test("a host's error is told after what came before it; pings, empty data and [DONE] are nothing", async () => {
  const text = `event: ping\ndata: {}\n\n: hello\n\ndata:\n\n${frame(delta("a"))}data: [DONE]\n\n`;
  assert.equal((await all(normalizeMessages(answer(text, sse)))).length, 1);
  const run = runQuery("x", {
    messages: answer(`${text}event: error\ndata: {"message":"overloaded"}\n\n${frame(delta("b"))}`, sse),
  });
  assert.equal((await run.events.next()).value.text, "a");
  await assert.rejects(
    run.events.next(),
    (error) => error.code === "host_error" && /overloaded/.test(error.message),
  );
  assert.deepEqual(await run.events.next(), { done: true, value: undefined });
});

test("data is read whatever its event is called", async () => {
  const text = frame(delta("a"), "stream_event") + frame(result(), "anything");
  assert.deepEqual(
    (await all(normalizeMessages(answer(text, sse)))).map(({ type }) => type),
    ["text", "turn-end"],
  );
});

test("a message that is too large is a typed error, after what came before it", async () => {
  for (const [type, write] of [
    [sse, frame],
    [lines, line],
  ]) {
    const run = runQuery("x", {
      messages: answer(write(delta("a")) + write(delta("x".repeat(5_000))), type),
      maxEventBytes: 2_000,
    });
    assert.equal((await run.events.next()).value.text, "a");
    await assert.rejects(run.events.next(), EventTooLargeError);
  }
});

test("the body is read only as far as the events are, and cancelled by close(), also while a read waits", async () => {
  let pulled = 0;
  let cancelled = 0;
  const body = new ReadableStream(
    {
      pull(controller) {
        pulled++;
        if (pulled > 3) return new Promise(() => {});
        controller.enqueue(encoder.encode(line(delta(`${pulled}`))));
      },
      cancel() {
        cancelled++;
      },
    },
    { highWaterMark: 0 },
  );
  const run = runQuery("x", { messages: new Response(body, { headers: { "content-type": lines } }) });
  await turns(5);
  assert.equal(pulled, 0);
  assert.equal((await run.events.next()).value.text, "1");
  await turns(5);
  assert.equal(pulled, 1);
  await run.events.next();
  await run.events.next();
  const pending = run.events.next();
  await turns(5);
  run.close();
  assert.deepEqual(await pending, { done: true, value: undefined });
  assert.equal(cancelled, 1);
});

test("a connection that is lost is a NetworkError, after what came before it", async () => {
  const body = new ReadableStream(
    {
      start: (controller) => controller.enqueue(encoder.encode(frame(delta("a")))),
      pull: (controller) => controller.error(new TypeError("terminated")),
    },
    { highWaterMark: 0 },
  );
  const run = runQuery("x", { messages: new Response(body, { headers: { "content-type": sse } }) });
  assert.equal((await run.events.next()).value.text, "a");
  await assert.rejects(
    run.events.next(),
    (error) => error instanceof NetworkError && error.isRetryable && error.cause?.message === "terminated",
  );
});

test("what is said goes to send(), one message after another; a failure of it ends the session", async () => {
  const sent = [];
  let release;
  const queue = createInputQueue();
  const run = runQuery(queue.iterable, {
    messages: (async function* () {
      yield delta("a");
      await new Promise(() => {});
    })(),
    send: (message) => {
      sent.push(message.message.content);
      if (message.message.content === "three") throw new Error("cannot send");
      return new Promise((resolve) => {
        release = resolve;
      });
    },
  });
  queue.push("one");
  queue.push("two");
  await turns(5);
  assert.deepEqual(sent, ["one"]);
  release();
  await turns(5);
  assert.deepEqual(sent, ["one", "two"]);
  release();
  await run.events.next();
  const pending = run.events.next();
  queue.push("three");
  await assert.rejects(pending, /cannot send/);
  assert.deepEqual(await run.events.next(), { done: true, value: undefined });
});

test("the controls beside the messages are used, each of them once", async () => {
  const asked = [];
  const run = runQuery("hello", {
    messages: answer(line(tool("t")), lines),
    send: (message) => asked.push(message.message.content),
    interrupt: async () => "stopped",
    close: () => asked.push("close"),
    supportedCommands: async () => [{ name: "a", description: "", argumentHint: "" }],
    contextUsage: async () => ({ percentage: 1, totalTokens: 2, maxTokens: 3, more: 4 }),
  });
  assert.equal(await run.interrupt(), "stopped");
  assert.equal((await run.supportedCommands()).length, 1);
  assert.deepEqual(await run.contextUsage(), { percentage: 1, totalTokens: 2, maxTokens: 3 });
  await run.events.next();
  run.close();
  run.close();
  assert.deepEqual(asked, ["hello", "close"]);
  assert.deepEqual([run.sessionId, run.resumeToken], [undefined, undefined]);
});
