// What is left of a run after a place in it, and whether a stream that goes on from there gave exactly that.

import assert from "node:assert/strict";

/** The text of a delta that is nothing else, and which text it belongs to. */
function textOf(item) {
  if (item.type === "interaction_update") {
    const { type, text, ...others } = item.data;
    return typeof text === "string" && Object.keys(others).length === 0 ? [type, text] : undefined;
  }
  const [block, another] = item.message?.content ?? [item.data ?? item];
  if (!["assistant", "thinking"].includes(item.type) || another || "thinking_duration_ms" in block)
    return undefined;
  return typeof block.text === "string" ? [item.type, block.text] : undefined;
}
/** Frames that belong to a connection, not to the run. */
const ofConnection = (item) => "data" in item && ["heartbeat", "error", "done"].includes(item.type);
const statusOf = (item) => item.data?.status ?? item.status;

/** Text of each channel, everything else in order, and the statuses, of messages or of frames. */
export function contentOf(items) {
  const content = { texts: {}, others: [], statuses: [] };
  for (const item of items) {
    const text = textOf(item);
    if (item.type === "status") content.statuses.push(statusOf(item));
    else if (text) content.texts[text[0]] = (content.texts[text[0]] ?? "") + text[1];
    else if (!ofConnection(item)) content.others.push(item);
  }
  return content;
}

/** `given` is what `left` is, but for how its text is divided and for statuses that are told already. */
export function assertIsRest(given, left, where) {
  const [is, should] = [contentOf(given), contentOf(left)];
  assert.deepEqual(is.texts, should.texts, where);
  assert.deepEqual(is.others, should.others, where);
  let at = 0;
  for (const status of is.statuses) {
    at = should.statuses.indexOf(status, at) + 1;
    assert.ok(at > 0, `${where}: statuses ${is.statuses} of ${should.statuses}`);
  }
  assert.equal(is.statuses.at(-1), should.statuses.at(-1), where);
}

/** Every message of a stream, and the resume tokens before and after each. */
export async function withTokens(stream) {
  const [items, tokens] = [[], [stream.resumeToken]];
  for await (const item of stream) {
    items.push(item);
    tokens.push(stream.resumeToken);
  }
  return { items, tokens };
}

/** Every message of a stream. */
export async function all(stream) {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}
