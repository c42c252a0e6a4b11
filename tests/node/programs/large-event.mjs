// Decodes large events and prints what that cost: run by event-stream-cost.test.mjs with --expose-gc.

import { EventStreamDecoder } from "runwire/sse";

const MIB = 1024 * 1024;

// The engine's memory is nobody's business but a test's.
let engineMemory;
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    // By its kind: the build shortens the names.
    engineMemory ??= Object.values(this.exports).find((value) => value instanceof WebAssembly.Memory);
  }
};

/** Decodes one event of `length` bytes in equal chunks; `after` is called when a chunk is decoded. */
function decode(decoder, length, chunk, after) {
  decoder.push(Buffer.from("data: "));
  for (let sent = 0; sent < length; sent += chunk.length) {
    decoder.push(chunk);
    after?.();
  }
  const [event] = decoder.push(Buffer.from("\n\n"));
  after?.();
  return event.data.length;
}

function jsBytes() {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  // The engine's memory counts among the array buffers' on some versions, among the external on all.
  return heapUsed + external + (arrayBuffers > external ? arrayBuffers : 0);
}

function memory(length, text) {
  const chunk = Buffer.from(text.repeat(Math.ceil((64 * 1024) / Buffer.byteLength(text))));
  const decoder = new EventStreamDecoder({ maxEventBytes: 2 * length });
  // What loading costs is not the event's.
  decode(decoder, 1024, chunk.subarray(0, 1024));
  globalThis.gc();
  const js = jsBytes() - engineMemory.buffer.byteLength;
  const engine = engineMemory.buffer.byteLength;
  let peak = 0;
  let peakJs = 0;
  let calls = 0;
  const sample = () => {
    if (calls++ % 16 !== 0 && calls <= length / chunk.length) return;
    const total = jsBytes() - js - engine;
    peak = Math.max(peak, total);
    peakJs = Math.max(peakJs, total - (engineMemory.buffer.byteLength - engine));
  };
  const characters = decode(decoder, length, chunk, sample);
  globalThis.gc();
  const after = jsBytes() - engineMemory.buffer.byteLength - js;
  const grown = engineMemory.buffer.byteLength;
  for (let again = 0; again < 3; again++) decode(decoder, length, chunk);
  return { length, characters, peak, peakJs, after, more: engineMemory.buffer.byteLength - grown };
}

/** CPU time of one event of each length in 1 KiB chunks: the least of several tries, taken in turns. */
function time(lengths, tries) {
  const chunk = Buffer.alloc(1024, "x");
  const best = lengths.map(() => Number.POSITIVE_INFINITY);
  const decoder = new EventStreamDecoder({ maxEventBytes: 2 * Math.max(...lengths) });
  decode(decoder, Math.max(...lengths), chunk);
  for (let round = 0; round < tries; round++) {
    lengths.forEach((length, one) => {
      globalThis.gc();
      const before = process.cpuUsage();
      decode(decoder, length, chunk);
      const { user, system } = process.cpuUsage(before);
      best[one] = Math.min(best[one], user + system);
    });
  }
  return best;
}

const [what, megabytes, text] = process.argv.slice(2);
const result = what === "time" ? time([32 * MIB, 64 * MIB], 7) : memory(Number(megabytes) * MIB, text);
console.log(JSON.stringify(result));
