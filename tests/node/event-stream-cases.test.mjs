// The 150 recorded event streams through the built package in Node.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { EventStreamDecoder, EventStreamDecoderStream } from "runwire/sse";
import { bytesOf, checkDecoder, checkStream, runsOf } from "../lib/event-stream-cases.mjs";

const cases = JSON.parse(readFileSync(new URL("../cases/event-stream.json", import.meta.url), "utf8"));

test("all recorded cases are right whole, byte by byte and at every two-way cut", () => {
  assert.equal(cases.length, 150);
  const { runs, faults } = checkDecoder(cases, EventStreamDecoder);
  assert.deepEqual(faults, []);
  assert.equal(runs, runsOf(cases));
  assert.ok(runs > 33_000, `${runs}`);
});

test("all recorded cases are right through the TransformStream", async () => {
  const { runs, faults } = await checkStream(cases, EventStreamDecoderStream);
  assert.deepEqual(faults, []);
  assert.equal(runs, 600);
});

test("a decoder that is wrong in one chunking is seen", () => {
  // Loses what follows a CR at a chunk's end.
  class Wrong extends EventStreamDecoder {
    push(chunk) {
      return super.push(chunk.at(-1) === 13 ? chunk.subarray(0, -1) : chunk);
    }
  }
  const short = cases.filter((one) => bytesOf(one).length < 100);
  const { faults } = checkDecoder(short, Wrong);
  assert.ok(faults.length > 100, `${faults.length}`);
});
