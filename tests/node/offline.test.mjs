// While the platform says that it is offline nothing is tried, and what was waited for goes on when it is back: in pages
// and in their workers, whoever asks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init, StreamExpiredError } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { turns } from "../lib/run-service.mjs";
import { refusal, scriptedRun, status, text, whole } from "../lib/scripted-run.mjs";

await init();

const HOUR = 3_600_000;

/** Where the platform says whether it is online: `work` gets the clock, and the platform's network. */
const places = {
  "a page": () => ({ window: countingTarget(), document: new EventTarget() }),
  "a worker": () => ({}),
};

/** An event target that counts its listeners. */
function countingTarget() {
  const target = new EventTarget();
  const add = target.addEventListener;
  target.listeners = new Set();
  target.addEventListener = (name, listener, options) => {
    target.listeners.add(listener);
    options.signal.addEventListener("abort", () => target.listeners.delete(listener));
    add.call(target, name, listener, options);
  };
  return target;
}

async function at(place, work) {
  const globals = places[place]();
  const target = globals.window ?? countingTarget();
  globals.navigator = { onLine: true };
  if (!globals.window) globals.addEventListener = target.addEventListener;
  const before = Object.keys(globals).map((name) => [
    name,
    Object.getOwnPropertyDescriptor(globalThis, name),
  ]);
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  const network = {
    set(online) {
      globals.navigator.onLine = online;
      target.dispatchEvent(new Event(online ? "online" : "offline"));
    },
    get listeners() {
      return target.listeners.size;
    },
  };
  try {
    await withFakeTime((clock) => work(clock, network));
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else delete globalThis[name];
    }
  }
}

/** A run of which a stream was left while the network was away; cancelling it works. */
async function leftOffline(network) {
  const service = scriptedRun({
    stream: (connection) => void connection.send(text(1)),
    record: (n) => (n === 1 ? {} : { status: "CANCELLED" }),
  });
  const handle = await service.handle();
  const stream = handle.stream();
  await stream.next();
  network.set(false);
  await stream.return();
  return { service, handle };
}

for (const place of Object.keys(places)) {
  test(`a connection that is lost offline is sought when the network is back (${place})`, () =>
    at(place, async (clock, network) => {
      const service = scriptedRun({
        stream: (connection, n) =>
          void (n === 1
            ? connection.send(text(1), text(2))
            : connection.send(text(1), text(2), text(3), whole)),
      });
      const stream = (await service.handle()).stream();
      assert.equal((await stream.next()).value.message.content[0].text, "1;");
      await stream.next();
      const next = stream.next();
      network.set(false);
      service.connections[0].fail();
      await clock.advance(HOUR);
      assert.equal(service.requests.length, 2, "nothing is tried");
      network.set(true);
      await clock.advance(1_000);
      assert.equal((await next).value.message.content[0].text, "3;");
      assert.equal((await stream.next()).done, true);
      assert.deepEqual([network.listeners, clock.timers], [0, 0]);
    }));

  test(`a stream that is first read offline waits for the network (${place})`, () =>
    at(place, async (clock, network) => {
      const service = scriptedRun({ stream: (connection) => void connection.send(text(1), whole) });
      const handle = await service.handle();
      network.set(false);
      const waiting = handle.wait();
      const first = handle.stream().next();
      await clock.advance(HOUR);
      service.requests.length = 0;
      network.set(true);
      await clock.advance(31_000);
      assert.equal((await first).value.type, "assistant");
      assert.equal((await waiting).status, "finished");
      assert.equal(service.count("stream"), 1);
      assert.equal(network.listeners, 0);
    }));

  test(`cancel() offline is sent when the network is back, also after a stream was left offline (${place})`, () =>
    at(place, async (clock, network) => {
      const { service, handle } = await leftOffline(network);
      assert.equal(network.listeners, 0);
      const cancelling = handle.cancel();
      await clock.advance(HOUR);
      assert.equal(service.count("cancel"), 0);
      network.set(true);
      await clock.advance(1_000);
      await cancelling;
      assert.equal(handle.status, "cancelled");
      assert.deepEqual([network.listeners, clock.timers], [0, 0]);
    }));

  test(`what was left offline is no longer held to be so (${place})`, () =>
    at(place, async (clock, network) => {
      const { handle } = await leftOffline(network);
      network.set(true);
      const cancelling = handle.cancel();
      await clock.advance(1_000);
      await cancelling;
      assert.equal(handle.status, "cancelled");
    }));

  test(`wait() asks for no record offline, and spends nothing (${place})`, () =>
    at(place, async (clock, network) => {
      let over = false;
      const service = scriptedRun({
        stream: () => refusal(410, "stream_expired"),
        record: () => (over ? { status: "FINISHED", result: "All done" } : {}),
      });
      const handle = await service.handle();
      const waiting = handle.wait();
      await clock.advance(60_000);
      network.set(false);
      const asked = service.requests.length;
      assert.ok(asked > 3);
      await clock.advance(HOUR);
      assert.equal(service.requests.length, asked);
      network.set(true);
      over = true;
      await clock.advance(20_000);
      assert.equal((await waiting).result, "All done");
      assert.deepEqual([network.listeners, clock.timers], [0, 0]);
    }));
}

test("offline for longer than the stream is kept: the record is asked before the stream", () =>
  at("a page", async (clock, network) => {
    const kept = (connection) => {
      const headers = { "content-type": "text/event-stream", "x-cursor-stream-retention-seconds": "600" };
      return new Response(connection.body, { headers });
    };
    for (const isOver of [false, true]) {
      let first;
      const service = scriptedRun({
        record: (n) => (n > 1 && isOver ? { status: "FINISHED", result: "All done" } : {}),
        stream: (connection, n) => {
          if (n > 1 && isOver) return refusal(410, "stream_expired");
          if (n > 1) return void connection.send(text(1), text(2), text(3), whole);
          first = connection.send(status("RUNNING"), text(1), text(2));
          return kept(connection);
        },
      });
      const handle = await service.handle();
      const stream = handle.stream();
      for (let at = 0; at < 3; at++) await stream.next();
      const rest = stream.next();
      rest.catch(() => {});
      await turns();
      network.set(false);
      first.fail();
      await clock.advance(601_000);
      assert.equal(service.requests.length, 2);
      network.set(true);
      await clock.advance(20_000);
      assert.deepEqual(
        service.requests.slice(2, 4).map(({ kind }) => kind),
        ["record", "stream"],
      );
      if (!isOver) {
        assert.equal((await rest).value.message.content[0].text, "3;");
        continue;
      }
      await assert.rejects(rest, (error) => {
        assert.ok(error instanceof StreamExpiredError);
        assert.equal(error.lastEventId, "1-0");
        assert.equal(error.retentionSeconds, 600);
        return true;
      });
      assert.equal((await handle.wait()).result, "All done");
    }
  }));
