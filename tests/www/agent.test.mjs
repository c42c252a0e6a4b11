// The scripted agent of the page: what each thing that can be typed shows, as a session's events.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createInputQueue, createModeControl, runQuery } from "runwire/kit";
import { commands } from "../../www/agent/commands.mjs";
import { demoQuery } from "../../www/agent/demo.mjs";

/** No time passes: what waits comes as soon as everything else has had its turn. */
const clock = {
  now: () => 0,
  setTimeout: (callback) => setImmediate(callback),
  clearTimeout: (timer) => clearImmediate(timer),
};

function session() {
  const modeControl = createModeControl();
  const queue = createInputQueue({ modeControl });
  const run = runQuery(queue.iterable, { query: demoQuery({ clock }) });
  /** A turn's events by type; `all` in their order. */
  const ask = async (line) => {
    const { events, text, end } = await run.ask(line);
    const of = (type) => events.filter((event) => event.type === type);
    return { of, text, end, all: events.map(({ type }) => type) };
  };
  return { run, queue, modeControl, ask };
}

const tools = ({ of }) => of("action").map(({ toolName }) => toolName);

test("a question is answered in parts, from what tools gave, and a suggestion follows", async () => {
  const { run, ask } = session();
  const turn = await ask("How are columns counted?");
  assert.deepEqual(turn.all.slice(0, 3), ["mcp-error", "info", "text"]);
  assert.deepEqual(turn.of("mcp-error")[0].failedServers, ["issue-tracker"]);
  assert.match(turn.text, /^You asked: “How are columns counted\?”.*they need to change first\.$/s);
  assert.ok(turn.of("text").length > 40, "word for word");
  assert.deepEqual(tools(turn), ["Read", "Read", "Grep"]);
  const ids = turn.of("action").map(({ toolUseId }) => toolUseId);
  const answered = turn.of("tool-result").map(({ toolUseId }) => toolUseId);
  assert.deepEqual(answered, [ids[1], ids[0], ids[2]], "what is read together is done in another order");
  assert.equal(turn.end.status, "success");
  assert.deepEqual((await run.events.next()).value, {
    type: "prompt-suggestion",
    suggestion: "Fix the columns behind tabs",
  });
  const again = await ask("And then?");
  assert.deepEqual(again.of("mcp-error"), [], "what has failed is told once");
});

test("a change has a tool that fails, and another try", async () => {
  const turn = await session().ask("Fix it");
  assert.deepEqual(
    turn.of("tool-result").map(({ toolName, isError }) => [toolName, isError]),
    [
      ["Edit", true],
      ["Read", false],
      ["Edit", false],
      ["Bash", false],
    ],
  );
  assert.equal(turn.end.failed, false);
});

test("a review is a subagent's, whose results are its own", async () => {
  const turn = await session().ask("/review src/report.ts");
  const [{ toolUseId }] = turn.of("action");
  assert.deepEqual(tools(turn), ["Agent"]);
  assert.deepEqual([...new Set(turn.of("subagent-action").map((one) => one.parentToolUseId))], [toolUseId]);
  assert.deepEqual(
    turn.of("tool-result").map(({ toolName }) => toolName),
    ["Agent"],
  );
  assert.match(turn.text, /src\/report\.ts/);
});

test("in plan mode it reads and plans, whatever it is asked, until that is over", async () => {
  const { ask, modeControl } = session();
  modeControl.set("plan");
  for (const line of ["Fix it", "Review it", "Anything"]) {
    const turn = await ask(line);
    assert.deepEqual(tools(turn), ["Read", "Grep"], line);
    assert.ok(turn.text.includes(`The plan for “${line}”`));
    assert.doesNotMatch(turn.text, /system-reminder/);
  }
  modeControl.set("interactive");
  assert.ok(tools(await ask("Carry out the plan")).includes("Edit"));
});

test("commands print, warn, fail and make room", async () => {
  const { run, ask } = session();
  const infos = async (line) => (await ask(line)).of("info").map(({ level, text }) => [level, text]);
  await ask("/cost");
  const [[level, help]] = await infos("/help");
  assert.equal(level, "local-command");
  for (const { name, description } of commands) assert.ok(help.includes(`/${name}: ${description}`));
  assert.deepEqual(await infos("/foo bar"), [
    ["warning", "Unknown command: /foo. Type /help for what there is"],
  ]);

  const refused = await ask("/fail");
  assert.deepEqual([refused.end.status, refused.end.failed], ["success", true]);
  assert.match(refused.end.errorText, /529 Overloaded/);

  await ask("/fill");
  assert.ok((await run.contextUsage()).percentage > 100);
  const [[, compacted]] = await infos("/shrink");
  assert.match(compacted, /^Compacted: \d+ tokens are 4200 now$/);
  assert.equal((await run.contextUsage()).percentage, 21);
});

test("the context and what was used grow with each turn", async () => {
  const { run, ask } = session();
  const figures = [];
  for (const line of ["one", "two", "three"]) {
    const { usage } = (await ask(line)).end;
    const { totalTokens } = await run.contextUsage();
    figures.push([usage.inputTokens, usage.outputTokens, usage.costUsd, totalTokens]);
  }
  for (const at of [0, 1, 2, 3]) {
    const [first, second, third] = figures.map((row) => row[at]);
    assert.ok(0 < first && first < second && second < third, `${[first, second, third]}`);
  }
});

test("an interruption ends the turn wherever it is, and the session goes on", async () => {
  for (const [line, type, count] of [
    ["Fix it", "text", 3],
    ["Fix it", "action", 1],
    ["/review", "subagent-action", 2],
    ["/compact", "info", 1],
  ]) {
    const { run, queue, ask } = session();
    await ask("/cost");
    queue.push(line);
    if (line === "/compact") setImmediate(() => run.interrupt());
    let [seen, end] = [0, undefined];
    for await (const event of run.turn()) {
      if (event.type === type && ++seen === count) run.interrupt();
      if (event.type === "turn-end") end = event;
    }
    const { status, failed, resultText, errorText, usage } = end;
    assert.deepEqual(
      [status, failed, resultText, errorText],
      ["error_during_execution", true, null, ""],
      `${line} at ${type}`,
    );
    assert.ok(usage.inputTokens > 0, "what was used until then still counts");
    assert.equal((await ask("/cost")).end.failed, false);
  }
});

test("the session's commands are listed, and may become more", async () => {
  const { run, ask } = session();
  assert.deepEqual(
    (await run.supportedCommands()).map(({ name }) => name),
    commands.map(({ name }) => name),
  );
  await ask("/hostile");
  assert.equal((await run.supportedCommands()).length, commands.length + 1);
});

test("a session that is closed says nothing more and leaves no timer", async () => {
  const { run, queue } = session();
  queue.push("Fix it");
  for (let events = 0; events < 5; events++) await run.events.next();
  run.close();
  assert.equal((await run.events.next()).done, true);
});
