// The engine's batches → message objects. What a batch is made of: src/json/batch.rs and src/cloud/message.rs.

import { type EngineMemory, SHORTS, TEXT, TEXT_ASCII, TEXT_LENGTH, WORDS } from "../engine/memory.js";
import { shortString } from "../engine/short.js";
import { readText } from "../engine/text.js";
import type {
  FrameWarning,
  ResumeWarning,
  RunState,
  RunWarning,
  SDKMessage,
  SDKStatusMessage,
  SDKThinkingMessage,
  SDKToolCallMessage,
  TokenUsage,
} from "./types.js";

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

const TOOL_STATUS = ["running", "completed", "error"] as const;

/** The values of a batch, kind by kind in order. */
export class Values {
  readonly #units: Uint16Array;
  // biome-ignore lint/suspicious/noExplicitAny: the engine has checked what stands where
  readonly #json: any[];
  #unit: number;
  #next = 0;

  constructor({ bytes, units, words }: EngineMemory, head: number) {
    this.#units = units;
    this.#unit = words[head + SHORTS]! >> 1;
    const length = words[head + TEXT_LENGTH]!;
    const address = words[head + TEXT]!;
    const text = bytes.subarray(address, address + length);
    this.#json = length === 0 ? [] : JSON.parse(readText(text, words[head + TEXT_ASCII] !== 0));
  }

  /** A string, by its length in the word: plus one, or 0 where it is among the other values. */
  string(length: number): string {
    if (length === 0) return this.#json[this.#next++];
    const at = this.#unit;
    this.#unit = at + length - 1;
    return shortString(this.#units, at, length - 1);
  }

  /** A value of any other kind. */
  // biome-ignore lint/suspicious/noExplicitAny: the same
  next(): any {
    return this.#json[this.#next++];
  }
}

/**
 * Makes the messages of a batch. Object literals with fixed members, because engines make those
 * fastest, and fresh strings, so that a message kept does not keep its chunk. Warnings are told
 * when nothing of the batch is needed any more, for who hears them may call the engine.
 */
export function buildMessages(
  memory: EngineMemory,
  head: number,
  count: number,
  agent_id: string,
  run_id: string,
  warn: (warning: RunWarning) => void,
): SDKMessage[] {
  const messages: SDKMessage[] = [];
  if (count === 0) return messages;
  const { words } = memory.current();
  const values = new Values(memory, head);
  let warnings: RunWarning[] | undefined;
  const start = words[head + WORDS]! >> 2;
  for (let at = start; at < start + count; at++) {
    const word = words[at]!;
    const first = (word >> 8) & 63;
    const flags = word >> 20;
    switch (word & 255) {
      case OP.Assistant: {
        const text = values.string(first);
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
          message: { role: "assistant", content: values.next() },
        });
        break;
      case OP.Thinking: {
        const message: SDKThinkingMessage = {
          type: "thinking",
          agent_id,
          run_id,
          text: values.string(first),
        };
        if (flags & 1) message.thinking_duration_ms = values.next();
        messages.push(message);
        break;
      }
      case OP.ToolCall: {
        const message: SDKToolCallMessage = {
          type: "tool_call",
          agent_id,
          run_id,
          call_id: values.string(first),
          name: values.string((word >> 14) & 63),
          status: TOOL_STATUS[flags & 3]!,
        };
        if (flags & 4) message.args = values.next();
        if (flags & 8) message.result = values.next();
        if (flags & 16) message.truncated = values.next();
        messages.push(message);
        break;
      }
      case OP.Status: {
        const status = values.string(first) as RunState;
        const message: SDKStatusMessage = { type: "status", agent_id, run_id, status };
        if (flags & 1) message.message = values.string((word >> 14) & 63);
        messages.push(message);
        break;
      }
      case OP.Usage: {
        const usage = usageOf(values);
        if (flags & 1) usage.reasoningTokens = values.next();
        messages.push({ type: "usage", agent_id, run_id, usage });
        break;
      }
      case OP.Typed: {
        const type = values.string(first);
        // The frame's own members come first: they must not replace what the handle says.
        messages.push({ ...values.next(), type, agent_id, run_id });
        break;
      }
      case OP.Unknown:
        messages.push({
          type: "unknown",
          agent_id,
          run_id,
          event: values.string(first),
          data: values.next(),
        });
        break;
      case OP.Warning:
        warnings ??= [];
        warnings.push(warningOf(values));
        break;
      default:
        throw new Error("The engine and this package are of different versions");
    }
  }
  if (warnings) for (const warning of warnings) warn(warning);
  return messages;
}

function usageOf(values: Values): TokenUsage {
  const inputTokens = values.next();
  const outputTokens = values.next();
  const cacheReadTokens = values.next();
  const cacheWriteTokens = values.next();
  const totalTokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, totalTokens };
}

export function warningOf(values: Values): RunWarning {
  const code: (FrameWarning | ResumeWarning)["code"] = values.next();
  const event = values.next();
  const id = values.next();
  const member = values.next();
  const excerpt = values.next();
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
