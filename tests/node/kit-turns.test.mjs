// What turns can look like beside "a message, an answer": interrupted, in the background, with news in between. Each
// over a query() and over a host, which must not differ.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createInputQueue, init as loadEngine, runQuery } from "runwire/kit";
import {
  assistant,
  gate,
  info,
  init,
  messageStart,
  result,
  scriptedQuery,
  spoken,
  suggestion,
  textDelta,
  toolResult,
  toolUse,
  wordsOf,
} from "../lib/scripted-query.mjs";
import { base, hostWith, settled } from "../lib/session-client.mjs";
import { networkTo } from "../lib/session-network.mjs";

await loadEngine();

/** The ways to the agent that `script` plays. */
const ways = {
  "of a query()"(script) {
    const scripted = scriptedQuery(script);
    return { scripted, options: { query: scripted.query } };
  },
  "of a host"(script) {
    const { host, scripted } = hostWith({ script });
    return { scripted, options: { url: base, fetch: networkTo(host) } };
  },
};

function sessionOf(way, script) {
  const { scripted, options } = way(script);
  const queue = createInputQueue();
  return { queue, run: runQuery(queue.iterable, options), scripted };
}

async function read(events) {
  const list = [];
  for await (const event of events) list.push(event);
  return list;
}

const said = (events) => events.map((event) => event.text ?? event.suggestion ?? event.type);
const isInterrupted = { status: "error_during_execution", failed: true, resultText: null, errorText: "" };

for (const [name, way] of Object.entries(ways)) {
  describe(name, () => {
    test("a turn that is interrupted in the middle of a tool ends, and the session goes on", async () => {
      async function* turn(message) {
        if (wordsOf(message) !== "work") return yield* spoken(`m${wordsOf(message)}`, "Yes");
        yield init();
        yield* spoken("m0", "I run it");
        yield toolUse("t1", "Bash", { command: "sleep 1000" });
        await new Promise(() => {});
      }
      async function* ended(message) {
        yield* turn(message);
        // What was cut is not told later: its tool has no result.
        yield result("Yes");
      }
      const { run, queue, scripted } = sessionOf(way, { turn: ended });
      queue.push("work");
      const events = [];
      for await (const event of run.turn()) {
        events.push(event);
        if (event.type === "action") assert.deepEqual(await run.interrupt(), { still_queued: [] });
      }
      assert.deepEqual(said(events), ["I ", "run ", "it", "action", "turn-end"]);
      const { usage: _, type, ...end } = events.at(-1);
      assert.deepEqual(end, isInterrupted);
      const { text, end: next } = await run.ask("go on");
      assert.deepEqual([text, next.failed], ["Yes", false]);
      assert.equal(scripted.agent.interrupts, 1);
      run.close();
    });

    test("a tool's result that comes in the turn after the interruption still has its name", async () => {
      async function* turn(message) {
        if (wordsOf(message) === "work") {
          yield toolUse("t1", "Bash", {});
          await new Promise(() => {});
        }
        yield toolResult("t1", "[Request interrupted by user]", true);
        yield result("");
      }
      const { run, queue } = sessionOf(way, { turn });
      queue.push("work");
      assert.equal((await run.events.next()).value.type, "action");
      await run.interrupt();
      assert.equal((await run.events.next()).value.type, "turn-end");
      const { events } = await run.ask("and?");
      assert.deepEqual(events[0], {
        ...{ type: "tool-result", toolUseId: "t1", toolName: "Bash", isError: true },
        text: "[Request interrupted by user]",
      });
      run.close();
    });

    test("text that was interrupted comes as far as it came, and is not part of the next", async () => {
      async function* turn(message) {
        yield messageStart("m1");
        yield textDelta("Once upon ");
        if (wordsOf(message) === "stop") {
          await new Promise(() => {});
        }
        yield textDelta("a time");
        yield assistant("m1", { type: "text", text: "Once upon a time" });
        yield result("Once upon a time");
      }
      const { run, queue } = sessionOf(way, { turn });
      queue.push("stop");
      assert.equal((await run.events.next()).value.text, "Once upon ");
      await run.interrupt();
      assert.deepEqual(said(await read(run.turn())), ["turn-end"]);
      assert.equal((await run.ask("again")).text, "Once upon a time");
      run.close();
    });

    test("an interruption between turns gives no end of a turn, and harms none", async () => {
      const { run, scripted } = sessionOf(way);
      assert.equal((await run.ask("one")).text, "You said: one");
      await Promise.all([run.interrupt(), run.interrupt()]);
      const { events, text } = await run.ask("two");
      assert.equal(text, "You said: two");
      assert.equal(events.filter(({ type }) => type === "turn-end").length, 1);
      assert.equal(scripted.agent.interrupts, 2);
      run.close();
    });

    test("a turn that the agent begins by itself is a turn, with nothing pushed for it", async () => {
      const held = gate();
      async function* turn(message) {
        yield init();
        yield toolUse("b1", "Bash", { command: "make", run_in_background: true });
        yield toolResult("b1", "Running in the background");
        yield result("Started", { terminal_reason: "background_requested" });
        await held.opened;
        yield { type: "system", subtype: "task_notification", task_id: "b1", status: "completed" };
        yield init();
        yield* spoken(`m-${wordsOf(message)}`, "The build is done");
        yield result("The build is done", { origin: { kind: "task-notification" } });
      }
      const { run, queue, scripted } = sessionOf(way, { turn });
      const { end } = await run.ask("build");
      assert.equal(end.resultText, "Started");
      const background = read(run.turn());
      held.open();
      assert.deepEqual(said(await background), ["The ", "build ", "is ", "done", "turn-end"]);
      assert.equal(scripted.agent.received.length, 1);
      queue.end();
      assert.deepEqual(await read(run.events), []);
    });

    test("messages that the agent takes up together are one turn; more ends than messages are possible, too", async () => {
      async function* turn(message) {
        // The last line stands for both.
        if (wordsOf(message) === "a") return;
        yield result(wordsOf(message));
      }
      const { run, queue } = sessionOf(way, { turn });
      for (const line of ["a", "b", "c"]) queue.push(line);
      queue.end();
      const ends = await read(run.events);
      assert.deepEqual(
        ends.map(({ resultText }) => resultText),
        ["b", "c"],
      );
    });

    test("news come when they come, also while no turn goes on", async () => {
      const held = gate();
      async function* turn() {
        yield info("before", "notice");
        yield result("");
        await held.opened;
        yield info("between", "warning");
        yield { type: "system", subtype: "local_command_output", content: "/usage: 3 %" };
      }
      const { run, queue } = sessionOf(way, { turn });
      queue.push("go");
      assert.deepEqual(said(await read(run.turn())), ["before", "turn-end"]);
      const between = [run.events.next(), run.events.next()];
      await settled();
      held.open();
      assert.deepEqual(
        (await Promise.all(between)).map(({ value }) => value),
        [
          { type: "info", text: "between", level: "warning" },
          { type: "info", text: "/usage: 3 %", level: "local-command" },
        ],
      );
      run.close();
    });

    test("a suggestion comes after the end of its turn, with what is read next", async () => {
      async function* turn(message) {
        yield* spoken(`m-${wordsOf(message)}`, "Yes");
        yield result("Yes");
        yield suggestion(`After ${wordsOf(message)}`);
      }
      const { run, queue } = sessionOf(way, { turn });
      assert.deepEqual(said((await run.ask("one")).events), ["Yes", "turn-end"]);
      assert.deepEqual(said((await run.ask("two")).events), ["After one", "Yes", "turn-end"]);
      queue.end();
      assert.deepEqual(said(await read(run.events)), ["After two"]);
      const { options } = way({ turn });
      assert.deepEqual(said(await read(runQuery("three", options).events)), [
        "Yes",
        "turn-end",
        "After three",
      ]);
    });

    test("a session that ends without the end of its turn is at its end, and whoever waits for it knows", async () => {
      const over = gate();
      const query = () => ({
        async *[Symbol.asyncIterator]() {
          yield* spoken("m", "So far");
          await over.opened;
        },
      });
      const { host } = hostWith({ query });
      const options = name === "of a host" ? { url: base, fetch: networkTo(host) } : { query };
      const run = runQuery(createInputQueue().iterable, options);
      const asked = run.ask("go");
      const later = run.ask("and then");
      await settled();
      over.open();
      assert.deepEqual(await asked, {
        events: [
          { type: "text", text: "So " },
          { type: "text", text: "far" },
        ],
        text: "So far",
      });
      assert.deepEqual(await later, { events: [], text: "" });
      assert.deepEqual(await run.events.next(), { done: true, value: undefined });
    });

    test("events are plain data: cloned, posted to elsewhere and written as JSON they are the same", async () => {
      const everything = function* () {
        yield init({ mcp_servers: [{ name: "db", status: "failed" }] });
        yield* spoken("m1", "ein Wörtchen 😀");
        yield toolUse("t1", "Read", { path: "a", nested: [{ deep: null }, 1.5, true, "\u2028"] });
        yield { ...toolUse("t2", "Grep", [1]), parent_tool_use_id: "t1" };
        yield toolResult("t1", [{ type: "text", text: "found" }]);
        yield info("note");
        yield result("done");
        yield suggestion("more");
      };
      const { options } = way({ turn: everything });
      const events = await read(runQuery("go", options).events);
      assert.equal(new Set(events.map(({ type }) => type)).size, 8, "all types there are");
      assert.deepEqual(structuredClone(events), events);
      assert.deepEqual(JSON.parse(JSON.stringify(events)), events);
      const { port1, port2 } = new MessageChannel();
      const received = new Promise((resolve) => {
        port2.onmessage = ({ data }) => resolve(data);
      });
      port1.postMessage(events);
      assert.deepEqual(await received, events);
      port1.close();
    });
  });
}
