// Whether one long stream grows: heap and WebAssembly memory at event 100,000 and at event 1,000,000.

import { generatedChunks } from "../data.mjs";
import { heapBytes, wasmBytes } from "../lib/probe.mjs";
import { weigh } from "../sides/consume.mjs";
import * as ours from "../sides/ours.mjs";

const CHUNK = 16 * 1024;

/** The run is generated while it is read; what is held at a sample is what the stream itself holds. */
export async function memory({ events }) {
  await ours.ready();
  const total = events * 10;
  let seen = 0;
  const run = await ours.openRun(
    generatedChunks(total, CHUNK, undefined, (frames) => {
      seen += frames;
    }),
  );
  const samples = [];
  const sample = async () => samples.push({ events: seen, heap: await heapBytes(), wasm: wasmBytes() });
  let sum = 0;
  for await (const message of run.stream()) {
    sum += weigh(message);
    // The last sample is taken within the stream as well, a little before its end.
    if (samples.length === 0 ? seen >= events : samples.length === 1 && seen >= total * 0.999) await sample();
  }
  if (samples.length !== 2 || sum === 0) throw new Error(`the stream ended after ${seen} frames`);
  return [{ name: "memory", first: samples[0], last: samples[1] }];
}
