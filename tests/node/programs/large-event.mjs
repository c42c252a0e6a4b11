// Decodes large events and prints what that cost: run by event-stream-cost.test.mjs with --expose-gc.

import { EventStreamDecoder } from "runwire/sse";

const MIB = 1024 * 1024;
/** So small that whatever is done with all that has come, once a chunk, would take hours. */
const CHUNK = 1024;

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
  const chunk = Buffer.from(text.repeat(Math.ceil(CHUNK / Buffer.byteLength(text))));
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
    if (calls++ % 1024 !== 0 && calls <= length / chunk.length) return;
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

const [megabytes, text] = process.argv.slice(2);
console.log(JSON.stringify(memory(Number(megabytes) * MIB, text)));
