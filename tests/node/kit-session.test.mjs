// Reading a session: whoever reads, however they stop, and what is asked of the agent for it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError } from "runwire";
import { createInputQueue, init, runQuery } from "runwire/kit";
import { delta, fakeQuery, result, tool, turnEnd } from "../lib/fake-query.mjs";
import { turns } from "../lib/run-service.mjs";
import { unhandledDuring } from "../lib/unhandled.mjs";

await init();

const texts = (events) => events.filter(({ type }) => type === "text").map(({ text }) => text);

function session(methods) {
  const fake = fakeQuery(methods);
  const queue = createInputQueue();
  return { ...fake, queue, run: runQuery(queue.iterable, { query: fake.query }) };
}

async function some(run, count) {
  const events = [];
  for await (const event of run.events) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

test("query gets the prompt and all options that are not ours, at once; nothing is pulled before it is read", async () => {
  const fake = fakeQuery();
  const run = runQuery("Do it", {
    query: fake.query,
    cwd: "/w",
    includePartialMessages: true,
    onWarning() {},
  });
  assert.deepEqual(fake.log.given, { prompt: "Do it", options: { cwd: "/w", includePartialMessages: true } });
  await turns(5);
  assert.equal(fake.log.pulled, 0);
  const first = run.events.next();
  fake.give(delta("a"), delta("b"));
  assert.deepEqual(await first, { done: false, value: { type: "text", text: "a" } });
  await turns(5);
  assert.equal(fake.log.pulled, 1);
});

test("overlapping calls of next() are answered in their order, and done after the end", async () => {
  const { run, give, end } = session();
  const calls = Array.from({ length: 5 }, () => run.events.next());
  give(delta("a"), { type: "keep_alive" }, delta("b"), result());
  end();
  const results = await Promise.all(calls);
  assert.deepEqual(
    results.map(({ done, value }) => (done ? "done" : (value.text ?? value.type))),
    ["a", "b", "turn-end", "done", "done"],
  );
  assert.deepEqual(await run.events.next(), { done: true, value: undefined });
});

test("break ends the loop of a session, and loses nothing", async () => {
  const { run, give, end, log } = session();
  // One message that gives two events: the second is kept for the next loop.
  const both = { type: "user", message: { content: [] } };
  give(tool("t1"), tool("t2"));
  both.message.content = ["t1", "t2"].map((id) => ({ type: "tool_result", tool_use_id: id, content: id }));
  give(both, result(), delta("later"));
  end();
  assert.deepEqual(
    (await some(run, 3)).map(({ type }) => type),
    ["action", "action", "tool-result"],
  );
  assert.equal(log.closed + log.returned, 0);
  const rest = [];
  for await (const event of run.events) rest.push(event.toolUseId ?? event.type);
  assert.deepEqual(rest, ["t2", "turn-end", "text"]);
});

test("a loop that was left gives nothing more, while others go on", async () => {
  const { run, give } = session();
  give(delta("a"), delta("b"));
  const left = run.events[Symbol.asyncIterator]();
  assert.equal((await left.next()).value.text, "a");
  assert.deepEqual(await left.return(), { done: true, value: undefined });
  assert.deepEqual(await left.next(), { done: true, value: undefined });
  assert.equal((await run.events.next()).value.text, "b");
});

test("break closes the run of one prompt", async () => {
  const fake = fakeQuery();
  const run = runQuery("x", { query: fake.query });
  fake.give(delta("a"), delta("b"));
  assert.equal((await some(run, 1)).length, 1);
  assert.equal(fake.log.closed, 1);
  assert.deepEqual(await run.events.next(), { done: true, value: undefined });
});

test("close() is done at once: pending and later reads are done, and a close that throws harms nobody", async () => {
  for (const methods of [{}, { close: undefined }, { close: () => assert.fail("broken") }]) {
    const { run, give, log } = session(methods);
    const pending = [run.events.next(), run.events.next()];
    await turns(3);
    run.close();
    run.close();
    give(delta("late"));
    for (const call of pending) assert.deepEqual(await call, { done: true, value: undefined });
    assert.deepEqual(await run.events.next(), { done: true, value: undefined });
    assert.equal(await run.interrupt(), undefined);
    assert.deepEqual(await run.supportedCommands(), []);
    assert.equal(await run.contextUsage(), null);
    assert.equal(log.interrupted, 0);
    if (!("close" in methods)) assert.equal(log.closed, 1);
    if (methods.close === undefined && "close" in methods) assert.equal(log.returned, 1);
  }
});

test("what was read before close() is not given after it", async () => {
  const { run, give } = session();
  const message = tool("t");
  message.message.content.push({ type: "tool_use", id: "u", name: "Read", input: {} });
  give(message);
  await run.events.next();
  run.close();
  assert.deepEqual(await run.events.next(), { done: true, value: undefined });
});

test("an error of the source comes once, after what came before it, and then it is over", async () => {
  const { run, give, fail } = session();
  give(delta("a"));
  fail(new Error("the process died"));
  const calls = [run.events.next(), run.events.next(), run.events.next()];
  assert.equal((await calls[0]).value.text, "a");
  await assert.rejects(calls[1], /the process died/);
  assert.deepEqual(await calls[2], { done: true, value: undefined });
});

test("the late error of a failed prompt is swallowed; any other is not", async () => {
  const late = new Error("Claude Code returned an error result: boom");
  const of = (...messages) => {
    const fake = fakeQuery();
    fake.give(...messages);
    fake.fail(late);
    return runQuery("x", { query: fake.query });
  };
  const failed = result({ subtype: "error_max_turns", is_error: true });
  for (const messages of [[failed], [failed, { type: "prompt_suggestion", suggestion: "s" }]]) {
    const events = [];
    for await (const event of of(...messages).events) events.push(event.type);
    assert.equal(events[0], "turn-end");
  }
  await assert.rejects(async () => {
    for await (const _ of of(result()).events);
  }, late);
  await assert.rejects(async () => {
    for await (const _ of of().events);
  }, late);
  const { run, give, fail } = session();
  give(failed);
  fail(late);
  await run.events.next();
  await assert.rejects(run.events.next(), late);
});

test("a stream that ends with no result is done, and no turn's end is invented", async () => {
  const { run, give, end } = session();
  give(delta("a"));
  end();
  const events = [];
  for await (const event of run.turn()) events.push(event.type);
  assert.deepEqual(events, ["text"]);
});

test("turn() reads to the end of a turn, that included; what comes later is the next one's", async () => {
  const { run, give } = session();
  give(
    delta("a"),
    result(),
    { type: "prompt_suggestion", suggestion: "s" },
    delta("b"),
    result({ result: "2" }),
    delta("c"),
  );
  const turnsRead = [];
  for (let turn = 0; turn < 2; turn++) {
    const events = [];
    for await (const event of run.turn()) events.push(event);
    turnsRead.push(events);
  }
  assert.deepEqual(turnsRead, [
    [{ type: "text", text: "a" }, turnEnd()],
    [
      { type: "prompt-suggestion", suggestion: "s" },
      { type: "text", text: "b" },
      turnEnd({ resultText: "2" }),
    ],
  ]);
  assert.equal((await run.events.next()).value.text, "c");
});

test("a turn that is left goes on with the next reader", async () => {
  const { run, give } = session();
  give(delta("a"), delta("b"), result());
  for await (const _ of run.turn()) break;
  assert.equal((await run.events.next()).value.text, "b");
});

test("ask() pushes and collects a turn, one after another", async () => {
  const fake = fakeQuery();
  const queue = createInputQueue();
  const said = [];
  (async () => {
    for await (const message of queue.iterable) {
      said.push(message.message.content);
      fake.give(delta(`re: ${message.message.content}`), delta("!"), result());
    }
  })();
  // The queue has its reader already: what is asked through another view of it is the same queue.
  const run = runQuery(queue.iterable, { query: fake.query });
  const [first, second] = await Promise.all([run.ask("one"), run.ask("two")]);
  assert.deepEqual(said, ["one", "two"]);
  assert.equal(first.text, "re: one!");
  assert.deepEqual(first.end, turnEnd());
  assert.deepEqual(
    second.events.map(({ type }) => type),
    ["text", "text", "turn-end"],
  );
  const third = run.ask("three");
  await turns(5);
  assert.deepEqual(said, ["one", "two", "three"]);
  assert.equal((await third).text, "re: three!");
  run.close();
  assert.deepEqual(await run.ask("four"), { events: [], text: "" });
});

test("ask() without a queue of ours says what it needs", async () => {
  const run = runQuery("x", { query: fakeQuery().query });
  await assert.rejects(
    run.ask("y"),
    (error) => error instanceof ConfigurationError && /createInputQueue/.test(error.message),
  );
});

test("interrupt() gives what the agent gives; a failure of it that nobody looks at is no unhandled rejection", async () => {
  const { run, log } = session();
  assert.deepEqual(await run.interrupt(), { still_queued: [] });
  assert.equal(log.interrupted, 1);
  const broken = session({ interrupt: () => Promise.reject(new Error("no")) });
  const complaints = await unhandledDuring(() => {
    void broken.run.interrupt();
  });
  assert.deepEqual(complaints, []);
  await assert.rejects(broken.run.interrupt(), /no/);
  const without = session({ interrupt: undefined });
  await assert.rejects(without.run.interrupt(), (error) => error instanceof ConfigurationError);
});

test("commands and context usage are the agent's, or nothing where it cannot tell", async () => {
  const asked = [];
  const { run } = session({
    getContextUsage: async (options) => {
      asked.push(options);
      return { percentage: 101, totalTokens: 5, maxTokens: 4, rawMaxTokens: 9, categories: [1] };
    },
  });
  assert.deepEqual(await run.supportedCommands(), [
    { name: "compact", description: "Compacts", argumentHint: "" },
  ]);
  assert.deepEqual(await run.contextUsage(), { percentage: 101, totalTokens: 5, maxTokens: 4 });
  assert.deepEqual(asked, [{ detail: "summary" }]);
  const without = session({ supportedCommands: undefined, getContextUsage: undefined });
  assert.deepEqual(await without.run.supportedCommands(), []);
  assert.equal(await without.run.contextUsage(), null);
  const broken = session({ getContextUsage: () => Promise.reject(new Error("no")) });
  assert.equal(await broken.run.contextUsage(), null);
});

test("an abort rejects whoever waits with the signal's reason, once, and leaves no listener on the signal", async () => {
  const { getEventListeners } = await import("node:events");
  const controller = new AbortController();
  const fake = fakeQuery();
  const run = runQuery("x", { query: fake.query, signal: controller.signal });
  assert.equal(getEventListeners(controller.signal, "abort").length, 0);
  const pending = run.events.next();
  assert.equal(getEventListeners(controller.signal, "abort").length, 1);
  controller.abort("enough");
  await assert.rejects(pending, (reason) => reason === "enough");
  assert.deepEqual(await run.events.next(), { done: true, value: undefined });
  assert.equal(fake.log.closed, 1);
  const other = new AbortController();
  const ended = fakeQuery();
  const over = runQuery("x", { query: ended.query, signal: other.signal });
  const last = over.events.next();
  ended.end();
  await last;
  assert.equal(getEventListeners(other.signal, "abort").length, 0);
  const early = runQuery("x", { query: fakeQuery().query, signal: AbortSignal.abort("before") });
  await assert.rejects(early.events.next(), (reason) => reason === "before");
});

test("without a place where the agent is, the error shows the three there are", () => {
  for (const options of [undefined, {}, { query: 5 }, { messages: 7 }, { messages: {} }, { cwd: "/w" }]) {
    assert.throws(
      () => runQuery("x", options),
      (error) => error instanceof ConfigurationError && /query.*url.*messages/s.test(error.message),
    );
  }
  assert.throws(() => runQuery(undefined, { query: fakeQuery().query }), /The prompt is a string/);
  assert.throws(() => runQuery("x", { query: () => undefined }), /must give an async iterable/);
  assert.throws(() => runQuery("x", { query: () => assert.fail("not now") }), /not now/);
});

test("a message that is no JSON is an error that says so, after what came before", async () => {
  const { run, give } = session();
  const circular = {};
  circular.self = circular;
  give(delta("a"), circular);
  assert.equal((await run.events.next()).value.text, "a");
  await assert.rejects(run.events.next(), (error) => error.code === "invalid_message");
  const odd = session();
  odd.give(undefined ?? 7, "text", Symbol.iterator, [], () => {}, delta("b"));
  assert.deepEqual(texts([(await odd.run.events.next()).value]), ["b"]);
});
