// The engine's batches → message objects. What a batch is made of: src/json/batch.rs and src/cloud/message.rs.

import { valuesOf } from "../engine/batch.js";
import { type EngineMemory, SHORTS, WORDS } from "../engine/memory.js";
import { shortString } from "../engine/short.js";
import type {
  FrameWarning,
  ResumeWarning,
  RunWarning,
  SDKMessage,
  SDKStatusMessage,
  SDKThinkingMessage,
  SDKToolCallMessage,
} from "./types.js";
import { type Used, usageOf } from "./usage.js";

/** What a message's word says; see `Op` in src/cloud/message.rs. */
export const OP = {
  Assistant: 0,
  AssistantBlocks: 1,
  Thinking: 2,
  ToolCall: 3,
  Status: 4,
  Usage: 5,
  Typed: 6,
  Unknown: 7,
  Warning: 8,
  Frame: 9,
} as const;

/** The warning with which everything comes again. */
export const REPLAY_MISMATCH = "replay_mismatch";

/** Is told a warning, and how many messages and warnings stood before it in the batch. */
export type Warn = (warning: RunWarning, place: number) => void;

const TOOL_STATUS = ["running", "completed", "error"] as const;

/**
 * Makes the messages of a batch. Object literals with fixed members, because engines make those
 * fastest, and fresh strings, so that a message kept does not keep its chunk. Warnings are told
 * when nothing of the batch is needed any more, for who hears them may call the engine.
 */
export function buildMessages(
  memory: EngineMemory,
  head: number,
  count: number,
  warn: Warn,
  agent_id: string,
  run_id: string,
  used?: Used,
): SDKMessage[] {
  const messages: SDKMessage[] = [];
  if (count === 0) return messages;
  const { units, words } = memory.current();
  const json = valuesOf(memory, head);
  let value = 0;
  let unit = words[head + SHORTS]! >>> 1;
  let warnings: [warning: RunWarning, place: number][] | undefined;
  const start = words[head + WORDS]! >>> 2;
  for (let at = start; at < start + count; at++) {
    const word = words[at]!;
    const flags = word >> 20;
    // Short strings, by their lengths plus one; what is none of them stands among the other values.
    let first: string | undefined;
    let second: string | undefined;
    let size = (word >> 8) & 63;
    if (size !== 0) {
      first = shortString(units, unit, size - 1);
      unit += size - 1;
    }
    size = (word >> 14) & 63;
    if (size !== 0) {
      second = shortString(units, unit, size - 1);
      unit += size - 1;
    }
    switch (word & 255) {
      case OP.Assistant: {
        const text = first ?? json[value++];
        messages.push({
          type: "assistant",
          agent_id,
          run_id,
          message: { role: "assistant", content: [{ type: "text", text }] },
        });
        break;
      }
      case OP.AssistantBlocks:
        messages.push({
          type: "assistant",
          agent_id,
          run_id,
          message: { role: "assistant", content: json[value++] },
        });
        break;
      case OP.Thinking: {
        const text = first ?? json[value++];
        const message: SDKThinkingMessage = { type: "thinking", agent_id, run_id, text };
        if (flags & 1) message.thinking_duration_ms = json[value++];
        messages.push(message);
        break;
      }
      case OP.ToolCall: {
        const message: SDKToolCallMessage = {
          type: "tool_call",
          agent_id,
          run_id,
          call_id: first ?? json[value++],
          name: second ?? json[value++],
          status: TOOL_STATUS[flags & 3]!,
        };
        if (flags & 4) message.args = json[value++];
        if (flags & 8) message.result = json[value++];
        if (flags & 16) message.truncated = json[value++];
        messages.push(message);
        break;
      }
      case OP.Status: {
        const status = first ?? json[value++];
        const message: SDKStatusMessage = { type: "status", agent_id, run_id, status };
        if (flags & 1) message.message = second ?? json[value++];
        messages.push(message);
        break;
      }
      case OP.Usage: {
        const usage = usageOf(json.slice(value, value + 4));
        value += 4;
        if (flags & 1) usage.reasoningTokens = json[value++];
        messages.push({ type: "usage", agent_id, run_id, usage });
        used?.(usage);
        break;
      }
      case OP.Typed: {
        const type = first ?? json[value++];
        // The frame's own members come first: they must not replace what the handle says.
        messages.push({ ...json[value++], type, agent_id, run_id });
        break;
      }
      case OP.Unknown: {
        const event = first ?? json[value++];
        messages.push({ type: "unknown", agent_id, run_id, event, data: json[value++] });
        break;
      }
      case OP.Warning:
        warnings ??= [];
        if (json[value] === REPLAY_MISMATCH) used?.();
        warnings.push([warningOf(json.slice(value, value + 5)), at - start]);
        value += 5;
        break;
      default:
        throw new Error("The engine and this package are of different versions");
    }
  }
  if (warnings) for (const warning of warnings) warn(...warning);
  return messages;
}

/** Where one is in a batch who has read so many of its messages, of whose warnings these are the places, in order. */
export function placeAfter(read: number, skipped: readonly number[]): number {
  let place = read;
  for (const warning of skipped) if (warning < place) place++;
  return place;
}

export function warningOf(values: string[]): RunWarning {
  type Code = (FrameWarning | ResumeWarning)["code"];
  const [code, event, id, member, excerpt] = values as [Code, string, string, string, string];
  switch (code) {
    case "events_lost":
      return {
        code,
        message: "The service no longer has all messages: some are missing here",
        lastEventId: id,
      };
    case REPLAY_MISMATCH:
      return {
        code,
        message: "The service replays other messages: all are delivered again",
        lastEventId: id,
      };
    default: {
      const what = code === "invalid_json" ? "its data is not JSON" : `its ${member} is not as documented`;
      return { code, message: `Skipping a frame of type ${event}: ${what}`, event, id, excerpt };
    }
  }
}
