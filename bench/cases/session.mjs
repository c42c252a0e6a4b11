// Bytes to session events: ours against the parser's callbacks, JSON.parse and a switch.

import { init, SessionDecoder } from "runwire/kit";
import { cut } from "../data.mjs";
import { assertSameMessages } from "../lib/equal.mjs";
import { interleave } from "../lib/interleave.mjs";
import { sessionBytes } from "../session-data.mjs";
import { decodeSession } from "../sides/session-peer.mjs";

function ours(chunks, take) {
  const decoder = new SessionDecoder();
  for (const chunk of chunks) for (const event of decoder.push(chunk)) take(event);
  for (const event of decoder.end()) take(event);
}

const recent = new Array(64).fill(undefined);

/** What every side does with an event; it is kept for a while, as where it is shown. */
function sumOf(decode, chunks) {
  let sum = 0;
  let count = 0;
  decode(chunks, (event) => {
    recent[count++ & 63] = event;
    sum += event.type === "text" ? event.text.length : event.type.length;
  });
  return sum;
}

function eventsOf(decode, chunks) {
  const events = [];
  decode(chunks, (event) => events.push(event));
  return events;
}

/** Times by chunk size, once both are known to make the same events at that size. */
export async function session({ sizes, rounds, events }) {
  await init();
  const bytes = sessionBytes(events);
  const rows = [];
  for (const size of sizes) {
    const chunks = cut(bytes, size);
    assertSameMessages(eventsOf(ours, chunks), eventsOf(decodeSession, chunks));
    const times = await interleave(
      { ours: () => () => sumOf(ours, chunks), peer: () => () => sumOf(decodeSession, chunks) },
      rounds,
    );
    rows.push({ name: "session", size, ...times });
  }
  return rows;
}
