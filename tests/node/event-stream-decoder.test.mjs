// EventStreamDecoder beside the recorded cases: what it is given, what it tells, and its limits.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { EventStreamDecoder, EventTooLargeError, RunwireError } from "runwire/sse";
import { pick, randomChunks, randomOf } from "../lib/random.mjs";

const encode = (text) => new TextEncoder().encode(text);
const event = (data, id = "", name = "message") => ({ event: name, data, id });

test("events are plain objects with their own data properties", () => {
  const [given] = new EventStreamDecoder().push(encode("id: 1\nevent: tick\ndata: x\n\n"));
  assert.deepEqual(Object.getOwnPropertyDescriptors(given), {
    event: { value: "tick", writable: true, enumerable: true, configurable: true },
    data: { value: "x", writable: true, enumerable: true, configurable: true },
    id: { value: "1", writable: true, enumerable: true, configurable: true },
  });
  assert.equal(Object.getPrototypeOf(given), Object.prototype);
  assert.deepEqual(structuredClone(given), given);
});

test("the events before one that is too large are returned, the next call throws", () => {
  for (const split of [1, 7, 1000]) {
    const decoder = new EventStreamDecoder({ maxEventBytes: 10 });
    const bytes = encode(`data: a\n\ndata: 0123456789\n\ndata: 0123456789x\n\ndata: b\n\n`);
    const events = [];
    let thrown;
    for (let at = 0; at < bytes.length && !thrown; at += split) {
      try {
        events.push(...decoder.push(bytes.subarray(at, at + split)));
      } catch (error) {
        thrown = error;
      }
    }
    try {
      thrown ?? decoder.push(new Uint8Array());
    } catch (error) {
      thrown = error;
    }
    assert.deepEqual(events, [event("a"), event("0123456789")], `chunks of ${split}`);
    assert.ok(thrown instanceof EventTooLargeError && thrown instanceof RunwireError);
    assert.equal(thrown.name, "EventTooLargeError");
    assert.equal(thrown.code, "event_too_large");
    assert.equal(thrown.maxEventBytes, 10);
    assert.match(thrown.message, /maxEventBytes \(10\)/);
  }
});

test("every call throws until end(), and then a new connection begins", () => {
  const decoder = new EventStreamDecoder({ maxEventBytes: 4 });
  assert.deepEqual(decoder.push(encode("id: 7\ndata: a\n\ndata: 01234\n\n")), [event("a", "7")]);
  for (let call = 0; call < 3; call++) {
    assert.throws(() => decoder.push(encode("data: b\n\n")), EventTooLargeError);
  }
  decoder.end();
  assert.deepEqual(decoder.push(encode("data: c\n\n")), [event("c", "7")]);
});

test("end() throws when no call has said yet that an event was too large", () => {
  const decoder = new EventStreamDecoder({ maxEventBytes: 4 });
  assert.deepEqual(decoder.push(encode("data: 01234")), []);
  assert.throws(() => decoder.end(), EventTooLargeError);
  decoder.end();
  assert.deepEqual(decoder.push(encode("data: c\n\n")), [event("c")]);
});

test("an endless line of any kind crosses the limit", () => {
  for (const start of ["data: ", ": ", "id: ", "event: ", "unknown: ", "retry: ", ""]) {
    const decoder = new EventStreamDecoder({ maxEventBytes: 1000 });
    let pushed = 0;
    const push = () => {
      for (decoder.push(encode(start)); pushed < 10_000; pushed += 100) decoder.push(encode("1".repeat(100)));
    };
    assert.throws(push, EventTooLargeError, start);
    assert.ok(pushed >= 1000 && pushed <= 1200, `${start}: ${pushed}`);
  }
});

test("maxEventBytes must be a number of bytes, at least 1", () => {
  for (const maxEventBytes of [0, -1, Number.NaN, 0.5, "many", null]) {
    assert.throws(() => new EventStreamDecoder({ maxEventBytes }), RangeError, String(maxEventBytes));
  }
  for (const maxEventBytes of [1, 1.5, 2 ** 40, Number.POSITIVE_INFINITY, undefined]) {
    assert.deepEqual(new EventStreamDecoder({ maxEventBytes }).push(encode("data:a\n\n")), [event("a")]);
  }
});

test("by default an event of 16 MiB passes and one byte more does not", () => {
  const data = new Uint8Array(16 * 1024 * 1024 + 1).fill(0x78);
  for (const [length, passes] of [
    [data.length - 1, true],
    [data.length, false],
  ]) {
    const decoder = new EventStreamDecoder();
    decoder.push(encode("data: "));
    const events = decoder.push(data.subarray(0, length));
    if (passes) {
      events.push(...decoder.push(encode("\n\n")));
      assert.equal(events.length, 1);
      assert.equal(events[0].data.length, length);
    } else {
      assert.throws(() => decoder.push(encode("\n\n")), EventTooLargeError);
    }
  }
});

test("lastEventId begins as given, follows the events, and never runs ahead of them", () => {
  const decoder = new EventStreamDecoder({ lastEventId: "é0" });
  assert.equal(decoder.lastEventId, "é0");
  assert.deepEqual(decoder.push(encode("data: a\n\nid: 1")), [event("a", "é0")]);
  assert.equal(decoder.lastEventId, "é0");
  decoder.push(encode("\n"));
  assert.equal(decoder.lastEventId, "é0");
  // A block without data dispatches nothing, and sets the id all the same.
  assert.deepEqual(decoder.push(encode("\n")), []);
  assert.equal(decoder.lastEventId, "1");
  assert.deepEqual(decoder.push(encode("id\ndata: b\n\n")), [event("b")]);
  assert.equal(decoder.lastEventId, "");
  assert.equal(new EventStreamDecoder().lastEventId, "");
});

test("reconnectionTime is undefined before the first retry field, and a number always", () => {
  const decoder = new EventStreamDecoder();
  assert.equal(decoder.reconnectionTime, undefined);
  for (const wrong of ["x", "-1", "1.5", "", "1 "]) decoder.push(encode(`retry: ${wrong}\n`));
  assert.equal(decoder.reconnectionTime, undefined);
  decoder.push(encode("retry: 1500\n"));
  assert.equal(decoder.reconnectionTime, 1500);
  decoder.push(encode("retry: 0\n"));
  assert.equal(decoder.reconnectionTime, 0);
  decoder.push(encode(`retry: ${"9".repeat(400)}\n`));
  assert.ok(Number.isFinite(decoder.reconnectionTime) && decoder.reconnectionTime >= 2 ** 31);
});

test("end() discards what is unfinished and keeps id and reconnection time", () => {
  const decoder = new EventStreamDecoder();
  decoder.push(encode("id: 7\nretry: 40\ndata: a\n\nid: 8\nevent: x\ndata: cut o"));
  decoder.end();
  assert.equal(decoder.lastEventId, "7");
  assert.equal(decoder.reconnectionTime, 40);
  // The first bytes of a connection: a byte order mark, which is not content.
  assert.deepEqual(decoder.push(encode("\ufeffff\n\n")), []);
  decoder.end();
  assert.deepEqual(decoder.push(encode("\ufeffdata: b\n\n")), [event("b", "7")]);
});

test("end() after a CR does not swallow an LF of the next connection", () => {
  const decoder = new EventStreamDecoder();
  decoder.push(encode("data: a\r"));
  decoder.end();
  assert.deepEqual(decoder.push(encode("\ndata: b\n\n")), [event("b")]);
});

test("what is not bytes is refused, and nothing is lost by it", () => {
  const decoder = new EventStreamDecoder();
  decoder.push(encode("data: a"));
  for (const wrong of ["data: b\n\n", undefined, null, 1, {}, [1], new Blob([])]) {
    assert.throws(() => decoder.push(wrong), TypeError, String(wrong));
  }
  assert.deepEqual(decoder.push(encode("\n\n")), [event("a")]);
});

test("every kind of view, an ArrayBuffer, and those of other realms are bytes", () => {
  const bytes = encode("_data: é😀\n\n_____");
  const { buffer } = bytes;
  const length = bytes.length - 6;
  const elsewhere = runInNewContext("Uint8Array.from(list)", { list: [...bytes] });
  const views = {
    "a slice": bytes.subarray(1, 1 + length),
    Int8Array: new Int8Array(buffer, 1, length),
    DataView: new DataView(buffer, 1, length),
    Uint16Array: new Uint16Array(buffer.slice(1, 1 + length)),
    Buffer: Buffer.from(buffer, 1, length),
    ArrayBuffer: buffer.slice(1, 1 + length),
    "a foreign view": elsewhere.subarray(1, 1 + length),
    "a foreign ArrayBuffer": elsewhere.buffer.slice(1, 1 + length),
    "a SharedArrayBuffer's": new Uint8Array(shared(bytes), 1, length),
  };
  for (const [name, view] of Object.entries(views)) {
    assert.deepEqual(new EventStreamDecoder().push(view), [event("é😀")], name);
  }
});

function shared(bytes) {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

test("the chunk may be changed after the call", () => {
  const decoder = new EventStreamDecoder();
  const chunk = encode("data: before\ndata: x");
  decoder.push(chunk);
  chunk.fill(0);
  assert.deepEqual(decoder.push(encode("\n\n")), [event("before\nx")]);
});

test("decoders do not disturb each other", () => {
  const decoders = Array.from({ length: 50 }, () => new EventStreamDecoder());
  const bytes = encode("id: 1\nevent: e\ndata: x\n\ndata: y\n\n");
  const given = decoders.map(() => []);
  for (let at = 0; at < bytes.length; at++) {
    decoders.forEach((decoder, one) => {
      given[one].push(...decoder.push(bytes.subarray(at, at + 1)));
    });
  }
  for (const events of given) assert.deepEqual(events, [event("x", "1", "e"), event("y", "1")]);
});

test("invalid UTF-8 becomes what TextDecoder makes of it, however it is cut", () => {
  const random = randomOf(7);
  const pieces = ["é", "€", "😀", "\ufeff", "a", "\u2028"].map(encode);
  const text = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  let replaced = 0;
  for (let round = 0; round < 3000; round++) {
    const parts = Array.from({ length: 1 + random(6) }, () => {
      const piece = pick(random, pieces);
      // Whole characters, torn ones, and bytes that begin or go on with none.
      return random(2) ? piece.subarray(0, 1 + random(piece.length)) : Uint8Array.of(0x80 + random(128));
    });
    const bytes = Buffer.concat(parts);
    const expected = text(bytes);
    replaced += expected.includes("\ufffd");
    const stream = Buffer.concat([
      encode("data: "),
      bytes,
      encode("\nevent: "),
      bytes,
      encode("\nid: "),
      bytes,
      encode("\n\n"),
    ]);
    const decoder = new EventStreamDecoder();
    const events = randomChunks(random, stream, 1 + random(9)).flatMap((chunk) => decoder.push(chunk));
    assert.deepEqual(events, [event(expected, expected, expected)], bytes.toString("hex"));
  }
  assert.ok(replaced > 2000, `${replaced}`);
});

test("before the engine is there the decoder says what to do, and works afterwards", async () => {
  const program = `
    import { readFileSync } from "node:fs";
    import { EventStreamDecoder, NotReadyError, init } from "runwire/sse";
    const tried = [];
    try { new EventStreamDecoder(); } catch (error) {
      tried.push(error instanceof NotReadyError, error.name, error.code, error.message);
    }
    await init(readFileSync(new URL(import.meta.resolve("runwire/sse").replace("entries/sse.web.js", "engine/engine.wasm"))));
    tried.push(new EventStreamDecoder().push(new TextEncoder().encode("data: a\\n\\n")));
    console.log(JSON.stringify(tried));
  `;
  // As a browser's bundler resolves it: there loading is asynchronous.
  const args = ["--conditions=browser", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  const [isClass, name, code, message, events] = JSON.parse(stdout);
  assert.deepEqual([isClass, name, code, events], [true, "NotReadyError", "not_ready", [event("a")]]);
  assert.match(message, /await init\(\) first/);
});
