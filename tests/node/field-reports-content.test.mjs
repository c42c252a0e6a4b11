// What has broken in other clients by what a service sent; row and thread in docs/field-reports.md.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { EventStreamDecoder, init as initDecoder } from "runwire/sse";
import { init, openRunStream } from "runwire";
import { run, runId, turns } from "../lib/run-service.mjs";
import { scriptedRun, text, whole } from "../lib/scripted-run.mjs";

await init();
await initDecoder();

/** The messages and warnings of a run whose one connection brings these texts, each in a chunk of its own. */
async function messagesOf(...chunks) {
  const service = scriptedRun({ stream: (connection) => void connection.send(...chunks, whole) });
  const warnings = [];
  const handle = await service.handle({ onWarning: (warning) => warnings.push(warning) });
  const messages = [];
  for await (const message of handle.stream()) messages.push(message);
  assert.equal(service.count("stream"), 1);
  return { messages, warnings, texts: messages.map(({ message }) => message?.content[0].text) };
}

/** The same, where one frame is bad and the stream goes on. */
async function assertWarned(bad, { event, id, excerpt }) {
  const { texts, warnings } = await messagesOf(text(1), bad, text(2));
  assert.deepEqual(texts, ["1;", "2;"]);
  assert.equal(warnings.length, 1);
  const [warning] = warnings;
  assert.deepEqual([warning.code, warning.event, warning.id], ["invalid_json", event, id]);
  assert.equal(warning.excerpt, excerpt);
}

// 15: rexxars/eventsource-parser #31
test("two objects without a blank line between are a warning with event and id, and the stream goes on", () =>
  assertWarned(`event: tool_call\nid: 7-0\ndata: {"callId":"a"}\ndata: {"callId":"b"}\n\n`, {
    event: "tool_call",
    id: "7-0",
    excerpt: `{"callId":"a"}\n{"callId":"b"}`,
  }));

// 63: anomalyco/opencode #23442
test("two frames glued into one line are a warning with the text, and later events come", () =>
  assertWarned(`event: assistant\nid: 7-0\ndata: {"text":"a"}event: assistantdata: {"text":"b"}\n\n`, {
    event: "assistant",
    id: "7-0",
    excerpt: `{"text":"a"}event: assistantdata: {"text":"b"}`,
  }));

// 79: mnfst/llm-gateway #2053
test("a comment that a gateway turned into data spoils its own event only", () =>
  assertWarned("event: assistant\ndata: : OPENROUTER PROCESSING\n\n", {
    event: "assistant",
    id: "",
    excerpt: ": OPENROUTER PROCESSING",
  }));

// 78: caozhiyuan/copilot-api #88
test("a ping with empty data is no JSON error", async () => {
  const pings = [
    "event: heartbeat\ndata:\n\n",
    "event: heartbeat\n\n",
    "event: ping\ndata:\n\n",
    "event: ping\n\n",
  ];
  const { messages, warnings } = await messagesOf(text(1), ...pings, text(2));
  assert.deepEqual(warnings, []);
  const shown = messages.map(({ type, event, data }) => (type === "unknown" ? [event, data] : type));
  assert.deepEqual(shown, ["assistant", ["ping", ""], "assistant"]);
});

// 92: nginx/nginx #1505
test("500 events in one chunk come in order, and others get their turn between", async () => {
  const numbers = Array.from({ length: 500 }, (_, n) => n);
  const service = scriptedRun({
    stream: (connection) => void connection.send(numbers.map((n) => text(n)).join("") + whole),
  });
  const stream = openRunStream(runId, { agentId: run.agentId, apiKey: run.apiKey, fetch: service.fetch });
  const seen = [];
  let others = 0;
  for await (const { type, data } of stream) {
    if (type !== "assistant") continue;
    seen.push(Number.parseInt(data.text, 10));
    if (seen.length % 100 === 0) {
      setImmediate(() => others++);
      await turns(1);
    }
  }
  assert.deepEqual(seen, numbers);
  assert.equal(others, 5);
});

// 95: assistant-ui/assistant-ui #6954
test("text in place of bytes is refused and says so, and a byte order mark costs nothing", () => {
  const decoder = new EventStreamDecoder();
  assert.throws(() => decoder.push("\u{feff}data: a\n\n"), TypeError);
  const events = decoder.push(new TextEncoder().encode("\u{feff}data: a\n\ndata: b\n\n"));
  assert.deepEqual(
    events.map(({ data }) => data),
    ["a", "b"],
  );
});

// 97: langchain-ai/langgraph #2593
test("separators of Unicode's inside a text are part of it", async () => {
  const words = "a\u{2028}b\u{2029}c\u{85}d";
  const { texts, warnings } = await messagesOf(text(1, words));
  assert.deepEqual(texts, [words]);
  assert.deepEqual(warnings, []);
});

// 77: vercel/ai #13506
test("an error frame is read with code and message", async () => {
  const service = scriptedRun({
    stream: (connection, n) => {
      if (n === 1) connection.send(`event: error\ndata: {"code":"overloaded","message":"Later"}\n\n`).end();
      else connection.send(whole);
    },
  });
  const stream = openRunStream(runId, { agentId: run.agentId, apiKey: run.apiKey, fetch: service.fetch });
  const { value } = await stream.next();
  assert.deepEqual([value.type, value.data], ["error", { code: "overloaded", message: "Later" }]);
  await stream.return();
});

test("a tool result of 12 MB among small frames blocks the thread for no longer than its own parse", async () => {
  const program = join(import.meta.dirname, "programs", "large-result.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const { longest, own, count, early, chunks, megabytes } = JSON.parse(stdout);
  assert.ok(megabytes > 12 && chunks > 180, stdout);
  assert.deepEqual([count, early], [400, 200]);
  // Each the least of several tries; parsing twice, or scanning anew with each chunk, is far more.
  assert.ok(longest <= 1.6 * own, `${longest.toFixed(0)} ms for a parse of ${own.toFixed(0)} ms`);
});
