// The peer for sessions: eventsource-parser 4 as its documentation uses it, JSON.parse, and a switch with the same rules.

import { createParser } from "eventsource-parser";

const DIAGNOSTIC = "[ede_diagnostic]";

/** Makes the events of messages and hands each to `take`. Written for speed: one literal a kind. */
function normalizer(take) {
  let id;
  let sent = "";
  const tools = new Map();
  const failedServers = new Set();

  function whole(messageId, text) {
    if (id !== undefined && messageId !== id) return text;
    if (sent.startsWith(text)) {
      sent = sent.slice(text.length);
      return "";
    }
    const rest = text.startsWith(sent) ? text.slice(sent.length) : text;
    sent = "";
    return rest;
  }

  function assistant({ message: { id: messageId, content }, parent_tool_use_id: parent, error }) {
    for (const block of content) {
      if (block.type === "text") {
        const text = parent || error ? "" : whole(messageId, block.text);
        if (text !== "") take({ type: "text", text });
      } else if (block.type === "tool_use") {
        if (tools.has(block.id)) continue;
        tools.set(block.id, block.name);
        const { name: toolName, input, id: toolUseId } = block;
        if (parent) take({ type: "subagent-action", toolName, input, toolUseId, parentToolUseId: parent });
        else take({ type: "action", toolName, input, toolUseId });
      }
    }
  }

  function user({ message: { content } }) {
    if (typeof content === "string") return;
    for (const { type, tool_use_id: toolUseId, is_error, content: parts } of content) {
      const toolName = type === "tool_result" ? tools.get(toolUseId) : undefined;
      if (toolName === undefined) continue;
      tools.set(toolUseId, undefined);
      const text =
        typeof parts === "string"
          ? parts
          : (parts ?? [])
              .filter((part) => part.type === "text")
              .map((part) => part.text)
              .join("\n");
      take({ type: "tool-result", toolUseId, toolName, isError: is_error === true, text });
    }
  }

  function result({ subtype: status, is_error, result: text, errors, modelUsage, total_cost_usd }) {
    const isSuccess = status === "success";
    const failed = is_error === true || (is_error === undefined ? !isSuccess : status.startsWith("error"));
    const usage = { inputTokens: 0, cacheReadTokens: 0, outputTokens: 0, costUsd: total_cost_usd ?? 0 };
    for (const counts of Object.values(modelUsage ?? {})) {
      usage.inputTokens += counts.inputTokens + counts.cacheReadInputTokens + counts.cacheCreationInputTokens;
      usage.cacheReadTokens += counts.cacheReadInputTokens;
      usage.outputTokens += counts.outputTokens;
    }
    const told = isSuccess ? (failed ? [text] : []) : (errors ?? []);
    const errorText = told
      .map((error) =>
        error
          .split("\n")
          .filter((line) => !line.trimStart().startsWith(DIAGNOSTIC))
          .join("\n"),
      )
      .filter((error) => error !== "")
      .join("; ");
    take({ type: "turn-end", status, failed, resultText: isSuccess ? text : null, errorText, usage });
  }

  return (message) => {
    switch (message.type) {
      case "stream_event": {
        if (message.parent_tool_use_id) return;
        const { event } = message;
        if (event.type === "content_block_delta") {
          if (event.delta.type === "text_delta" && event.delta.text !== "") {
            sent += event.delta.text;
            take({ type: "text", text: event.delta.text });
          }
        } else if (event.type === "message_start") {
          id = event.message.id;
          sent = "";
        }
        return;
      }
      case "assistant":
        return assistant(message);
      case "user":
        return message.parent_tool_use_id ? undefined : user(message);
      case "result":
        id = undefined;
        sent = "";
        return result(message);
      case "system":
        if (message.subtype === "init") {
          const names = message.mcp_servers
            .filter(({ status }) => status === "failed")
            .map(({ name }) => name);
          const fresh = names.filter((name) => !failedServers.has(name));
          for (const name of fresh) failedServers.add(name);
          if (fresh.length > 0) take({ type: "mcp-error", failedServers: fresh });
        } else if (message.subtype === "informational") {
          take({ type: "info", text: message.content, level: message.level });
        }
        return;
      case "prompt_suggestion":
        take({ type: "prompt-suggestion", suggestion: message.suggestion });
    }
  };
}

/** Decode chunks and hand every event to `take` as it is made. */
export function decodeSession(chunks, take) {
  const decoder = new TextDecoder();
  const normalize = normalizer(take);
  const parser = createParser({ onEvent: ({ data }) => normalize(JSON.parse(data)) });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  parser.feed(decoder.decode());
}
