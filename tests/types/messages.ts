// The messages of a run to TypeScript: a union that `type` tells apart. Compiled, never run.

import {
  type Agent,
  MessageDecoder,
  type RunState,
  type RunWarning,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKToolCallMessage,
  type TextBlock,
  type TokenUsage,
  type ToolUseBlock,
} from "runwire";

/** Fails to compile unless the two are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
const same = <A, B>(_: Same<A, B>): void => {};

type Types = SDKMessage["type"];
same<
  Types,
  | "system"
  | "user"
  | "assistant"
  | "thinking"
  | "tool_call"
  | "status"
  | "request"
  | "task"
  | "usage"
  | "unknown"
>(true);
// @ts-expect-error the comparison sees a difference
same<Types, "system">(true);

/** Every type narrows to its own members; nothing is left over. */
export function eachType(message: SDKMessage): unknown {
  same<typeof message.agent_id, string>(true);
  same<typeof message.run_id, string>(true);
  switch (message.type) {
    case "system":
      same<typeof message.tools, string[] | undefined>(true);
      return message.model?.id;
    case "user":
      same<typeof message.message.content, TextBlock[]>(true);
      return message.message.role satisfies "user";
    case "assistant":
      same<typeof message, SDKAssistantMessage>(true);
      return message.message.content.map(blockText);
    case "thinking":
      same<typeof message.thinking_duration_ms, number | undefined>(true);
      return message.text satisfies string;
    case "tool_call":
      same<typeof message, SDKToolCallMessage>(true);
      same<typeof message.args, unknown>(true);
      same<typeof message.result, unknown>(true);
      same<typeof message.status, "running" | "completed" | "error">(true);
      same<typeof message.truncated, { args?: boolean; result?: boolean } | undefined>(true);
      return `${message.call_id}${message.name}`;
    case "status":
      same<typeof message.status, RunState>(true);
      same<typeof message.message, string | undefined>(true);
      return message.status;
    case "request":
      return message.request_id satisfies string;
    case "task":
      same<typeof message.text, string | undefined>(true);
      return message.status;
    case "usage":
      same<typeof message.usage, TokenUsage>(true);
      same<typeof message.usage.reasoningTokens, number | undefined>(true);
      return message.usage.totalTokens satisfies number;
    case "unknown":
      same<typeof message.data, unknown>(true);
      return message.event satisfies string;
    default:
      return message satisfies never;
  }
}

function blockText(block: TextBlock | ToolUseBlock): string {
  if (block.type === "text") return block.text;
  same<typeof block.input, unknown>(true);
  return block.name;
}

export function notNarrowed(message: SDKMessage): void {
  // @ts-expect-error only some types have it
  message.text;
  // @ts-expect-error there is no such type
  if (message.type === "result") return;
  if (message.type === "tool_call") {
    // @ts-expect-error what a tool was given has to be looked at first
    message.args.path;
    // @ts-expect-error and so has what it gave
    const text: string = message.result;
    text.length;
  }
}

/** What the caller writes down as an absent member is no `undefined` member. */
// @ts-expect-error exactOptionalPropertyTypes: absent is not undefined
export const absent: SDKToolCallMessage["truncated"] = { args: undefined };

export function decode(bytes: Uint8Array): SDKMessage[] {
  const decoder = new MessageDecoder({
    agentId: "a",
    runId: "r",
    maxEventBytes: undefined,
    onWarning: (warning: RunWarning) => {
      same<typeof warning.code extends string ? true : false, true>(true);
      const text: [string, string] = [warning.message, warning.code];
      text.join();
    },
  });
  // @ts-expect-error the ids are needed
  new MessageDecoder({});
  // @ts-expect-error bytes, not text
  decoder.push("data: x\n\n");
  const messages = decoder.push(bytes);
  same<typeof messages, SDKMessage[]>(true);
  return messages;
}

same<Parameters<typeof Agent.getRun>[1]["runtime"], "cloud">(true);
