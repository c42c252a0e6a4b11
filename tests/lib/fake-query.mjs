// A `query()` under the test's control: what it was given, what it is asked, and what it gives when.

/** Messages of the SDK's shapes. */
export const delta = (text) => ({
  type: "stream_event",
  parent_tool_use_id: null,
  event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
});
export const tool = (id, name = "Bash") => ({
  type: "assistant",
  parent_tool_use_id: null,
  message: { id: `m-${id}`, content: [{ type: "tool_use", id, name, input: {} }] },
});
export const result = (more = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: "done",
  modelUsage: {},
  total_cost_usd: 0,
  ...more,
});
export const turnEnd = (more = {}) => ({
  type: "turn-end",
  status: "success",
  failed: false,
  resultText: "done",
  errorText: "",
  usage: { inputTokens: 0, cacheReadTokens: 0, outputTokens: 0, costUsd: 0 },
  ...more,
});

/** A query whose messages are given by `give`, `end` and `fail`; it counts what is pulled and asked. */
export function fakeQuery(methods = {}) {
  const held = [];
  const waiting = [];
  const log = { pulled: 0, returned: 0, closed: 0, interrupted: 0, given: undefined };
  const settle = () => {
    while (waiting.length > 0 && held.length > 0) {
      const { resolve, reject } = waiting.shift();
      const item = held[0];
      if (item.message !== undefined) {
        held.shift();
        resolve({ done: false, value: item.message });
      } else if ("error" in item) {
        held.shift();
        held.push({ end: true });
        reject(item.error);
      } else resolve({ done: true, value: undefined });
    }
  };
  const put = (...items) => {
    held.push(...items);
    settle();
  };
  const made = {
    next() {
      log.pulled++;
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        settle();
      });
    },
    async return() {
      log.returned++;
      put({ end: true });
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => made,
    interrupt: async () => {
      log.interrupted++;
      return { still_queued: [] };
    },
    close: () => {
      log.closed++;
    },
    supportedCommands: async () => [{ name: "compact", description: "Compacts", argumentHint: "" }],
    getContextUsage: async () => ({ percentage: 12, totalTokens: 120, maxTokens: 1000, categories: [] }),
    ...methods,
  };
  for (const [name, method] of Object.entries(made)) if (method === undefined) delete made[name];
  return {
    log,
    query: (given) => {
      log.given = given;
      return made;
    },
    give: (...messages) => put(...messages.map((message) => ({ message }))),
    end: () => put({ end: true }),
    fail: (error) => put({ error }),
  };
}
