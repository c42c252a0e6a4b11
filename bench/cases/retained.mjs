// What a kept message holds on to: every 100th message of a stream is kept, all others are dropped.

import { generatedChunks } from "../data.mjs";
import { heapBytes } from "../lib/probe.mjs";
import { median } from "../lib/stats.mjs";
import * as ours from "../sides/ours.mjs";
import * as peer from "../sides/peer.mjs";

const EVERY = 100;
const ROUNDS = 3;

/**
 * Both sides hand over their messages chunk by chunk. Handed over one by one, the peer's would die in the
 * nursery, and the difference would be how a collector places survivors, not what a message holds on to.
 */
function keep(decode, events, size) {
  const kept = [];
  let index = 0;
  let list = [];
  function* handingOver() {
    for (const chunk of generatedChunks(events, size)) {
      yield chunk;
      for (const message of list) {
        if (index++ % EVERY === 0) kept.push(message);
      }
      list = [];
    }
  }
  decode(handingOver(), (message) => list.push(message));
  return kept;
}

async function retainedBy(decode, events, size) {
  const before = await heapBytes();
  const kept = keep(decode, events, size);
  const after = await heapBytes();
  // `kept` is read after the second sample, so it was alive when that was taken.
  return (after - before) / kept.length;
}

/** Bytes a kept message, ours and the peer's, by the size of the chunks the messages came out of. */
export async function retained({ sizes, events }) {
  await ours.ready();
  const rows = [];
  for (const size of sizes) {
    const bytes = { ours: [], peer: [] };
    for (const decode of [ours.decode, peer.decode]) keep(decode, events / 10, size);
    for (let round = 0; round < ROUNDS; round++) {
      bytes.ours.push(await retainedBy(ours.decode, events * 5, size));
      bytes.peer.push(await retainedBy(peer.decode, events * 5, size));
    }
    rows.push({ name: "retained", size, ours: median(bytes.ours), peer: median(bytes.peer) });
  }
  return rows;
}
