// What becomes of connections when nobody can reach their handle or stream any more. Run with --expose-gc.

import assert from "node:assert/strict";
import { init, openRunStream } from "runwire";
import { delta } from "../../lib/callbacks.mjs";
import { run, runId, turns } from "../../lib/run-service.mjs";
import { scriptedRun, text, whole } from "../../lib/scripted-run.mjs";

await init();

/** Collects until it has effect, or has had the time for it. */
async function collected(isSo) {
  for (let round = 0; round < 20 && !isSo(); round++) {
    globalThis.gc();
    await turns(5);
  }
  return isSo();
}

const cases = {
  async "a stream that was left half-read, its handle held"() {
    const service = scriptedRun({ stream: (connection) => void connection.send(text(1) + text(2), text(3)) });
    const handle = await service.handle();
    await (async () => void (await handle.stream().next()))();
    assert.equal(service.open, 1);
    assert.ok(await collected(() => service.open === 0), "its connection closes");
    assert.equal(handle.status, "running");
  },

  async "a stream and its handle"() {
    const service = scriptedRun({ stream: (connection) => void connection.send(text(1) + text(2), text(3)) });
    await (async () => void (await (await service.handle()).stream().next()))();
    assert.equal(service.open, 1);
    assert.ok(await collected(() => service.open === 0), "its connection closes");
  },

  async "a stream that a signal knows, which lives on"() {
    const controller = new AbortController();
    const service = scriptedRun({ stream: (connection) => void connection.send(text(1)) });
    const handle = await service.handle({ signal: controller.signal });
    await (async () => void (await handle.stream({ signal: new AbortController().signal }).next()))();
    assert.ok(await collected(() => service.open === 0), "its connection closes");
    controller.abort();
  },

  async "a stream of openRunStream"() {
    const { agentId, apiKey } = run;
    const service = scriptedRun({ stream: (connection) => void connection.send(text(1) + text(2)) });
    const open = () => openRunStream(runId, { agentId, apiKey, fetch: service.fetch });
    await (async () => void (await open().next()))();
    assert.equal(service.open, 1);
    assert.ok(await collected(() => service.open === 0), "its connection closes");
  },

  async "a handle whose stream is read goes on"() {
    const service = scriptedRun();
    const stream = await (async () => (await service.handle()).stream())();
    const first = stream.next();
    await turns();
    assert.equal(await collected(() => service.open === 0), false, "it is needed");
    service.connections[0].send(text(1));
    assert.equal((await first).value.type, "assistant");
    assert.equal(await collected(() => service.open === 0), false, "it is needed");
    service.connections[0].send(text(2), whole);
    assert.equal((await stream.next()).value.type, "assistant");
    assert.deepEqual(await stream.next(), { done: true, value: undefined });
  },

  async "a stream that only its reader holds goes on"() {
    const service = scriptedRun();
    const reader = await (async () => (await service.handle()).stream().getReader())();
    const first = reader.read();
    await turns();
    assert.equal(await collected(() => service.open === 0), false, "it is needed");
    service.connections[0].send(text(1), whole);
    assert.equal((await first).value.type, "assistant");
    assert.equal((await reader.read()).done, true);
  },

  async "a handle that somebody waits for goes on"() {
    const service = scriptedRun();
    const waiting = (async () => (await service.handle()).wait())();
    await turns();
    assert.equal(await collected(() => service.open === 0), false, "it is needed");
    service.connections[0].send(text(1), whole);
    assert.equal((await waiting).status, "finished");
  },

  async "a handle that somebody listens to goes on, until the run is over"() {
    const service = scriptedRun();
    const changes = [];
    await (async () => void (await service.handle()).onDidChangeStatus((value) => changes.push(value)))();
    await turns();
    assert.equal(await collected(() => service.open === 0), false, "it is needed");
    service.connections[0].send(text(1), whole);
    await turns();
    assert.deepEqual(changes, ["finished"]);
    assert.equal(service.open, 0);
  },

  async "callbacks whose handle nobody holds are called to the end"() {
    const service = scriptedRun();
    const texts = [];
    const onDelta = async ({ update }) => void texts.push(update.text);
    await (async () => void (await service.handle({ onDelta })))();
    await turns();
    for (const n of [1, 2]) {
      assert.equal(await collected(() => service.open === 0), false, "it is needed");
      service.connections[0].send(delta(n));
    }
    service.connections[0].send(whole);
    await turns();
    assert.deepEqual(texts, ["1;", "2;"]);
    assert.equal(service.open, 0);
  },

  async "a callback that never answers, whose promise nobody holds"() {
    const service = scriptedRun({
      stream: (connection) => void connection.send(delta(1) + delta(2), delta(3)),
    });
    const handle = await service.handle({ onDelta: () => new Promise(() => {}) });
    await turns();
    assert.equal(service.open, 1);
    assert.ok(await collected(() => service.open === 0), "its connection closes");
    assert.equal(handle.status, "running");
  },
};

const failures = [];
for (const [name, work] of Object.entries(cases)) {
  // What never settles must not be what ends the process.
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("it hangs")), 5_000).unref());
  await Promise.race([work(), late]).catch((error) => failures.push(`${name}: ${error.message}`));
}
console.log(JSON.stringify({ cases: Object.keys(cases).length, failures }));
