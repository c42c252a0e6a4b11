// The recorded cases of sessions, through the built package: as objects, as an event stream and as lines.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { normalizeMessages, runQuery } from "runwire/kit";
import { root } from "../../scripts/lib/paths.mjs";

const cases = JSON.parse(readFileSync(join(root, "tests/cases/session-events.json"), "utf8"));

async function all(events) {
  const list = [];
  for await (const event of events) list.push(event);
  return list;
}

async function* given(messages) {
  yield* messages;
}

function response(chunks, type) {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}

const forms = {
  "text/event-stream; charset=utf-8": (messages) =>
    messages
      .map((message, at) => `id: ${at}\nevent: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`)
      .join(": ping\n\n"),
  "application/x-ndjson": (messages) =>
    messages.map((message) => `${JSON.stringify(message)}\r\n\n`).join(""),
  "application/jsonl": (messages) => messages.map((message) => JSON.stringify(message)).join("\n"),
};

test("there are 38 cases", () => assert.equal(cases.length, 38));

for (const { name, raw, expect } of cases) {
  test(`${name}: of query(), of an iterable and of a stream of objects`, async () => {
    const query = () => given(raw);
    assert.deepEqual(await all(runQuery("x", { query }).events), expect);
    assert.deepEqual(await all(normalizeMessages(given(raw))), expect);
    assert.deepEqual(await all(normalizeMessages(ReadableStream.from(raw))), expect);
    assert.deepEqual(structuredClone(expect), expect);
  });

  test(`${name}: of bytes in chunks of any size`, async () => {
    for (const [type, write] of Object.entries(forms)) {
      const bytes = new TextEncoder().encode(write(raw));
      for (const size of [1, 2, 3, 7, 64, 1000, bytes.length]) {
        const chunks = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
        assert.deepEqual(await all(normalizeMessages(response(chunks, type))), expect, `${type} by ${size}`);
      }
    }
  });
}

test("of bytes at every two-way cut of three cases", async () => {
  for (const { name, raw, expect } of cases.filter((_, at) => at % 13 === 0)) {
    for (const [type, write] of Object.entries(forms)) {
      const bytes = new TextEncoder().encode(write(raw));
      for (let at = 0; at <= bytes.length; at++) {
        const events = await all(normalizeMessages(response([bytes.slice(0, at), bytes.slice(at)], type)));
        assert.deepEqual(events, expect, `${name}, ${type} at ${at}`);
      }
    }
  }
});
