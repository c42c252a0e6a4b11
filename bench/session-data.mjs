// The bench's other input: a seeded session of an agent SDK's messages, as an event stream.

import { between, delta, pick, random, SEED, sentence, TOOLS, toolArgs, WORDS } from "./data.mjs";

/** What every message carries. */
function ids(next) {
  const hex = () =>
    Math.floor(next() * 0x100000000)
      .toString(16)
      .padStart(8, "0");
  return {
    uuid: `${hex()}-${hex().slice(4)}-4000-8000-${hex()}0000`,
    session_id: "0d9c4c6e-1f6b-4c62-9d55-2f0b4a1f7c11",
  };
}

/**
 * The messages of a session with partial messages on: `count` of them or a few more, about two thirds of them deltas of
 * text, and each block again as a whole, as the SDK sends it.
 */
export function* messages(count, seed = SEED) {
  const next = random(seed);
  let made = 0;
  const message = (value) => {
    made++;
    return { ...value, ...ids(next) };
  };
  const update = (event) => message({ type: "stream_event", event, parent_tool_use_id: null });
  const whole = (id, block) =>
    message({
      type: "assistant",
      message: {
        id,
        type: "message",
        role: "assistant",
        model: "claude-x",
        content: [block],
        stop_reason: null,
      },
      parent_tool_use_id: null,
    });
  for (let turn = 0, tool = 0; made < count; turn++) {
    yield message({
      type: "system",
      subtype: "init",
      cwd: "/w",
      tools: TOOLS,
      mcp_servers: [],
      model: "claude-x",
    });
    for (let answers = between(next, 1, 5); answers > 0; answers--) {
      const id = `msg_${turn}_${answers}`;
      yield update({
        type: "message_start",
        message: { id, type: "message", role: "assistant", content: [] },
      });
      let index = 0;
      for (let blocks = between(next, 1, 3); blocks > 0; blocks--, index++) {
        yield update({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
        let text = "";
        for (let deltas = between(next, 5, 40); deltas > 0; deltas--) {
          const part = delta(next);
          text += part;
          yield update({ type: "content_block_delta", index, delta: { type: "text_delta", text: part } });
        }
        yield whole(id, { type: "text", text });
        yield update({ type: "content_block_stop", index });
      }
      const name = pick(next, TOOLS);
      const toolId = `toolu_${++tool}`;
      const input = toolArgs(next, name);
      yield update({
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: toolId, name, input: {} },
      });
      for (const piece of JSON.stringify(input).match(/.{1,24}/gs)) {
        yield update({
          type: "content_block_delta",
          index,
          delta: { type: "input_json_delta", partial_json: piece },
        });
      }
      yield whole(id, { type: "tool_use", id: toolId, name, input });
      yield update({ type: "message_stop" });
      const lines = Array.from({ length: between(next, 2, 8) }, () => sentence(next, between(next, 3, 8)));
      const content = [{ type: "text", text: lines.join("\n") }];
      yield message({
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: toolId, content }] },
        parent_tool_use_id: null,
      });
    }
    const counts = {
      inputTokens: 10 * made,
      outputTokens: made,
      cacheReadInputTokens: made,
      cacheCreationInputTokens: 7,
    };
    yield message({
      type: "result",
      subtype: "success",
      is_error: false,
      result: `Done: ${pick(next, WORDS)}.`,
      total_cost_usd: made / 1000,
      modelUsage: { "claude-x": counts },
    });
  }
}

/** The bytes of a whole session. */
export function sessionBytes(count, seed = SEED) {
  const frames = [...messages(count, seed)].map(
    (message, at) => `id: ${at + 1}\ndata: ${JSON.stringify(message)}\n\n`,
  );
  return new TextEncoder().encode(frames.join(""));
}
