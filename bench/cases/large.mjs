// One very large event in small chunks: the time must grow with the size, not with its square, and memory by a few times.

import { EventStreamDecoder } from "runwire/sse";
import { interleave } from "../lib/interleave.mjs";
import { heapBytes, wasmBytes } from "../lib/probe.mjs";
import * as ours from "../sides/ours.mjs";

const MIB = 1024 * 1024;
const CHUNK = 1024;
const SMALL = 32 * MIB;
const LARGE = 64 * MIB;

/** The length of the one event's data, which is `size` characters of ASCII on one line. */
function decodeOne(size) {
  const encoder = new TextEncoder();
  const middle = new Uint8Array(CHUNK).fill("x".charCodeAt(0));
  const decoder = new EventStreamDecoder({ maxEventBytes: 2 * LARGE });
  const events = [...decoder.push(encoder.encode("data: "))];
  for (let sent = 0; sent < size; sent += CHUNK) events.push(...decoder.push(middle));
  events.push(...decoder.push(encoder.encode("\n\n")));
  decoder.end();
  if (events.length !== 1 || events[0].data.length !== size)
    throw new Error("not the one event that was sent");
  return 1;
}

export async function large({ rounds }) {
  await ours.ready();
  const heapBefore = await heapBytes();
  const wasmBefore = wasmBytes();
  decodeOne(LARGE);
  const peak = wasmBytes() - wasmBefore;
  const left = (await heapBytes()) - heapBefore;
  const times = await interleave(
    { small: () => () => decodeOne(SMALL), large: () => () => decodeOne(LARGE) },
    Math.max(7, rounds),
  );
  return [{ name: "large", ...times, peak: peak / LARGE, left: left / LARGE }];
}
