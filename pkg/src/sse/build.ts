// The engine's batches → events: fresh strings, so that an event kept does not keep its chunk.

import { Values } from "../engine/batch.js";
import { type EngineMemory, WORDS } from "../engine/memory.js";
import type { ServerSentEvent } from "./decoder.js";

/** Makes the events of a batch; see `encode_texts` in src/cloud/message.rs. */
export function buildEvents(memory: EngineMemory, head: number, count: number): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  if (count === 0) return events;
  const { words } = memory.current();
  const values = new Values(memory, head);
  const start = words[head + WORDS]! >> 2;
  for (let at = start; at < start + count; at++) {
    const word = words[at]!;
    const event = values.string((word >> 8) & 63);
    const id = values.string((word >> 14) & 63);
    events.push({ event, data: values.string(word >> 20), id });
  }
  return events;
}
