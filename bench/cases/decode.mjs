// Bytes to typed messages: ours against the parser's callbacks and JSON.parse.

import { cut, runBytes } from "../data.mjs";
import { assertSameMessages } from "../lib/equal.mjs";
import { interleave } from "../lib/interleave.mjs";
import { weigh } from "../sides/consume.mjs";
import * as ours from "../sides/ours.mjs";
import * as peer from "../sides/peer.mjs";

function sumOf(decode, chunks) {
  let sum = 0;
  decode(chunks, (message) => {
    sum += weigh(message);
  });
  return sum;
}

function messagesOf(decode, chunks) {
  const messages = [];
  decode(chunks, (message) => messages.push(message));
  return messages;
}

/** Times by chunk size, once both are known to make the same messages at that size. */
export async function decode({ sizes, rounds, events }) {
  await ours.ready();
  const bytes = runBytes(events);
  const rows = [];
  for (const size of sizes) {
    const chunks = cut(bytes, size);
    assertSameMessages(messagesOf(ours.decode, chunks), messagesOf(peer.decode, chunks));
    const times = await interleave(
      { ours: () => () => sumOf(ours.decode, chunks), peer: () => () => sumOf(peer.decode, chunks) },
      rounds,
    );
    rows.push({ name: "decode", size, ...times });
  }
  return rows;
}
