// Who listens beside a stream that goes on from a token: one connection, and nothing lost, whoever comes first.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "runwire";
import { turns } from "../lib/run-service.mjs";
import { scriptedRun, text, whole } from "../lib/scripted-run.mjs";

await init();

const reads = {
  "next()": (stream) => stream.next(),
  "for await": async (stream) => {
    for await (const value of stream) return { value };
  },
  "a reader": (stream) => stream.getReader().read(),
  "tee()": (stream) => stream.tee()[0].getReader().read(),
  "pipeThrough()": (stream) => stream.pipeThrough(new TransformStream()).getReader().read(),
};
for (const [how, read] of Object.entries(reads)) {
  test(`who listens reads along with a stream that goes on from a token, first read by ${how}`, async () => {
    const service = scriptedRun({
      stream: (connection, n) =>
        void (n === 1 ? connection.send(text(1), text(2), text(3)) : connection.send(text(3), text(4))),
    });
    const handle = await service.handle();
    const stream = handle.stream();
    for (let at = 0; at < 3; at++) await stream.next();
    const from = stream.resumeToken;
    await stream.return();
    await turns();
    assert.equal(service.open, 0);

    const [changes, states] = [[], []];
    handle.onDidChangeConnection(({ state }) => states.push(state));
    const stop = handle.onDidChangeStatus((value) => changes.push(value));
    const waiting = handle.wait();
    const { value } = await read(handle.stream({ from }));
    await turns();
    assert.equal(value.message.content[0].text, "4;");
    assert.equal(service.count("stream"), 2, "one more");
    assert.deepEqual(states, ["connecting", "open"]);
    assert.equal(service.of("stream")[1].headers.get("last-event-id"), "2-0");
    service.connections.at(-1).send(whole);
    await turns();
    assert.equal((await waiting).status, "finished");
    assert.deepEqual(changes, ["finished"]);
    stop();
  });
}

test("a stream that goes on from a token later than somebody listens loses nothing", async () => {
  const service = scriptedRun({
    stream: (connection) => void connection.send(text(1), text(2), text(3)),
  });
  const handle = await service.handle();
  const stream = handle.stream();
  await stream.next();
  const from = stream.resumeToken;
  await stream.return();
  const changes = [];
  const stop = handle.onDidChangeStatus((value) => changes.push(value));
  await turns();
  const rest = handle.stream({ from });
  const texts = [];
  for (let at = 0; at < 2; at++) texts.push((await rest.next()).value.message.content[0].text);
  await turns();
  assert.equal(service.open, 1, "the listener reads along now");
  service.connections.at(-1).send(whole);
  assert.equal((await rest.next()).done, true);
  assert.deepEqual(texts, ["2;", "3;"]);
  assert.deepEqual(changes, ["finished"]);
  stop();
});
