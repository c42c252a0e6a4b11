// stream.resumeToken: whoever goes on from it gets exactly the rest of the run, wherever it was taken.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, init, openRunStream } from "runwire";
import { createSimulator } from "runwire/testing";
import { all, assertIsRest, contentOf, withTokens } from "../lib/rest-of-run.mjs";
import { agentId, runId, turns } from "../lib/run-service.mjs";
import { frame, scriptedRun, status, text, whole } from "../lib/scripted-run.mjs";

await init();

const apiKey = "key-of-the-test";
const coding = { scenario: "coding", pace: "instant" };

/** A run of the simulator's, and a handle of it. */
async function simulated(options = {}) {
  const simulator = createSimulator({ ...coding, ...options });
  const { agentId, runId } = await simulator.startRun();
  const open = (more = {}) =>
    Agent.getRun(runId, { runtime: "cloud", agentId, apiKey, fetch: simulator.fetch, ...more });
  const frames = (more = {}) => openRunStream(runId, { agentId, apiKey, fetch: simulator.fetch, ...more });
  return { simulator, run: await open(), open, frames };
}

/** Goes on from each token with another handle, as another page would, and compares. */
async function assertEachGoesOn(items, tokens, stream, name) {
  assert.ok(items.length > 20, `${name}: ${items.length} messages`);
  for (const [at, token] of tokens.entries()) {
    const where = `${name}, after ${at} of ${items.length}`;
    assert.ok(new TextEncoder().encode(token).length <= 4096, `${where}: ${token.length} bytes`);
    assertIsRest(await all(stream(token)), items.slice(at), where);
  }
}

const pieces = { "one chunk": null, "chunks of 300 bytes": { bytes: 300 }, "frame by frame": "frame" };
for (const [name, chunk] of Object.entries(pieces)) {
  test(`after every message, the rest is exactly the rest: ${name}`, async () => {
    const { run, open, simulator } = await simulated({ faults: { stream: { chunk } } });
    const { items, tokens } = await withTokens(run.stream());
    const other = await open();
    await assertEachGoesOn(items, tokens, (from) => other.stream({ from }), name);
    // With the text divided as it was, the messages are the same ones, too.
    const plain = (list) => list.filter(({ type }) => type !== "status");
    for (const at of [1, 7, 20, items.length - 3]) {
      assert.deepEqual(plain(await all(other.stream({ from: tokens[at] }))), plain(items.slice(at)));
    }
    assert.equal(simulator.openConnections, 0);
  });
}

const replays = {
  "text that comes back merged": { text: "merged" },
  "text that comes back split": { text: { split: 3 } },
  "text that is merged without ids": { text: "merged", textIds: false },
  "a service that goes on after the id's first frame": { after: "first" },
  "a service that ignores the id": { ignoreId: true },
};
for (const [name, replay] of Object.entries(replays)) {
  test(`after every message, the rest is exactly the rest: ${name}`, async () => {
    const { run, open, simulator } = await simulated({ faults: { stream: { chunk: { bytes: 700 } } } });
    const { items, tokens } = await withTokens(run.stream());
    await simulator.setFaults({ replay });
    const warnings = [];
    const other = await open({ onWarning: (warning) => warnings.push(warning) });
    await assertEachGoesOn(items, tokens, (from) => other.stream({ from }), name);
    assert.deepEqual(warnings, []);
  });
}

for (const [name, stream, shape, replay = {}, scenario = coding.scenario] of [
  ["a run without ids", { ids: "none" }, {}],
  ["a run in which every third frame has an id", { ids: { every: 3 } }, {}],
  ["twins sent crosswise", {}, { interleaveTwins: true }],
  ["ids that come back", {}, { reappear: { every: 5, after: 3 } }],
  ["statuses of the past sent again", {}, {}, { statuses: "full" }],
  // Text that is moved past other frames is more than a client can know: no twins here.
  ["text that comes back cut anew", {}, {}, { text: { recut: 5 } }, "long:150"],
  ["text that comes back in single characters", {}, {}, { text: { recut: 1 } }, "long:60"],
]) {
  test(`after every message, the rest is exactly the rest: ${name}`, async () => {
    const simulator = createSimulator({ faults: { stream: { ...stream, chunk: { bytes: 900 } } } });
    if (replay.statuses) await simulator.setFaults({ replay });
    const { agentId, runId } = await simulator.startRun({ ...coding, scenario, shape });
    const handle = () => Agent.getRun(runId, { runtime: "cloud", agentId, apiKey, fetch: simulator.fetch });
    const { items, tokens } = await withTokens((await handle()).stream());
    await simulator.setFaults({ replay }, { runId });
    const other = await handle();
    await assertEachGoesOn(items, tokens, (from) => other.stream({ from }), name);
  });
}

test("of a run that goes on: the token of a message that is not the last there is yet", async () => {
  const service = scriptedRun({
    stream: (connection) => void connection.send(status("RUNNING"), text(1), text(2) + text(3)),
  });
  const handle = await service.handle();
  const stream = handle.stream();
  const tokens = [];
  for (let read = 0; read < 4; read++) {
    await stream.next();
    tokens.push(stream.resumeToken);
  }
  await stream.return();
  for (const [at, token] of tokens.entries()) {
    const rest = all(handle.stream({ from: token }));
    await turns();
    service.connections.at(-1).send(text(4), whole);
    const { texts } = contentOf(await rest);
    assert.equal(texts.assistant, ["1;2;3;4;", "2;3;4;", "3;4;", "4;"][at], `after ${at + 1}`);
  }
});

test("a reader's place counts what it has read, not what the stream has queued for it", async () => {
  const { run, open } = await simulated();
  const stream = run.stream();
  const reader = stream.getReader();
  const [items, tokens] = [[], [stream.resumeToken]];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    items.push(next.value);
    tokens.push(stream.resumeToken);
  }
  const other = await open();
  await assertEachGoesOn(items, tokens, (from) => other.stream({ from }), "a reader");
});

test("of two streams on one connection each has its own place, however far the other is", async () => {
  const { run, open, simulator } = await simulated({ faults: { stream: { chunk: { bytes: 500 } } } });
  const [slow, quick] = [run.stream(), run.stream()];
  const items = [];
  const tokens = [slow.resumeToken];
  const first = slow.next();
  let ahead = 0;
  for (let next = await quick.next(); !next.done; next = await quick.next()) {
    // The slow one reads one of three.
    if (ahead++ % 3 !== 0) continue;
    items.push(((ahead === 1 && (await first)) || (await slow.next())).value);
    tokens.push(slow.resumeToken);
  }
  for await (const item of slow) {
    items.push(item);
    tokens.push(slow.resumeToken);
  }
  assert.equal((await simulator.counters()).streamsOpened, 1);
  assert.equal(items.length, ahead);
  const other = await open();
  await assertEachGoesOn(items, tokens, (from) => other.stream({ from }), "the slow one");
});

test("one that fell out of the window and goes on alone knows its place all the way", async () => {
  const { run, open, simulator } = await simulated({ scenario: "long:9000", pace: "demand" });
  const [slow, quick] = [run.stream(), run.stream()];
  const first = slow.next();
  const expected = await all(quick);
  const items = [(await first).value];
  const tokens = [slow.resumeToken];
  for await (const item of slow) {
    items.push(item);
    tokens.push(slow.resumeToken);
  }
  assert.equal((await simulator.counters()).streamsOpened, 2);
  assertIsRest(items, expected, "the slow one");
  const other = await open();
  for (const at of [0, 1, 500, 2100, 4090, 4096, 4100, 4700, 8000, items.length - 2, items.length - 1]) {
    assertIsRest(await all(other.stream({ from: tokens[at] })), items.slice(at + 1), `after ${at + 1}`);
  }
});

test("where frames were skipped with a warning, the token is still that of the message", async () => {
  const bad = (n) => `event: assistant\nid: bad-${n}\ndata: {not JSON}\n\n`;
  const chunk = (n) =>
    [bad(n), text(n + 1), bad(n + 1), bad(n + 2), text(n + 2), text(n + 3), bad(n + 3)].join("");
  const service = scriptedRun({
    stream: (connection) => void connection.send(chunk(0), bad(5), bad(6) + chunk(10), whole),
  });
  const handle = await service.handle();
  const frames = (from) => openRunStream(runId, { agentId, fetch: service.fetch, from });
  for (const stream of [(from) => handle.stream({ from }), frames]) {
    const { items, tokens } = await withTokens(stream());
    assert.ok(items.length >= 6);
    for (const [at, token] of tokens.entries()) {
      assertIsRest(await all(stream(token)), items.slice(at), `after ${at}`);
    }
  }
});

for (const [name, leave] of [
  ["break", null],
  ["return()", (stream) => stream.return()],
  ["cancel()", (stream) => stream.cancel()],
  ["an abort", (_, controller) => controller.abort()],
]) {
  test(`after ${name} the token is where the reader left`, async () => {
    const { run, open } = await simulated({ faults: { stream: { chunk: { bytes: 500 } } } });
    const whole = await all(run.stream());
    const other = await open();
    for (const count of [1, 5, 12, 30]) {
      const controller = new AbortController();
      const stream = run.stream({ signal: controller.signal });
      let read = 0;
      if (leave) {
        for (; read < count; read++) await stream.next();
        await leave(stream, controller);
      } else {
        for await (const _ of stream) if (++read === count) break;
      }
      const rest = await all(other.stream({ from: stream.resumeToken }));
      assertIsRest(rest, whole.slice(count), `${name} after ${count}`);
    }
  });
}

test("tokens follow one another: each stream goes on from the one before", async () => {
  const { run, open, simulator } = await simulated({ faults: { stream: { chunk: { bytes: 400 } } } });
  const expected = await all(run.stream());
  await simulator.setFaults({ replay: { text: { recut: 7 } } });
  let from;
  const got = [];
  for (let round = 0; ; round++) {
    assert.ok(round < 500, "it ends");
    const stream = (await open()).stream({ from });
    const before = got.length;
    for await (const item of stream) {
      got.push(item);
      if (got.length - before === 1 + (round % 4)) break;
    }
    if (got.length === before) break;
    from = stream.resumeToken;
  }
  assertIsRest(got, expected, "all rounds");
});

test("the token of a run that has been read to its end gives nothing more", async () => {
  const { run } = await simulated();
  const stream = run.stream();
  await all(stream);
  assert.deepEqual(contentOf(await all(run.stream({ from: stream.resumeToken }))).others, []);
  assert.equal((await all(run.stream({ from: stream.resumeToken }))).length, 0);
});

test("the token of a stream that has not been read is that of the start", async () => {
  const { run } = await simulated();
  const whole = await all(run.stream());
  assertIsRest(await all(run.stream({ from: run.stream().resumeToken })), whole, "the start");
  const { resumeToken } = run.stream({ from: run.stream().resumeToken });
  assertIsRest(await all(run.stream({ from: resumeToken })), whole, "the start's start");
});

test("the token of a stream that has not got on is the one that it was given", async () => {
  const { run } = await simulated();
  const whole = await all(run.stream());
  const stream = run.stream();
  for (let read = 0; read < 9; read++) await stream.next();
  const untouched = run.stream({ from: stream.resumeToken });
  assertIsRest(await all(run.stream({ from: untouched.resumeToken })), whole.slice(9), "untouched");
  await untouched.return();
  assertIsRest(await all(run.stream({ from: untouched.resumeToken })), whole.slice(9), "left");
});

test("a token is at most 4,096 bytes, whatever ids, names and statuses the run has", async () => {
  const long = (n) => `${n}-${"i".repeat(900)}`;
  const names = Array.from({ length: 100 }, (_, n) => frame(`kind-${n}-${"n".repeat(200)}`, { n }, long(n)));
  const odd = status(`STATE${"s".repeat(5000)}`);
  const rare = status("\u{1f600}".repeat(30));
  const rest = Array.from({ length: 40 }, (_, n) => text(n, `${n};`).replace(`id: ${n}-0`, `id: ${long(n)}`));
  for (const chunks of [
    [...names, odd, ...rest, rare, ...rest],
    [names.join("") + odd + rest.join("") + rare + rest.join("")],
  ]) {
    const service = scriptedRun({ stream: (connection) => void connection.send(...chunks, whole) });
    const handle = await service.handle();
    const { items, tokens } = await withTokens(handle.stream());
    for (const [at, token] of tokens.entries()) {
      assert.ok(new TextEncoder().encode(token).length <= 4096, `${token.length} bytes after ${at}`);
    }
    for (const at of [0, 1, 60, 99, 101, 110, 150, 182]) {
      const rest = contentOf(await all(handle.stream({ from: tokens[at] })));
      const { texts, others } = contentOf(items.slice(at));
      assert.deepEqual([rest.texts, rest.others], [texts, others], `after ${at}`);
    }
  }
});

test("a token is at most 4,096 bytes where the ids just fit or just do not", async () => {
  let longest = 0;
  const names = Array.from({ length: 64 }, (_, n) => frame(`kind-${n}`, {}, `${n}`)).join("");
  for (let more = 0; more < 250; more += 3) {
    // Frames under one id all have to be known again.
    const open = Array.from({ length: more }, (_, n) => frame("kind-1", { n }, "open")).join("");
    const service = scriptedRun({
      stream: (connection) => void connection.send(names, open + status("ODD".repeat(20)), text(1) + whole),
    });
    const stream = (await service.handle()).stream();
    for await (const _ of stream) longest = Math.max(longest, stream.resumeToken.length);
  }
  assert.ok(longest > 3500 && longest <= 4096, `${longest} bytes`);
});

test("an unknown frame without an id is the connection's: it does not stand for one of the run's", async () => {
  const tool = (n) => frame("tool_call", { callId: `${n}`, name: "t", status: "running" }, `${n}-1`);
  const ping = frame("ping", {});
  const service = scriptedRun({
    stream: (connection, n) =>
      void connection.send((n === 1 ? ping : "") + tool(1) + tool(2) + tool(3), whole),
  });
  const handle = await service.handle();
  const stream = handle.stream();
  await stream.next();
  await stream.next();
  const rest = await all(handle.stream({ from: stream.resumeToken }));
  assert.deepEqual(
    rest.map(({ call_id }) => call_id),
    ["2", "3"],
  );
  await stream.return();
});

test("a damaged token is an error that says what to do, and requests nothing", async () => {
  const { run, frames, simulator } = await simulated();
  const stream = run.stream();
  for (let read = 0; read < 9; read++) await stream.next();
  const token = stream.resumeToken;
  await stream.return();
  const { streamsOpened } = await simulator.counters();
  const damaged = [
    "x",
    "null",
    "undefined",
    " ",
    "é",
    `${token} `,
    ` ${token}`,
    `${token}x`,
    `${token}.`,
    `${token}%`,
  ];
  for (let at = 0; at < token.length; at++) {
    damaged.push(token.slice(0, at) + token.slice(at + 1));
    damaged.push(token.slice(0, at) + (token[at] === "7" ? "8" : "7") + token.slice(at + 1));
  }
  for (let length = 1; length < token.length; length++) damaged.push(token.slice(0, length));
  const said = new Set();
  for (const from of damaged) {
    for (const read of [() => run.stream({ from }).next(), () => frames({ from }).next()]) {
      try {
        await read();
        said.add(`${from} is taken for good`);
      } catch (error) {
        said.add(`${error.name} ${error.code}: ${error.message}`);
      }
    }
  }
  assert.deepEqual(
    [...said],
    [
      "ConfigurationError invalid_resume_token: " +
        "The resume token is damaged, or of another run: start without it",
    ],
  );
  assert.equal((await simulator.counters()).streamsOpened, streamsOpened);
});

test("openRunStream: after every frame, the rest is exactly the rest", async () => {
  for (const [name, replay, scenario] of [
    ["as sent", {}],
    ["merged", { text: "merged" }],
    ["cut anew", { text: { recut: 4 } }, "long:100"],
  ]) {
    const { frames, simulator } = await simulated({
      ...(scenario && { scenario }),
      faults: { stream: { chunk: { bytes: 600 } } },
    });
    const { items, tokens } = await withTokens(frames());
    assert.ok(items.some(({ type }) => type === "result"));
    await simulator.setFaults({ replay });
    await assertEachGoesOn(items, tokens, (from) => frames({ from }), name);
  }
});
