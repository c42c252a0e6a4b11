// In place of the program that the agent SDK starts: says what it is told, or fails, or waits to be interrupted.

import { createInterface } from "node:readline";

const say = (message) =>
  process.stdout.write(
    `${JSON.stringify({ ...message, uuid: crypto.randomUUID(), session_id: "scripted" })}\n`,
  );

const assistant = (text) =>
  say({
    type: "assistant",
    message: { id: crypto.randomUUID(), role: "assistant", content: [{ type: "text", text }] },
    parent_tool_use_id: null,
  });

const result = (more) =>
  say({
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: 1,
    duration_ms: 1,
    duration_api_ms: 1,
    total_cost_usd: 0.5,
    usage: {},
    modelUsage: {
      scripted: {
        inputTokens: 1,
        cacheReadInputTokens: 2,
        cacheCreationInputTokens: 4,
        outputTokens: 8,
      },
    },
    permission_denials: [],
    ...more,
  });

const failed = (subtype, ...errors) => result({ subtype, is_error: true, errors });

const controls = {
  initialize: () => ({
    commands: [{ name: "help", description: "Helps", argumentHint: "" }],
    models: [],
    agents: [],
    account: {},
    output_style: "default",
    available_output_styles: [],
  }),
  get_context_usage: () => ({
    ...{ percentage: 3, totalTokens: 30, maxTokens: 1000 },
    ...{ rawMaxTokens: 1000, categories: [] },
  }),
  interrupt: () => ({ still_queued: [] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { type, request_id, request, message } = JSON.parse(line);
  if (type === "control_request") {
    const response = controls[request.subtype]?.();
    say({ type: "control_response", response: { subtype: "success", request_id, response } });
    if (request.subtype === "interrupt") {
      failed("error_during_execution", "[ede_diagnostic] result_type=user stop_reason=null");
    }
  }
  if (type !== "user") continue;
  const { content } = message;
  const words = typeof content === "string" ? content : content.map(({ text }) => text).join("");
  say({ type: "system", subtype: "init", tools: [], mcp_servers: [{ name: "db", status: "failed" }] });
  if (words === "fail") {
    failed("error_max_turns", "Too many turns");
    // As the real one does, which has the SDK throw after the result.
    process.exitCode = 1;
  } else if (words === "wait") assistant("Waiting");
  else {
    assistant(`You said: ${words}`);
    result({ result: `You said: ${words}` });
  }
}
