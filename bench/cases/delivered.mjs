// Messages delivered from a fetch response: `for await` and a reader on ours, a reader on the peer's pipe.

import { cut, runBytes } from "../data.mjs";
import { assertSameMessages } from "../lib/equal.mjs";
import { interleave } from "../lib/interleave.mjs";
import { readAll, weigh } from "../sides/consume.mjs";
import * as ours from "../sides/ours.mjs";
import * as peer from "../sides/peer.mjs";

async function iterate(run, take) {
  let sum = 0;
  for await (const message of run.stream()) sum += take(message);
  return sum;
}

/** Heartbeats and the like come out of the peer's pipe as events that make no message. */
function readPeer(chunks, take) {
  return readAll(peer.openEvents(chunks), (event) => {
    const message = peer.messageOf(event);
    return message === undefined ? 0 : take(message);
  });
}

async function messagesOf(read) {
  const messages = [];
  await read((message) => messages.push(message));
  return messages;
}

/** Two rows a size, both against the same runs of the peer. */
export async function delivered({ sizes, rounds, events }) {
  await ours.ready();
  const bytes = runBytes(events);
  const rows = [];
  for (const size of sizes) {
    const chunks = cut(bytes, size);
    const expected = await messagesOf((take) => readPeer(chunks, take));
    const iterated = await messagesOf(async (take) => iterate(await ours.openRun(chunks), take));
    assertSameMessages(iterated, expected);
    const read = await messagesOf(async (take) => readAll((await ours.openRun(chunks)).stream(), take));
    assertSameMessages(read, expected);

    const times = await interleave(
      {
        iterate: async () => {
          const run = await ours.openRun(chunks);
          return () => iterate(run, weigh);
        },
        reader: async () => {
          const run = await ours.openRun(chunks);
          return () => readAll(run.stream(), weigh);
        },
        peer: () => () => readPeer(chunks, weigh),
      },
      rounds,
    );
    rows.push({ name: "iterate", size, ours: times.iterate, peer: times.peer });
    rows.push({ name: "reader", size, ours: times.reader, peer: times.peer });
  }
  return rows;
}
