// The engine's batches of frames → wire events, for `openRunStream`.

import { type EngineMemory, SHORTS, WORDS } from "../engine/memory.js";
import { shortString } from "../engine/short.js";
import { OP, valuesOf, warningOf } from "./build.js";
import type { RunWarning } from "./types.js";
import type { RunEvent } from "./wire.js";

const KNOWN = new Set<string>([
  "status",
  "assistant",
  "thinking",
  "tool_call",
  "interaction_update",
  "heartbeat",
  "result",
  "error",
  "done",
  "user",
  "system",
  "task",
  "request",
  "usage",
]);

/** Makes the events of a batch. Warnings are told at the end, for who hears them may call the engine. */
export function buildFrames(
  memory: EngineMemory,
  head: number,
  count: number,
  warn: (warning: RunWarning) => void,
): RunEvent[] {
  const { units, words } = memory.current();
  const values = valuesOf(memory, head);
  let value = 0;
  let unit = words[head + SHORTS]! >> 1;
  const string = (length: number): string => {
    if (length === 0) return values[value++];
    unit += length - 1;
    return shortString(units, unit - length + 1, length - 1);
  };
  const events: RunEvent[] = [];
  const warnings: RunWarning[] = [];
  const start = words[head + WORDS]! >> 2;
  for (let at = start; at < start + count; at++) {
    const word = words[at]!;
    if ((word & 255) === OP.Warning) {
      warnings.push(warningOf(values.slice(value, value + 5)));
      value += 5;
      continue;
    }
    const event = string((word >> 8) & 63);
    const id = string((word >> 14) & 63) || null;
    const text: string = values[value++];
    const isKnown = KNOWN.has(event);
    let data: unknown = text;
    try {
      data = JSON.parse(text);
    } catch {
      // Nobody knows the format of an unknown frame: what is not JSON goes out as text.
      if (isKnown) {
        const message = `A ${event} frame is not JSON and was skipped`;
        warnings.push({ code: "invalid_json", message, event, id: id ?? "", excerpt: text.slice(0, 256) });
        continue;
      }
    }
    events.push((isKnown ? { type: event, id, data } : { type: "unknown", event, id, data }) as RunEvent);
  }
  for (const warning of warnings) warn(warning);
  return events;
}
