// The engine's batches of a host's frames → session events.

import type { EngineMemory } from "../engine/memory.js";
import { placeAfter, type Warn, warningOf } from "../messages/build.js";
import type { RunWarning } from "../messages/types.js";
import { buildEvents } from "../sse/build.js";
import type { AgentEvent } from "./types.js";

/** A frame that says something of the session. */
export interface HostFrame {
  event?: AgentEvent;
  /** The session has failed. */
  failed?: string;
}

/** Makes what a batch holds, one for each frame: those that are for the connection only give `undefined`. */
export function buildHostFrames(
  memory: EngineMemory,
  head: number,
  count: number,
  warn: Warn,
): (HostFrame | undefined)[] {
  const warnings: [warning: RunWarning, place: number][] = [];
  const skipped: number[] = [];
  const frames = buildEvents(memory, head, count, (values, place) => {
    skipped.push(place);
    warnings.push([warningOf(values), place]);
  });
  const made: (HostFrame | undefined)[] = [];
  for (const [nth, { event, id, data }] of frames.entries()) {
    try {
      if (event === "failed") made.push({ failed: String(JSON.parse(data).message) });
      else made.push(event === "message" ? { event: eventOf(JSON.parse(data)) } : undefined);
    } catch {
      const warning = warningOf(["invalid_json", event, id, "", data.slice(0, 256)]);
      warnings.push([warning, placeAfter(nth + 1, skipped) - 1]);
    }
  }
  for (const warning of warnings) warn(...warning);
  return made;
}

function eventOf(event: AgentEvent): AgentEvent {
  if (typeof event?.type !== "string") throw new TypeError("It is no event");
  return event;
}
