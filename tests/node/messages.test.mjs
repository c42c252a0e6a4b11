// MessageDecoder: the recorded runs, and frames that are not as documented.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mock, test } from "node:test";
import { EventTooLargeError, MessageDecoder } from "runwire";
import { randomChunks, randomOf } from "../lib/random.mjs";

const cases = JSON.parse(readFileSync(new URL("../cases/cloud-runs.json", import.meta.url), "utf8"));
const ids = { agentId: "$AGENT_ID", runId: "$RUN_ID" };
const [agent_id, run_id] = Object.values(ids);
const encode = (text) => new TextEncoder().encode(text);

/** What a decoder makes of a stream: its messages and its warnings. */
function decode(chunks, options = {}) {
  const warnings = [];
  const decoder = new MessageDecoder({ ...ids, onWarning: (warning) => warnings.push(warning), ...options });
  const messages = chunks.flatMap((chunk) => decoder.push(chunk));
  decoder.end();
  return { messages, warnings };
}

const frame = (event, data, id = "") => `${id && `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
const one = (event, data) => decode([encode(frame(event, data, "7-1"))]);
const assistant = (text) => ({
  type: "assistant",
  agent_id,
  run_id,
  message: { role: "assistant", content: [{ type: "text", text }] },
});

/** Where ours is ruled to differ from the official client that was recorded. */
const differences = {
  "unknown-and-message": (yielded) => [
    { type: "unknown", agent_id, run_id, event: "message", data: { text: "noevent" } },
    { type: "unknown", agent_id, run_id, event: "mystery", data: { a: 1 } },
    ...yielded,
  ],
  "thinking-duration": ([thinking]) => [{ ...thinking, thinking_duration_ms: 12 }],
};

/** What each connection of a recorded run sent. */
function connectionsOf({ sse, sseByConnection, httpStatus, requests }) {
  if (!sseByConnection) return [sse];
  const opened = requests.filter(({ request }) => request.endsWith("/stream")).length;
  return sseByConnection.slice(0, opened).filter((_, at) => httpStatus?.on !== `connection ${at + 1}`);
}

test("every recorded run gives the recorded messages, whole, byte by byte and in random chunks", () => {
  const random = randomOf(1);
  let decodings = 0;
  for (const { name, yielded, ...recorded } of cases) {
    const expected = differences[name]?.(yielded) ?? yielded;
    const connections = connectionsOf(recorded).map(encode);
    const chunkings = [
      (bytes) => [bytes],
      (bytes) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)),
      ...Array.from({ length: 10 }, () => (bytes) => randomChunks(random, bytes, 50)),
    ];
    for (const chunking of chunkings) {
      const decoded = connections.map((bytes) => decode(chunking(bytes)));
      assert.deepEqual(
        decoded.flatMap(({ messages }) => messages),
        expected,
        name,
      );
      assert.deepEqual(
        decoded.flatMap(({ warnings }) => warnings),
        [],
        name,
      );
      decodings++;
    }
  }
  assert.equal(decodings, 37 * 12);
  for (const name of Object.keys(differences))
    assert.ok(
      cases.some((recorded) => recorded.name === name),
      name,
    );
});

test("messages are plain objects of own data properties that can be cloned", () => {
  const seen = new Set();
  const check = (value) => {
    if (typeof value !== "object" || value === null) return;
    const expected = Array.isArray(value) ? Array.prototype : Object.prototype;
    assert.equal(Object.getPrototypeOf(value), expected);
    assert.deepEqual(Object.getOwnPropertySymbols(value), []);
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
      assert.ok("value" in property, name);
      if (!Array.isArray(value))
        assert.ok(property.enumerable && property.writable && property.configurable, name);
      check(property.value);
    }
  };
  const frames = [
    frame("user", `{"message":{"role":"user","content":[{"type":"text","text":"hi"}]}}`),
    frame("system", `{"subtype":"init","tools":["a"]}`),
    frame("task", `{"status":"s","text":"t"}`),
    frame("request", `{"request_id":"r"}`),
    frame("usage", `{"usage":{"inputTokens":1}}`),
    frame("assistant", `{"message":{"content":[{"type":"tool_use","id":"1","name":"n","input":{"a":[1]}}]}}`),
  ];
  for (const stream of [...cases.map(({ sse }) => sse), ...frames]) {
    for (const message of decode([encode(stream)]).messages) {
      seen.add(message.type);
      check(message);
      assert.deepEqual(structuredClone(message), message);
      assert.equal(message.agent_id, agent_id);
      assert.equal(message.run_id, run_id);
    }
  }
  const types = "assistant request status system task thinking tool_call unknown usage user";
  assert.deepEqual([...seen].sort().join(" "), types);
});

test("what is not JSON becomes a warning that says which frame, and the stream goes on", () => {
  const wrong = [
    `{"text":"a"`,
    `{"text":"a"}{"text":"b"}`,
    `{'text':'a'}`,
    "",
    "undefined",
    `{"text":NaN}`,
    `{"text":"a",}`,
  ];
  for (const event of [
    "assistant",
    "thinking",
    "tool_call",
    "status",
    "interaction_update",
    "user",
    "system",
    "task",
    "request",
    "usage",
    "result",
  ]) {
    for (const data of wrong) {
      const stream =
        frame("assistant", `{"text":"1"}`) + frame(event, data, "7-1") + frame("assistant", `{"text":"2"}`);
      const { messages, warnings } = decode([encode(stream)]);
      assert.deepEqual(messages, [assistant("1"), assistant("2")], `${event}: ${data}`);
      const [{ message, ...warning }, ...more] = warnings;
      assert.deepEqual(more, []);
      assert.deepEqual(warning, { code: "invalid_json", event, id: "7-1", excerpt: data });
      assert.match(message, new RegExp(`${event}.*not JSON`));
    }
  }
});

test("what is JSON of another shape becomes a warning that names the member", () => {
  const wrong = {
    assistant: [
      ...["[]", "1", `"text"`, "true"].map((data) => [data, "data"]),
      ...["1", "true", "[]", "{}"].map((text) => [`{"text":${text}}`, "text"]),
      [`{"message":{}}`, "content"],
      [`{"message":{"content":{}}}`, "content"],
      [`{"message":null}`, "content"],
      [`{"content":"text"}`, "content"],
    ],
    thinking: [
      ["[]", "data"],
      [`{"text":0}`, "text"],
      [`{"text":{"text":"a"}}`, "text"],
    ],
    tool_call: [
      ["[]", "data"],
      ...["{}", "null", `{"callId":null,"name":null,"status":"completed"}`, `{"args":{"a":1}}`].map(
        (data) => [data, "callId"],
      ),
      [`{"callId":1}`, "callId"],
      [`{"callId":"1","name":[]}`, "name"],
    ],
    status: [
      ["[]", "data"],
      [`"RUNNING"`, "data"],
      ...["null", "true", "[]", `{"a":1}`].map((status) => [`{"status":${status}}`, "status"]),
      ["{}", "status"],
      ["null", "status"],
      [`{"message":"why"}`, "status"],
    ],
    result: [
      ["[]", "data"],
      [`"FINISHED"`, "data"],
    ],
    interaction_update: [
      ["[]", "data"],
      [`"turn-ended"`, "data"],
    ],
    user: [
      ["null", "data"],
      ["[]", "data"],
      ["{}", "message"],
      [`{"message":"hi"}`, "message"],
    ],
    system: [
      ["null", "data"],
      ["[]", "data"],
    ],
    task: [
      ["null", "data"],
      [`"text"`, "data"],
    ],
    request: [
      ["{}", "request_id"],
      [`{"request_id":1}`, "request_id"],
    ],
    usage: [
      ["{}", "usage"],
      [`{"usage":[]}`, "usage"],
    ],
  };
  for (const [event, list] of Object.entries(wrong)) {
    for (const [data, member] of list) {
      const { messages, warnings } = one(event, data);
      assert.deepEqual(messages, [], `${event}: ${data}`);
      const [{ message, ...warning }, ...more] = warnings;
      assert.deepEqual(more, []);
      assert.deepEqual(warning, { code: "invalid_shape", event, id: "7-1", excerpt: data });
      assert.match(message, new RegExp(`${event}.*\\b${member}\\b`));
    }
  }
});

test("what may be missing, null or unknown inside a known frame is no reason for a warning", () => {
  const tool = (members) => ({
    type: "tool_call",
    agent_id,
    run_id,
    call_id: "c",
    name: "unknown",
    status: "running",
    ...members,
  });
  const call = (members) => ["tool_call", `{"callId":"c"${members && `,${members}`}}`];
  const passes = [
    ["assistant", "null", assistant("")],
    ["assistant", "{}", assistant("")],
    ["assistant", `{"text":null,"more":1}`, assistant("")],
    ["thinking", "{}", { type: "thinking", agent_id, run_id, text: "" }],
    [
      "thinking",
      `{"text":"t","thinking_duration_ms":"12"}`,
      { type: "thinking", agent_id, run_id, text: "t" },
    ],
    [...call(""), tool()],
    ["tool_call", `{"name":"n"}`, tool({ call_id: "", name: "n" })],
    [...call(`"name":null,"status":"paused","more":1`), tool()],
    [...call(`"status":7,"args":null,"result":null`), tool({ args: null, result: null })],
    [...call(`"status":"error","result":{"a":1}`), tool({ status: "error", result: { a: 1 } })],
    [...call(`"status":"completed","truncated":{"args":1}`), tool({ status: "completed" })],
    [...call(`"truncated":true`), tool()],
    [...call(`"truncated":{"args":true,"why":"long"}`), tool({ truncated: { args: true, why: "long" } })],
    ["status", `{"status":"PAUSED"}`, { type: "status", agent_id, run_id, status: "PAUSED" }],
    ["status", `{"status":7}`, { type: "status", agent_id, run_id, status: 7 }],
    [
      "status",
      `{"status":"ERROR","message":"why"}`,
      { type: "status", agent_id, run_id, status: "ERROR", message: "why" },
    ],
    ["status", `{"status":"ERROR","message":{}}`, { type: "status", agent_id, run_id, status: "ERROR" }],
    ["interaction_update", `{"type":"turn-ended"}`, undefined],
    ["interaction_update", `{"type":"turn-ended","usage":{"inputTokens":1}}`, undefined],
    ["interaction_update", `{"type":"turn-ended","usage":[1]}`, undefined],
    ["interaction_update", "null", undefined],
    ["result", "null", undefined],
    ...["heartbeat", "error", "done"].flatMap((event) => [
      [event, "{}", undefined],
      [event, "not JSON", undefined],
    ]),
  ];
  for (const [event, data, expected] of passes) {
    const { messages, warnings } = one(event, data);
    assert.deepEqual(messages, expected ? [expected] : [], `${event}: ${data}`);
    assert.deepEqual(warnings, [], `${event}: ${data}`);
  }
});

test("a frame of a name that nobody knows arrives as unknown, its data parsed where it is JSON", () => {
  for (const [event, data, expected] of [
    ["mystery", `{"a":[1,null]}`, { a: [1, null] }],
    ["mystery", "plain text", "plain text"],
    ["mystery", "", ""],
    ["Status", `"RUNNING"`, "RUNNING"],
    [" status", "1", 1],
    ["__proto__", "null", null],
  ]) {
    const { messages, warnings } = one(event, data);
    // A blank after the colon is the format's.
    const name = event.replace(/^ /, " ");
    assert.deepEqual(messages, [{ type: "unknown", agent_id, run_id, event: name, data: expected }]);
    assert.deepEqual(warnings, []);
  }
  assert.deepEqual(decode([encode("data: 1\n\n")]).messages, [
    { type: "unknown", agent_id, run_id, event: "message", data: 1 },
  ]);
});

test("members are what JSON.parse makes of them, and never what they pretend to be", () => {
  const args = [
    `{"__proto__":{"polluted":true},"constructor":1,"toString":null}`,
    `{"a":1,"a":2}`,
    `[1e400,-1e400,-0,123456789012345678901234567890,5e-324]`,
    `"\\ud800 \\udc00 \\ud83d\\ude00 \\u0000 \\u2028 \u2028"`,
    `" \\u00e9 é 日本語 "`,
    `[[],{},"",0,false,null]`,
  ];
  for (const value of args) {
    const { messages } = one("tool_call", `{"callId":"1","name":"n","args":${value}}`);
    assert.deepEqual(messages[0].args, JSON.parse(value), value);
  }
  assert.equal({}.polluted, undefined);
  const [user] = one(
    "user",
    `{"__proto__":{"x":1},"type":"y","agent_id":"z","run_id":1,"message":{}}`,
  ).messages;
  assert.deepEqual([user.type, user.agent_id, user.run_id, user.x], ["user", agent_id, run_id, undefined]);
  assert.ok(Object.hasOwn(user, "__proto__"));
  // Of several members of one name the last counts, and names may be escaped.
  assert.deepEqual(one("assistant", `{"text":1,"te\\u0078t":"a"}`).messages, [assistant("a")]);
  assert.equal(one("assistant", `{"text":"a","text":1}`).warnings.length, 1);
  assert.deepEqual(one("assistant", ` \t{ "text" : "a" } `).messages, [assistant("a")]);
  assert.deepEqual(one("assistant", `{\ndata: "text"\ndata: :"a"}`).messages, [assistant("a")]);
});

test("nesting of any depth passes, and spoils nothing when it is not closed", () => {
  const depth = 100_000;
  const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const { messages } = one("tool_call", `{"callId":"1","args":${deep}}`);
  let levels = 0;
  for (let value = messages[0].args; value !== undefined; value = value[0]) levels++;
  assert.equal(levels, depth);
  const stream = frame("tool_call", `{"args":${"[".repeat(depth)}`) + frame("assistant", `{"text":"a"}`);
  const after = decode([encode(stream)]);
  assert.deepEqual(after.messages, [assistant("a")]);
  assert.equal(after.warnings.length, 1);
});

test("an excerpt is at most 256 bytes and ends with a whole character", () => {
  for (const [character, length] of [
    ["x", 1],
    ["é", 2],
    ["日", 3],
    ["😀", 4],
  ]) {
    for (let shift = 0; shift < 5; shift++) {
      const data = `${"-".repeat(shift)}${character.repeat(1000)}`;
      const [{ excerpt }] = one("assistant", data).warnings;
      assert.ok(data.startsWith(excerpt), excerpt);
      const bytes = Buffer.byteLength(excerpt);
      assert.ok(bytes <= 256 && bytes > 256 - length, `${bytes}`);
    }
  }
});

test("an onWarning that throws harms nothing", () => {
  const said = mock.method(console, "error", () => {});
  try {
    const onWarning = () => {
      throw new Error("from the callback");
    };
    const stream =
      frame("assistant", "wrong") + frame("assistant", `{"text":"a"}`) + frame("status", "wrong");
    const { messages } = decode([encode(stream)], { onWarning });
    assert.deepEqual(messages, [assistant("a")]);
    assert.equal(said.mock.callCount(), 2);
    assert.match(String(said.mock.calls[0].arguments), /onWarning.*from the callback/);
  } finally {
    said.mock.restore();
  }
  assert.deepEqual(decode([encode(frame("assistant", "wrong"))], { onWarning: undefined }).messages, []);
});

test("maxEventBytes gives the messages before, then throws until end()", () => {
  const decoder = new MessageDecoder({ ...ids, maxEventBytes: 20 });
  const stream = frame("assistant", `{"text":"a"}`) + frame("assistant", `{"text":"${"x".repeat(20)}"}`);
  assert.deepEqual(decoder.push(encode(stream)), [assistant("a")]);
  for (let call = 0; call < 2; call++) {
    assert.throws(
      () => decoder.push(encode("")),
      (error) => error instanceof EventTooLargeError && error.maxEventBytes === 20,
    );
  }
  decoder.end();
  assert.deepEqual(decoder.push(encode(frame("assistant", `{"text":"b"}`))), [assistant("b")]);
});
