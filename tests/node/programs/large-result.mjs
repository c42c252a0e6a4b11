// Follows a run with one large tool result among small frames, and prints the longest that it kept the thread and what
// parsing the result alone takes: run by field-reports-content.test.mjs.

import { openRunStream, init } from "runwire";
import { agentId, runId } from "../../lib/run-ids.mjs";

const SIZE = 12_000_000;
const CHUNK = 65_536;
const encoder = new TextEncoder();

const frame = (event, id, data) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const small = (from, to) =>
  Array.from({ length: to - from }, (_, n) => frame("assistant", `${from + n}-0`, { text: `${from + n};` }));
// As tools' results are: many short members, not one string.
const rows = [];
for (let n = 0, length = 0; length < SIZE; n++) {
  const row = { line: n, path: `src/file-${n % 97}.ts`, text: `const x${n} = "é${n}";`, ok: n % 2 === 0 };
  length += JSON.stringify(row).length + 1;
  rows.push(row);
}
const large = { callId: "c", name: "grep", status: "completed", result: rows };
const bytes = encoder.encode(
  `${small(1, 200).join("")}${frame("tool_call", "200-0", large)}${small(201, 400).join("")}` +
    frame("result", "400-0", { status: "FINISHED" }),
);
const json = encoder.encode(JSON.stringify(large));
const task = () => new Promise((resolve) => setImmediate(resolve));

/** The longest time, in milliseconds, in which no other task could run. */
async function follow() {
  let at = 0;
  let longest = 0;
  let since = 0;
  // What comes from a socket comes in a task of its own.
  const pull = async (controller) => {
    longest = Math.max(longest, performance.now() - since);
    await task();
    since = performance.now();
    if (at >= bytes.length) return controller.close();
    controller.enqueue(bytes.subarray(at, at + CHUNK));
    at += CHUNK;
  };
  const body = new ReadableStream({ pull }, { highWaterMark: 0 });
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  let count = 0;
  let early = 0;
  since = performance.now();
  for await (const { type } of openRunStream(runId, { agentId, apiKey: "key", fetch })) {
    count++;
    if (type === "tool_call") early = count;
  }
  return { longest, count, early, chunks: Math.ceil(bytes.length / CHUNK) };
}

function parse() {
  const start = performance.now();
  const value = JSON.parse(new TextDecoder().decode(json));
  return { time: performance.now() - start, length: value.result.length };
}

await init();
let [longest, own] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
let last;
for (let round = 0; round < 7; round++) {
  own = Math.min(own, parse().time);
  last = await follow();
  longest = Math.min(longest, last.longest);
}
console.log(JSON.stringify({ ...last, longest, own, megabytes: json.length / 1e6 }));
