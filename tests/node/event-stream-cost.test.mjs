// What large events cost: memory in proportion to the event, and given back. For time there is `npm run bench`.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const MIB = 1024 * 1024;

/** In a process of its own, whose memory and time are the event's alone. */
async function cost(...args) {
  const program = join(import.meta.dirname, "programs", "large-event.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", program, ...args]);
  return JSON.parse(stdout);
}

// Just over a power of two is the worst case of a buffer that doubles.
for (const [megabytes, text, name] of [
  [17, "x", "ASCII"],
  [33, "x", "ASCII"],
  [48, "x", "ASCII"],
  [48, "é", "Latin"],
  [48, "中", "Chinese"],
]) {
  test(`an event of ${megabytes} MiB of ${name} text takes about four times its size at most`, async () => {
    const { length, characters, peak, peakJs, after, more } = await cost(megabytes, text);
    assert.equal(length, megabytes * MIB);
    assert.ok(
      Math.abs(characters - length / Buffer.byteLength(text)) <= 64 * 1024,
      `${characters} characters`,
    );
    assert.ok(peak <= 4.4 * length, `engine and JS: ${(peak / length).toFixed(2)} times`);
    assert.ok(peakJs <= 1.3 * length, `JS: ${(peakJs / length).toFixed(2)} times`);
    assert.ok(peak > length, "the measure sees the event at all");
    assert.ok(after < MIB, `${after} bytes of JS memory stay`);
    assert.ok(more < MIB, `${more} bytes more for three more such events`);
  });
}
