// The engine's batches of frames → wire events, for `openRunStream`.

import type { EngineMemory } from "../engine/memory.js";
import { buildEvents } from "../sse/build.js";
import { placeAfter, REPLAY_MISMATCH, type Warn, warningOf } from "./build.js";
import type { RunWarning } from "./types.js";
import { type Used, usageIn } from "./usage.js";
import type { RunEvent } from "./wire.js";

const KNOWN = new Set(
  (
    "status assistant thinking tool_call interaction_update heartbeat result error done user system task " +
    "request usage"
  ).split(" "),
);

/** Makes the events of a batch. Warnings are told at the end, for who hears them may call the engine. */
export function buildFrames(
  memory: EngineMemory,
  head: number,
  count: number,
  warn: Warn,
  _agentId: string,
  _runId: string,
  used?: Used,
): RunEvent[] {
  const warnings: [warning: RunWarning, place: number][] = [];
  const skipped: number[] = [];
  const frames = buildEvents(memory, head, count, (values, place) => {
    skipped.push(place);
    // It comes before what is repeated.
    if (values[0] === REPLAY_MISMATCH) used?.();
    warnings.push([warningOf(values), place]);
  });
  const events: RunEvent[] = [];
  for (const [nth, { event, id, data: text }] of frames.entries()) {
    const type = KNOWN.has(event) ? event : "unknown";
    const start = { type, id: id || null };
    try {
      const data = JSON.parse(text);
      events.push({ ...start, ...(type !== event && { event }), data } as RunEvent);
      if (type === "interaction_update" && data?.type === "turn-ended") {
        const turn = usageIn(data.usage);
        if (turn) used?.(turn);
      }
    } catch {
      // Nobody knows the format of an unknown frame: what is not JSON goes out as text.
      if (type !== event) events.push({ ...start, event, data: text } as RunEvent);
      else {
        const warning = warningOf(["invalid_json", event, id, "", text.slice(0, 256)]);
        warnings.push([warning, placeAfter(nth + 1, skipped) - 1]);
      }
    }
  }
  for (const warning of warnings) warn(...warning);
  return events;
}
