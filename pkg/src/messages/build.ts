// The engine's flat list → message objects. The codes are those of `Op` in src/cloud/message.rs.

import type { RunWarning, SDKMessage, SDKToolCallMessage, TokenUsage } from "./types.js";

/** What the values that follow a code are; see `Op` in src/cloud/message.rs. */
export const OP = {
  Assistant: 0,
  AssistantBlocks: 1,
  Thinking: 2,
  ThinkingDuration: 3,
  ToolCall: 4,
  ToolCallArgs: 5,
  ToolCallMore: 6,
  Status: 7,
  StatusMessage: 8,
  Usage: 9,
  UsageReasoning: 10,
  Typed: 11,
  Unknown: 12,
  Warning: 13,
} as const;

// biome-ignore lint/suspicious/noExplicitAny: the engine has checked what stands where
type Values = any[];

/**
 * Makes the messages. Object literals with fixed members, because engines make those fastest, and
 * fresh strings, so that a message kept does not keep its chunk.
 */
export function buildMessages(
  values: Values,
  agent_id: string,
  run_id: string,
  warn: (warning: RunWarning) => void,
): SDKMessage[] {
  const messages: SDKMessage[] = [];
  const end = values.length;
  let at = 0;
  while (at < end) {
    switch (values[at++]) {
      case OP.Assistant:
        messages.push({
          type: "assistant",
          agent_id,
          run_id,
          message: { role: "assistant", content: [{ type: "text", text: values[at++] }] },
        });
        break;
      case OP.AssistantBlocks:
        messages.push({
          type: "assistant",
          agent_id,
          run_id,
          message: { role: "assistant", content: values[at++] },
        });
        break;
      case OP.Thinking:
        messages.push({ type: "thinking", agent_id, run_id, text: values[at++] });
        break;
      case OP.ThinkingDuration:
        messages.push({
          type: "thinking",
          agent_id,
          run_id,
          text: values[at++],
          thinking_duration_ms: values[at++],
        });
        break;
      case OP.ToolCall:
        messages.push({
          type: "tool_call",
          agent_id,
          run_id,
          call_id: values[at++],
          name: values[at++],
          status: values[at++],
        });
        break;
      case OP.ToolCallArgs:
        messages.push({
          type: "tool_call",
          agent_id,
          run_id,
          call_id: values[at++],
          name: values[at++],
          status: values[at++],
          args: values[at++],
        });
        break;
      case OP.ToolCallMore: {
        const message: SDKToolCallMessage = {
          type: "tool_call",
          agent_id,
          run_id,
          call_id: values[at++],
          name: values[at++],
          status: values[at++],
        };
        const flags = values[at++];
        if (flags & 1) message.args = values[at++];
        if (flags & 2) message.result = values[at++];
        if (flags & 4) message.truncated = values[at++];
        messages.push(message);
        break;
      }
      case OP.Status:
        messages.push({ type: "status", agent_id, run_id, status: values[at++] });
        break;
      case OP.StatusMessage:
        messages.push({ type: "status", agent_id, run_id, status: values[at++], message: values[at++] });
        break;
      case OP.Usage:
        messages.push({ type: "usage", agent_id, run_id, usage: usage(values, at) });
        at += 4;
        break;
      case OP.UsageReasoning:
        messages.push({
          type: "usage",
          agent_id,
          run_id,
          usage: { ...usage(values, at), reasoningTokens: values[at + 4] },
        });
        at += 5;
        break;
      case OP.Typed: {
        const type = values[at++];
        // The frame's own members come first: they must not replace what the handle says.
        messages.push({ ...values[at++], type, agent_id, run_id });
        break;
      }
      case OP.Unknown:
        messages.push({ type: "unknown", agent_id, run_id, event: values[at++], data: values[at++] });
        break;
      case OP.Warning: {
        const [code, event, id, member, excerpt] = values.slice(at, at + 5);
        at += 5;
        warn(warning(code, event, id, member, excerpt));
        break;
      }
      default:
        throw new Error("The engine and this package are of different versions");
    }
  }
  return messages;
}

function usage(values: Values, at: number): TokenUsage {
  const [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens] = values.slice(at, at + 4);
  const totalTokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, totalTokens };
}

function warning(
  code: RunWarning["code"],
  event: string,
  id: string,
  member: string,
  excerpt: string,
): RunWarning {
  switch (code) {
    case "events_lost":
      return {
        code,
        message: "The service no longer has all messages: some are missing here",
        lastEventId: id,
      };
    case "replay_mismatch":
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
