// What the frames of a run's stream stand for, written down plainly: `JSON.parse` a frame, and nothing shared with
// the package. What a decoder gives is compared with it.

const string = (value) => typeof value === "string";
const object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const has = (data, name) => Object.hasOwn(data, name);

class Wrong extends Error {}

/** A string member that may be missing or null. */
function text(data, name, fallback) {
  if (!has(data, name) || data[name] === null) return fallback;
  if (!string(data[name])) throw new Wrong(name);
  return data[name];
}

const makers = {
  assistant(data) {
    if (!has(data, "text") && (has(data, "message") || has(data, "content"))) {
      const content = has(data, "message") ? data.message?.content : data.content;
      if (!Array.isArray(content) || Array.isArray(data.message)) throw new Wrong("content");
      return { type: "assistant", message: { role: "assistant", content } };
    }
    const content = [{ type: "text", text: text(data, "text", "") }];
    return { type: "assistant", message: { role: "assistant", content } };
  },
  thinking(data) {
    const durations = [data.thinking_duration_ms, data.thinkingDurationMs];
    const duration = durations.find((value) => typeof value === "number");
    const message = { type: "thinking", text: text(data, "text", "") };
    return duration === undefined ? message : { ...message, thinking_duration_ms: duration };
  },
  tool_call(data) {
    if (text(data, "callId") === undefined && text(data, "name") === undefined) throw new Wrong("callId");
    const message = {
      type: "tool_call",
      call_id: text(data, "callId", ""),
      name: text(data, "name", "unknown"),
      status: ["completed", "error"].includes(data.status) ? data.status : "running",
    };
    if (has(data, "args")) message.args = data.args;
    if (has(data, "result")) message.result = data.result;
    const { truncated } = data;
    const isFlag = (name) => !has(truncated, name) || typeof truncated[name] === "boolean";
    if (object(truncated) && ["args", "result"].every(isFlag)) message.truncated = truncated;
    return message;
  },
  status(data) {
    if (!string(data.status) && typeof data.status !== "number") throw new Wrong("status");
    const message = { type: "status", status: data.status };
    return string(data.message) ? { ...message, message: data.message } : message;
  },
  result: () => undefined,
  interaction_update(data) {
    if (data.type !== "turn-ended" || !object(data.usage)) return undefined;
    const names = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
    const number = (name) => typeof data.usage[name] === "number";
    if (!names.every(number)) return undefined;
    const usage = Object.fromEntries(names.map((name) => [name, data.usage[name]]));
    usage.totalTokens = names.reduce((sum, name) => sum + usage[name], 0);
    if (number("reasoningTokens")) usage.reasoningTokens = data.usage.reasoningTokens;
    return { type: "usage", usage };
  },
};

/** Frames whose members are the message's, and the member each must have. */
const typed = {
  user: ["message", object],
  system: undefined,
  task: undefined,
  request: ["request_id", string],
  usage: ["usage", object],
};
const silent = ["heartbeat", "error", "done"];

/**
 * What one frame stands for.
 * @param {{ event: string, data: string }} frame
 * @returns {{ message?: object, warning?: "invalid_json" | "invalid_shape" }}
 */
export function referenceOf({ event, data: source }, ids) {
  if (silent.includes(event)) return {};
  let data;
  let isJson = true;
  try {
    data = JSON.parse(source);
  } catch {
    isJson = false;
  }
  if (!Object.hasOwn(makers, event) && !Object.hasOwn(typed, event)) {
    return { message: { type: "unknown", ...ids, event: event || "message", data: isJson ? data : source } };
  }
  if (!isJson) return { warning: "invalid_json" };
  try {
    return withIds(Object.hasOwn(makers, event) ? made(event, data) : taken(event, data), ids);
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return { warning: "invalid_shape" };
  }
}

function made(event, data) {
  if (data !== null && !object(data)) throw new Wrong("data");
  return makers[event](data ?? {});
}

function taken(event, data) {
  if (!object(data)) throw new Wrong("data");
  const [name, check] = typed[event] ?? [];
  if (name && !(has(data, name) && check(data[name]))) throw new Wrong(name);
  return { ...data, type: event };
}

const withIds = (message, ids) => (message ? { message: { ...message, ...ids } } : {});
