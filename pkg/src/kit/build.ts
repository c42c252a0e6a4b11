// The engine's batches → session events. What a batch is made of: src/json/batch.rs and src/kit/event.rs.

import { valuesOf } from "../engine/batch.js";
import { type EngineMemory, SHORTS, WORDS } from "../engine/memory.js";
import { shortString } from "../engine/short.js";
import type { ActionEvent, AgentEvent, SubagentActionEvent } from "./types.js";

/** What an event's word says; see `Op` in src/kit/event.rs. */
export const OP = {
  Text: 0,
  Action: 1,
  ToolResult: 2,
  McpError: 3,
  Info: 4,
  TurnEnd: 5,
  PromptSuggestion: 6,
  Fault: 7,
} as const;

/** `LEVELS` in src/kit/event.rs. */
export const LEVELS = ["info", "notice", "suggestion", "warning", "local-command"] as const;

/** What is no event: the start of something that is not JSON, or of an error that the host tells. */
export interface Fault {
  isError: boolean;
  excerpt: string;
  /** How many events stood before it. */
  place: number;
}

/** Makes the events of a batch of so many words. */
export function buildSessionEvents(
  memory: EngineMemory,
  head: number,
  count: number,
  faults: Fault[],
): AgentEvent[] {
  const events: AgentEvent[] = [];
  if (count === 0) return events;
  const { units, words } = memory.current();
  const json = valuesOf(memory, head);
  let value = 0;
  let unit = words[head + SHORTS]! >>> 1;
  const start = words[head + WORDS]! >>> 2;
  for (let at = start; at < start + count; at++) {
    const word = words[at]!;
    const flags = word >> 20;
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
      case OP.Text:
        events.push({ type: "text", text: first ?? json[value++] });
        break;
      case OP.Action: {
        const toolName: string = first ?? json[value++];
        const toolUseId: string | undefined = flags & 1 ? (second ?? json[value++]) : undefined;
        const event = { type: "action", toolName, input: json[value++] } as ActionEvent | SubagentActionEvent;
        if (toolUseId !== undefined) event.toolUseId = toolUseId;
        if (flags & 2) event.type = "subagent-action";
        if (flags & 4) (event as SubagentActionEvent).parentToolUseId = json[value++];
        events.push(event);
        break;
      }
      case OP.ToolResult: {
        const toolName = first ?? json[value++];
        const toolUseId = second ?? json[value++];
        events.push({
          type: "tool-result",
          toolUseId,
          toolName,
          isError: (flags & 1) !== 0,
          text: json[value++],
        });
        break;
      }
      case OP.McpError: {
        const name = first ?? json[value++];
        const last = flags & 1 ? events.at(-1) : undefined;
        if (last?.type === "mcp-error") last.failedServers.push(name);
        else events.push({ type: "mcp-error", failedServers: [name] });
        break;
      }
      case OP.Info:
        events.push({ type: "info", text: first ?? json[value++], level: LEVELS[flags]! });
        break;
      case OP.TurnEnd: {
        const status = first ?? json[value++];
        const resultText = flags & 2 ? json[value++] : null;
        const [errorText, inputTokens, cacheReadTokens, outputTokens, costUsd] = json.slice(value, value + 5);
        value += 5;
        const usage = { inputTokens, cacheReadTokens, outputTokens, costUsd };
        const failed = (flags & 1) !== 0;
        events.push({ type: "turn-end", status, failed, resultText, errorText, usage });
        break;
      }
      case OP.PromptSuggestion:
        events.push({ type: "prompt-suggestion", suggestion: first ?? json[value++] });
        break;
      default:
        faults.push({ isError: (flags & 1) !== 0, excerpt: json[value++], place: events.length });
    }
  }
  return events;
}
