// MessageDecoder against a plain reference that parses each frame: random frames, texts and chunkings.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageDecoder } from "runwire";
import { referenceOf } from "../lib/message-reference.mjs";
import { pick, randomChunks, randomOf } from "../lib/random.mjs";

const ids = { agent_id: "bc-1", run_id: "run-1" };
const names =
  "status assistant thinking tool_call interaction_update heartbeat result error done user system task request usage mystery";
const events = [...names.split(" "), "", "assistant", "assistant", "tool_call"];
const members = [
  "text message content thinking_duration_ms thinkingDurationMs callId name status args result truncated type usage",
  "inputTokens outputTokens cacheReadTokens cacheWriteTokens reasoningTokens request_id agent_id __proto__ other",
]
  .join(" ")
  .split(" ");
/** From no character beyond ASCII to nothing but those: the engine writes them in different ways. */
const alphabets = [
  ["a", "b ", '\\"', "\\\\", "\\n", "long plain text of some length, as answers have it "],
  ["a", "b ", "cdefghijklmnopqrstuvwxyz ".repeat(3), "é"],
  ["é", "日", "😀", "\u2028", "\ufeff", "a", "\\u00e9", "\\ud83d\\ude00", "\\ud800"],
  ["日本語の文章は長く続きます。", "😀😀😀", "é\\n"],
];
/** A stream's, mostly: real ones are in one language. */
let usual = alphabets[0];

function text(random) {
  const alphabet = random(4) ? usual : pick(random, alphabets);
  return `"${Array.from({ length: random(12) }, () => pick(random, alphabet)).join("")}"`;
}

function value(random, depth = 0) {
  const kinds = depth < 3 ? 9 : 6;
  switch (random(kinds)) {
    case 0:
      return pick(random, ["null", "true", "false"]);
    case 1:
      return pick(random, ["0", "-1.5", "1e3", "12345678901234567890", "1E400", "-0"]);
    case 2:
      return pick(random, ['"completed"', '"error"', '"turn-ended"', '"RUNNING"']);
    case 6:
      return `[${Array.from({ length: random(4) }, () => value(random, depth + 1)).join(",")}]`;
    case 7:
    case 8:
      return object(random, depth + 1);
    default:
      return text(random);
  }
}

function object(random, depth = 0) {
  const list = Array.from({ length: random(7) }, () => {
    const name = pick(random, members);
    const key = random(8) ? name : `\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}`;
    return `${pick(random, ["", "", " "])}"${key}"${pick(random, ["", " "])}:${value(random, depth)}`;
  });
  return `{${list.join(",")}}`;
}

/** The data that a frame of this name would have, mostly. */
function data(random, event) {
  const shape = {
    assistant: () => `{"text":${text(random)}}`,
    thinking: () => `{"text":${text(random)},"thinkingDurationMs":${value(random)}}`,
    tool_call: () =>
      `{"callId":${text(random)},"name":"n","status":"completed","args":${value(random)},"result":${value(random)}}`,
    interaction_update: () =>
      `{"type":"turn-ended","usage":{"inputTokens":1,"outputTokens":${random(99)},"cacheReadTokens":0,"cacheWriteTokens":2,"reasoningTokens":${value(random)}}}`,
    user: () => `{"message":${object(random)},${object(random).slice(1).replace(/^}/, '"x":1}')}`,
  }[event];
  const made = shape && random(3) ? shape() : pick(random, [object, value])(random);
  // Torn, doubled, or with something in it that does not belong there.
  const characters = [...made];
  const at = random(characters.length + 1);
  switch (random(12)) {
    case 0:
      return characters.slice(0, at).join("");
    case 1:
      return made + made;
    case 2:
      return characters
        .toSpliced(at, 0, pick(random, ["x", ",", "\\", '"', "\t", "}", "\u00a0", "\u0001"]))
        .join("");
    default:
      return made;
  }
}

function wire({ event, data, id }) {
  const lines = data.split("\n").map((line) => `data: ${line}\n`);
  return `${id && `id: ${id}\n`}${event && `event: ${event}\n`}${lines.join("")}\n`;
}

test("random frames give what a plain JSON.parse of each gives, in any chunking", () => {
  const random = randomOf(42);
  const seen = { messages: 0, warnings: 0, dense: 0, sparse: 0, ascii: 0 };
  for (let round = 0; round < 3000; round++) {
    usual = pick(random, alphabets);
    const frames = Array.from({ length: 1 + random(8) }, (_, at) => {
      const event = pick(random, events);
      return { event, data: data(random, event), id: random(2) ? `${round}-${at}` : "" };
    });
    const expected = frames.map((frame) => ({ frame, ...referenceOf(frame, ids) }));
    const warnings = [];
    const decoder = new MessageDecoder({
      agentId: ids.agent_id,
      runId: ids.run_id,
      onWarning: ({ code, event, id }) => warnings.push({ code, event, id }),
    });
    const stream = frames.map(wire).join("");
    const bytes = new TextEncoder().encode(stream);
    const messages = randomChunks(random, bytes, pick(random, [3, 60, 100_000])).flatMap((chunk) =>
      decoder.push(chunk),
    );
    assert.deepEqual(
      messages,
      expected.flatMap(({ message }) => message ?? []),
      stream,
    );
    const expectedWarnings = expected.flatMap(({ frame, warning }) =>
      warning ? { code: warning, event: frame.event || "message", id: frame.id } : [],
    );
    assert.deepEqual(warnings, expectedWarnings, stream);
    seen.messages += messages.length;
    seen.warnings += warnings.length;
    const foreign = bytes.filter((byte) => byte >= 0x80).length;
    seen[foreign === 0 ? "ascii" : foreign < bytes.length / 8 ? "sparse" : "dense"]++;
  }
  // All of it has been there, often.
  for (const [what, least] of Object.entries({
    messages: 5000,
    warnings: 1000,
    dense: 300,
    sparse: 300,
    ascii: 100,
  })) {
    assert.ok(seen[what] > least, `${what}: ${seen[what]}`);
  }
});

test("texts that are not UTF-8 become what TextDecoder makes of them", () => {
  const random = randomOf(11);
  let replaced = 0;
  for (let round = 0; round < 2000; round++) {
    const filler = "x".repeat(random(3) * 100);
    const torn = Uint8Array.from({ length: 1 + random(6) }, () => 0x80 + random(128));
    const source = Buffer.concat([Buffer.from(`{"text":"${filler}`), torn, Buffer.from(`${filler}é"}`)]);
    const { text } = JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(source));
    replaced += text.includes("\ufffd");
    const decoder = new MessageDecoder({ agentId: "a", runId: "r" });
    const stream = Buffer.concat([Buffer.from("event: thinking\ndata: "), source, Buffer.from("\n\n")]);
    const messages = randomChunks(random, stream, 40).flatMap((chunk) => decoder.push(chunk));
    assert.deepEqual(
      messages,
      [{ type: "thinking", agent_id: "a", run_id: "r", text }],
      source.toString("hex"),
    );
  }
  assert.ok(replaced > 1500, `${replaced}`);
});
