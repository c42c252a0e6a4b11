// What is left when a run has been followed: no connection, no timer, no listener, no rejection, no memory.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { AuthenticationError, init } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { turns } from "../lib/run-service.mjs";
import { refusal, scriptedRun, text, whole } from "../lib/scripted-run.mjs";
import { unhandledDuring } from "../lib/unhandled.mjs";
import { leavableRun, ways } from "../lib/ways-to-end.mjs";

await init();

const isRelease = process.env.RUNWIRE_TEST_RELEASE === "1";
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

for (const [name, way] of Object.entries(ways)) {
  test(`after ${name} nothing is left`, async () => {
    const before = timers();
    const controller = new AbortController();
    const { signal } = controller;
    const service = leavableRun();
    const complaints = await unhandledDuring(async () => {
      await way({ handle: await service.handle(), service, signal, controller });
      await turns();
    });
    assert.equal(service.open, 0, "responses in flight");
    assert.equal(timers(), before, "timers");
    assert.equal(getEventListeners(signal, "abort").length, 0, "listeners on the caller's signal");
    assert.deepEqual(complaints, [], "unhandled rejections");
  });
}

for (const name of ["apiKey", "headers"]) {
  test(`an async ${name} that resolves after the close makes no request`, async () => {
    const asked = [];
    const service = scriptedRun();
    let slow = false;
    const value = name === "apiKey" ? "key" : { "x-a": "1" };
    const option = () => (slow ? new Promise((resolve) => asked.push(() => resolve(value))) : value);
    const handle = await service.handle({ [name]: option });
    slow = true;
    const stream = handle.stream();
    const pending = stream.next();
    const controller = new AbortController();
    const waiting = assert.rejects(handle.wait({ signal: controller.signal }));
    await turns();
    assert.equal(asked.length, 1);
    await stream.return();
    controller.abort();
    await waiting;
    assert.deepEqual(await pending, { done: true, value: undefined });
    for (const resolve of asked) resolve();
    await turns();
    assert.equal(service.requests.length, 1, "only getRun's");
    assert.equal(service.open, 0);
  });
}

test("attempts 1 to 20 carry the same method, path, headers and credentials", () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection, n) => (n < 20 ? refusal(503, "unavailable") : void connection.send(whole)),
    });
    let asked = 0;
    const handle = await service.handle({
      apiKey: async () => {
        asked++;
        return "from-a-function";
      },
      headers: async () => ({ "x-tenant": "t", cookie: "a=b" }),
      credentials: "include",
      retry: { maxDelayMs: 1_000 },
    });
    const waiting = handle.wait();
    await clock.advance(3_600_000);
    assert.equal((await waiting).status, "finished");
    const attempts = service.of("stream").map(({ method, path, headers, init }) => {
      const { signal, headers: _, ...members } = init;
      assert.ok(signal instanceof AbortSignal);
      return { method, path, headers: [...headers], members };
    });
    assert.equal(attempts.length, 20);
    for (const attempt of attempts) assert.deepEqual(attempt, attempts[0]);
    assert.deepEqual(attempts[0].headers, [
      ["accept", "text/event-stream"],
      ["authorization", "Bearer from-a-function"],
      ["cookie", "a=b"],
      ["x-tenant", "t"],
    ]);
    assert.equal(attempts[0].members.credentials, "include");
    assert.equal(asked, service.requests.length, "asked for each request");
  }));

for (const name of ["apiKey", "headers"]) {
  test(`401 with ${name} from a function is tried once more with a fresh value, then it is an error`, async () => {
    for (const good of [true, false]) {
      let asked = 0;
      const value = () => `key-${++asked}`;
      const option = name === "apiKey" ? value : () => ({ authorization: `Bearer ${value()}` });
      const service = scriptedRun({
        stream: (connection, n) =>
          n === 1 || !good ? refusal(401, "unauthorized") : void connection.send(whole),
      });
      const handle = await service.handle({ [name]: option });
      if (good) assert.equal((await handle.wait()).status, "finished");
      else await assert.rejects(handle.wait(), AuthenticationError);
      const keys = service.of("stream").map(({ headers }) => headers.get("authorization"));
      assert.deepEqual(keys, ["Bearer key-2", "Bearer key-3"]);
      assert.equal(service.open, 0);
    }
  });
}

test("401 with a fixed key is not tried again", async () => {
  const service = scriptedRun({ stream: () => refusal(401, "unauthorized") });
  await assert.rejects((await service.handle()).wait(), AuthenticationError);
  assert.equal(service.count("stream"), 1);
});

test('lastEventIdIn "query" sends the id in the address and leaves the headers as they are', () =>
  withFakeTime(async (clock) => {
    const service = scriptedRun({
      stream: (connection, n) => {
        if (n === 1) connection.send(text(1), text(2), text(3)).end();
        else connection.send(text(2), text(3), text(4), whole);
      },
    });
    const handle = await service.handle({ lastEventIdIn: "query" });
    const waiting = handle.wait();
    await clock.advance(5_000);
    await waiting;
    const [one, two] = service.of("stream");
    assert.ok(!one.path.includes("?"), one.path);
    assert.match(two.path, /\/stream\?Last-Event-ID=\d-0$/);
    assert.deepEqual([...two.headers], [...one.headers]);
  }));

/** What a program beside this file prints. */
async function printed(program, ...args) {
  const file = join(import.meta.dirname, "programs", program);
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", file, ...args]);
  return JSON.parse(stdout);
}

test("handles and streams that are collected close their connections, and those in use do not", async () => {
  const { cases, failures } = await printed("collected.mjs");
  assert.deepEqual(failures, []);
  assert.equal(cases, 10);
});

// Code that gets hot takes room for longer than the fewer take.
for (const [count, most, skip] of [
  [2_000, 400, false],
  [10_000, 100, !isRelease && "with --release"],
]) {
  test(`${count} runs followed in one process end with flat memory`, { skip }, async () => {
    const { samples, timers: left } = await printed("many-runs.mjs", String(count));
    assert.equal(samples.length, 10);
    assert.equal(left, 0);
    // What each run left would show; 400 bytes are 4 % of what one holds.
    const grown = Math.min(...samples.slice(7)) - Math.min(...samples.slice(3, 6));
    const each = grown / (count * 0.4);
    assert.ok(
      each < most,
      `${Math.round(each)} bytes a run: ${samples.map((bytes) => (bytes / 1e6).toFixed(2))} MB`,
    );
  });
}
