// The bench judges as the project's bars say, and its sides are held to the same objects.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNK_SIZES, cut, runBytes } from "../../bench/data.mjs";
import { assertSameMessages } from "../../bench/lib/equal.mjs";
import { barOf, figuresOf, meets } from "../../bench/lib/figures.mjs";
import { interleave, NO_SUM } from "../../bench/lib/interleave.mjs";
import { markdown, tablesOf } from "../../bench/lib/report.mjs";
import { geometricMean, median } from "../../bench/lib/stats.mjs";
import { readAll } from "../../bench/sides/consume.mjs";
import * as peer from "../../bench/sides/peer.mjs";

test("a ratio is the peer's time by ours, and decode has a geometric mean", () => {
  const rows = [
    { name: "decode", size: 200, ours: 10, peer: 20 },
    { name: "decode", size: 1024, ours: 10, peer: 80 },
  ];
  assert.deepEqual(figuresOf("node", rows), {
    "decode.node.200": 2,
    "decode.node.1024": 8,
    "decode.node.mean": 4,
  });
});

test("growth is the later sample by the earlier one", () => {
  const rows = [{ name: "memory", first: { heap: 10, wasm: 4 }, last: { heap: 11, wasm: 4 } }];
  assert.deepEqual(figuresOf("node", rows), { "memory.node.heap": 1.1, "memory.node.wasm": 1 });
});

test("a figure below its least or above its most misses, and every figure of the issue has a bar", () => {
  assert.ok(meets("decode.node.200", 1.7));
  assert.ok(!meets("decode.node.200", 1.69));
  assert.ok(!meets("decode.firefox.mean", 2.09));
  assert.ok(!meets("iterate.chromium.65536", 3.49));
  assert.ok(meets("iterate.firefox.65536", 2.2));
  assert.ok(!meets("reader.node.1024", 1.69));
  assert.ok(meets("reader.node.16384", 1.25));
  assert.ok(!meets("memory.node.heap", 1.11));
  assert.ok(!meets("large.node.time", 2.21));
  assert.ok(meets("loopback.node.cpu", 0.6));
  assert.ok(!meets("loopback.node.cpu", 0.61));
  assert.ok(!meets("loopback.node.peak", 1.21));
  assert.ok(!meets("size.Agent.gzip", 55_001));
  for (const engine of ["node", "chromium", "firefox"]) {
    for (const name of ["decode", "iterate", "reader", "retained"]) {
      for (const size of CHUNK_SIZES) assert.ok(barOf(`${name}.${engine}.${size}`).least > 0);
    }
  }
});

test("a missed bar is marked in the tables", () => {
  const text = markdown(tablesOf({ "decode.node.200": 1.5, "decode.node.1024": 2.5 }));
  assert.match(text, /\| node \| 1\.50 ✗ \| 2\.50 \| ≥ 1\.7 \|/);
});

test("the median of an odd number of values is the middle one; of a mean of powers, the middle power", () => {
  assert.equal(median([5, 1, 9]), 5);
  assert.ok(Math.abs(geometricMean([2, 8]) - 4) < 1e-12);
});

test("sides that come to different sums are refused", async () => {
  await assert.rejects(interleave({ a: () => () => 1, b: () => () => 2 }, 1), /came to/);
});

test("sides run in turn, every other round in reverse", async () => {
  const order = [];
  const side = (name) => () => () => {
    order.push(name);
    return 0;
  };
  await interleave({ a: side("a"), b: side("b") }, 2);
  assert.deepEqual(order.slice(-4), ["a", "b", "b", "a"]);
});

test("what a side costs is what the clock says, also of one that adds nothing up", async () => {
  let now = 0;
  const side = (cost, sum) => () => () => {
    now += cost;
    return sum;
  };
  const sides = { drain: side(3, NO_SUM), a: side(5, 1), b: side(7, 1) };
  assert.deepEqual(await interleave(sides, 3, () => now), { drain: 3, a: 5, b: 7 });
});

test("messages that only look the same are told apart", () => {
  assertSameMessages([{ a: [1, { b: null }] }], [{ a: [1, { b: null }] }]);
  const differs = (actual, expected) => assert.throws(() => assertSameMessages([actual], [expected]), Error);
  differs({ a: 1, b: 2 }, { b: 2, a: 1 });
  differs({ a: undefined }, {});
  differs(Object.create({ a: 1 }), { a: 1 });
  differs(Object.defineProperty({}, "a", { get: () => 1, enumerable: true }), { a: 1 });
  differs({ a: "1" }, { a: 1 });
  assert.throws(() => assertSameMessages([], [{}]), /0 messages instead of 1/);
});

test("the peer's two ways make the same messages, at every chunk size", async () => {
  const bytes = runBytes(2000);
  for (const size of CHUNK_SIZES) {
    const decoded = [];
    peer.decode(cut(bytes, size), (message) => decoded.push(message));
    const piped = [];
    await readAll(peer.openEvents(cut(bytes, size)), (event) => {
      const message = peer.messageOf(event);
      if (message !== undefined) piped.push(message);
      return 0;
    });
    assertSameMessages(piped, decoded);
    assert.ok(decoded.length > 1800);
  }
});
