// A session may last for months: what it holds does not grow with its turns, in JavaScript or in the engine.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const isRelease = process.env.RUNWIRE_TEST_RELEASE === "1";
const program = join(import.meta.dirname, "programs", "many-turns.mjs");

for (const [way, count] of [
  ["query", 100_000],
  ...["ndjson", "sse", "host"].map((way) => [way, isRelease ? 100_000 : 20_000]),
]) {
  test(`a session of ${count} turns over ${way} holds no more at its end than at its beginning`, async () => {
    const args = ["--expose-gc", program, way, `${count}`];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { samples, engine, ends, events, expected } = JSON.parse(stdout);
    assert.deepEqual([ends, events], [count, expected]);
    assert.equal(samples.length, 10);
    const grown = Math.min(...samples.slice(7)) - Math.min(...samples.slice(2, 5));
    const each = grown / (count * 0.5);
    // What is in flight makes a difference of up to 300 kB.
    assert.ok(each < 800_000 / count, `${each.toFixed(1)} bytes a turn: ${samples}`);
    assert.equal(engine.at(-1), engine[0], `the engine's memory: ${engine}`);
  });
}
