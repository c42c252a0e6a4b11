// The engine's batches → events: fresh strings, so that an event kept does not keep its chunk.

import { valuesOf } from "../engine/batch.js";
import { type EngineMemory, SHORTS, TEXTS, WORDS } from "../engine/memory.js";
import { shortString } from "../engine/short.js";
import { readText } from "../engine/text.js";
import type { ServerSentEvent } from "./decoder.js";

/** `Op::Warning` in src/cloud/message.rs: five values. */
const WARNING = 8;

/**
 * Makes the events of a batch of so many words; see `Batch::texts` in src/json/batch.rs. `warn` is also told how many
 * events and warnings stood before.
 */
export function buildEvents(
  memory: EngineMemory,
  head: number,
  count: number,
  warn?: (values: string[], place: number) => void,
): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  if (count === 0) return events;
  const { bytes, units, words } = memory.current();
  let at = words[head + WORDS]! >>> 2;
  let unit = words[head + SHORTS]! >>> 1;
  let text = words[head + TEXTS]!;
  const values = valuesOf(memory, head);
  const take = (length: number): string => {
    if (length !== 0) {
      unit += length - 1;
      return shortString(units, unit - length + 1, length - 1);
    }
    text += words[at]!;
    return readText(bytes.subarray(text - words[at++]!, text), false);
  };
  for (let place = 0, end = at + count; at < end; place++) {
    const word = words[at++]!;
    if ((word & 255) === WARNING) {
      warn?.(values.splice(0, 5), place);
      continue;
    }
    const event = take((word >> 8) & 63);
    const id = take((word >> 14) & 63);
    events.push({ event, data: take((word >> 20) & 63), id });
  }
  return events;
}
