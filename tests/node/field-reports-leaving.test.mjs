// What has broken in other clients when a stream ended or was left; row and thread in docs/field-reports.md.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { init, openRunStream } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { bodyOf, frames, run, runId, turns, withRunServer } from "../lib/run-service.mjs";
import { refusal, result, scriptedRun, text, whole } from "../lib/scripted-run.mjs";
import { unhandledDuring } from "../lib/unhandled.mjs";

await init();

const HOUR = 3_600_000;
const open = (service, options) =>
  openRunStream(runId, { agentId: run.agentId, apiKey: run.apiKey, fetch: service.fetch, ...options });

// 20: Azure/fetch-event-source #58, 53: openai/openai-node #194, 54: openai/openai-node #1878
test("a stream that ended well aborts nothing of the caller's, and nothing is unhandled", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  let aborts = 0;
  signal.addEventListener("abort", () => aborts++);
  const complaints = await unhandledDuring(() =>
    withRunServer(
      (response) => response.end(frames(0, 3) + whole),
      async ({ baseUrl, connections }) => {
        const stream = openRunStream(runId, { agentId: run.agentId, apiKey: run.apiKey, baseUrl, signal });
        for await (const _ of stream);
        await connections[0].closed;
      },
    ),
  );
  assert.deepEqual(complaints, []);
  assert.deepEqual([signal.aborted, aborts], [false, 0]);
  assert.equal(getEventListeners(signal, "abort").length, 1, "the test's own");
});

/** How a stream can be left while nothing is read, and what a pending read comes to. */
const ways = {
  abort: (_, controller) => controller.abort(),
  return: (stream) => void stream.return(),
  cancel: (stream) => void stream.cancel(),
};

/** What is going on when it is left. */
const moments = {
  "before the headers come": { stream: () => new Promise(() => {}), state: "connecting" },
  "while the next attempt is waited for": { stream: () => refusal(503, "unavailable"), state: "waiting" },
  "when the connection has opened": { stream: () => {}, state: "open" },
};

// 23: Azure/fetch-event-source #87, 24: Azure/fetch-event-source #19, 29: EventSource/eventsource #156,
// 37: joshmossas/event-source-plus #29, 38: lukas-reining/eventsource #11, 39: rexxars/eventsource-client #15
for (const [name, leave] of Object.entries(ways)) {
  for (const [moment, { stream: answer, state: when }] of Object.entries(moments)) {
    for (const how of ["later", "inside the callback"]) {
      test(`${name} ${moment}, ${how}: one last state, and no request after it`, () =>
        withFakeTime(async (clock) => {
          const service = scriptedRun({ stream: answer });
          const controller = new AbortController();
          const states = [];
          const stream = open(service, {
            signal: controller.signal,
            onConnection({ state }) {
              states.push(state);
              if (how !== "later" && state === when) leave(stream, controller);
            },
          });
          const complaints = await unhandledDuring(async () => {
            const pending = stream.next().then(
              ({ done }) => done,
              (error) => error.name,
            );
            await turns();
            if (how === "later") {
              assert.equal(states.at(-1), when);
              leave(stream, controller);
            }
            assert.equal(await pending, name === "abort" ? "AbortError" : true);
            await clock.advance(HOUR);
          });
          assert.deepEqual(complaints, []);
          // It is connecting before it has asked.
          const asked = how !== "later" && when === "connecting" ? 0 : 1;
          assert.equal(service.requests.length, asked);
          assert.equal(service.open, 0);
          assert.equal(clock.timers, 0);
          assert.equal(states.filter((state) => state === "closed").length, 1, states.join());
          assert.equal(states.at(-1), "closed");
        }));
    }
  }
}

// 65: modelcontextprotocol/typescript-sdk #1191, 22: Azure/fetch-event-source #79
test("after the run's end nothing is asked, whatever the connection does", () =>
  withFakeTime(async (clock) => {
    const ends = {
      end: (connection) => connection.end(),
      fail: (connection) => connection.fail(),
      nothing: () => {},
    };
    for (const [name, end] of Object.entries(ends)) {
      const service = scriptedRun({
        stream: (connection) => void connection.send(text(1), result({ status: "FINISHED" })),
      });
      const stream = open(service);
      const reading = (async () => {
        for await (const _ of stream);
      })();
      await turns();
      assert.equal(service.open, 1, "done may follow");
      end(service.connections[0]);
      await clock.advance(HOUR);
      await reading;
      assert.equal(service.requests.length, 1, name);
      assert.equal(service.open, 0, name);
    }
  }));

// 55: openai/openai-agents-js #488
test("an abort with a reader taken fails it with the reason, not with a lock", async () => {
  const service = scriptedRun();
  const controller = new AbortController();
  const stream = open(service, { signal: controller.signal });
  const complaints = await unhandledDuring(async () => {
    const reader = stream.getReader();
    const pending = reader.read();
    await turns();
    controller.abort();
    await assert.rejects(pending, { name: "AbortError" });
    await assert.rejects(reader.closed, { name: "AbortError" });
    await assert.rejects(reader.read(), { name: "AbortError" });
  });
  assert.deepEqual(complaints, []);
  assert.equal(service.open, 0);
});

// 56: EvolvingPrograms/openai-streams #17
test("iterating twice is a clear error while the first goes on, and over at once after it", async () => {
  const service = scriptedRun({ stream: (connection) => void connection.send(text(1), whole) });
  const stream = open(service);
  const reader = stream.getReader();
  await reader.read();
  await assert.rejects(async () => {
    for await (const _ of stream);
  }, TypeError);
  reader.releaseLock();
  let count = 0;
  for (let time = 0; time < 2; time++) for await (const _ of stream) count++;
  assert.equal(count, 2, "the rest, once");
  assert.equal(service.count("stream"), 1);
});

// 60: bigskysoftware/htmx #3974, 82: oven-sh/bun #6758, 83: cloudflare/workerd #6832
test("leaving cancels the body and aborts its request, whatever the cancel comes to", async () => {
  const leave = { ...ways, "a reader's cancel": (stream) => void stream.getReader().cancel() };
  for (const [name, way] of Object.entries(leave)) {
    for (const cancel of [() => {}, () => new Promise(() => {}), () => Promise.reject(new Error("no"))]) {
      const body = bodyOf([frames(0, 1)], { cancel });
      let signal;
      const fetch = async (_, init) => {
        signal = init.signal;
        return new Response(body.stream, { headers: { "content-type": "text/event-stream" } });
      };
      const controller = new AbortController();
      const stream = open({ fetch }, { signal: controller.signal });
      await stream.next();
      assert.equal(signal.aborted, false);
      way(stream, controller);
      await turns();
      assert.ok(body.cancelled, name);
      assert.ok(signal.aborted, name);
    }
  }
});
