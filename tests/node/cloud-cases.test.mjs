// The recordings of tests/cases/cloud-runs.json: what the official client gave, but for what docs/differences.md lists.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { init } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { agentId, runId } from "../lib/run-service.mjs";
import { refusal, scriptedRun } from "../lib/scripted-run.mjs";

await init();

const file = new URL("../cases/cloud-runs.json", import.meta.url);
const cases = JSON.parse(
  readFileSync(file, "utf8").replaceAll("$RUN_ID", runId).replaceAll("$AGENT_ID", agentId),
);
const documented = readFileSync(new URL("../../docs/differences.md", import.meta.url), "utf8");

const base = { agent_id: agentId, run_id: runId };

/** Where ours is meant to differ: what is expected instead, made from what was recorded. */
const differences = {
  "iu-full": (expected) => {
    // Of these the official client tells nothing.
    const type = "user-message-appended";
    expected.deltas.unshift({ type, userMessage: { text: "prompt" } });
    expected.order.unshift(`d:${type}`);
    expected.conversation[0].turn = { userMessage: { text: "prompt" }, ...expected.conversation[0].turn };
    const at = expected.deltas.findIndex((update) => update.type === "step-completed");
    const summary = [
      { type: "summary-started" },
      { type: "summary", summary: "sum" },
      { type: "summary-completed" },
    ];
    expected.deltas.splice(at, 0, ...summary);
    // The text goes on growing meanwhile.
    const before = expected.order.lastIndexOf("s:assistantMessage");
    expected.order.splice(before, 0, ...summary.map((update) => `d:${update.type}`));
  },
  "usage-two-turns": (expected) => {
    // What is left out is said.
    expected.warnings = ["invalid_shape"];
  },
  "unknown-and-message": (expected) => {
    const unknown = (event, data) => ({ type: "unknown", ...base, event, data });
    expected.yielded.unshift(unknown("message", { text: "noevent" }), unknown("mystery", { a: 1 }));
  },
  "thinking-duration": (expected) => {
    expected.yielded[0].thinking_duration_ms = 12;
  },
  "stream-unavailable-then-ok": (expected) => {
    // RUNNING had been told when the first connection ended.
    assert.deepEqual(expected.yielded.splice(2, 1)[0].status, "RUNNING");
  },
  "result-EXPIRED": (expected) => {
    expected.waitResult.error = { message: "The run expired", code: "expired" };
  },
};

/**
 * The conversation of a run without updates, of which the official client makes none. Its messages are few and plain:
 * no text is divided by anything but a tool's call.
 */
function conversationOf(messages) {
  const steps = [];
  const grow = (type, text) => {
    if (steps.at(-1)?.type !== type) steps.push({ type, message: { text: "" } });
    steps.at(-1).message.text += text;
    return steps.at(-1).message;
  };
  for (const message of messages) {
    if (message.type === "assistant") grow("assistantMessage", message.message.content[0].text);
    if (message.type === "thinking") {
      const { text, thinking_duration_ms: thinkingDurationMs } = message;
      Object.assign(grow("thinkingMessage", text), thinkingDurationMs && { thinkingDurationMs });
    }
    if (message.type !== "tool_call" || message.status === "running") continue;
    const { name: type, args, result: value, status } = message;
    const result = status === "error" ? { status, error: { message: value } } : { status: "success", value };
    steps.push({ type: "toolCall", message: { type, args, ...(value !== undefined && { result }) } });
  }
  return steps.length > 0 ? [{ type: "agentConversationTurn", turn: { steps } }] : [];
}

/** The recorded run as a service. */
function serviceOf({ sse, sseByConnection = [], httpStatus, transport, getRunAnswers }) {
  const refused = httpStatus && Number(/\d+/.exec(httpStatus.on)[0]);
  return scriptedRun({
    // What the official client was launched with goes on.
    record: (n) => (n === 1 ? {} : getRunAnswers),
    stream: (connection, n) => {
      if (n === refused) return refusal(httpStatus.status, "upstream_error");
      const bytes = new TextEncoder().encode(sseByConnection[n - 1] ?? sse);
      if (transport) for (const byte of bytes) connection.sendBytes(Uint8Array.of(byte));
      else connection.sendBytes(bytes);
      connection.end();
      return undefined;
    },
  });
}

for (const recorded of cases) {
  test(`as recorded: ${recorded.name}`, () =>
    withFakeTime(async (clock) => {
      const { yielded, statusCallbacks, waitResult, runStatusAfter, conversation } = recorded;
      const { deltas = [], steps = [], order = [] } = recorded;
      const expected = { yielded, statusCallbacks, waitResult, runStatusAfter, conversation, deltas, steps };
      // Callbacks and streams do not wait for each other: how their messages come between is of no interest.
      expected.order = order.filter((entry) => !entry.startsWith("m:"));
      expected.warnings = [];
      differences[recorded.name]?.(expected);
      if (!recorded.sse.includes("interaction_update")) expected.conversation = conversationOf(yielded);

      const given = { yielded: [], statusCallbacks: [], deltas: [], steps: [], order: [], warnings: [] };
      const callbacks = {
        onDelta({ update }) {
          given.deltas.push(update);
          given.order.push(`d:${update.type}`);
        },
        onStep({ step }) {
          given.steps.push(step);
          given.order.push(`s:${step.type}`);
        },
      };
      const handle = await serviceOf(recorded).handle({
        onWarning: ({ code }) => given.warnings.push(code),
        ...(recorded.deltas && callbacks),
      });
      handle.onDidChangeStatus((status) => given.statusCallbacks.push(status));
      const waiting = handle.wait();
      const reading = (async () => {
        for await (const message of handle.stream()) given.yielded.push(message);
      })();
      await clock.advance(10_000);
      await reading;
      given.waitResult = await waiting;
      given.runStatusAfter = handle.status;

      const other = (await serviceOf(recorded).handle()).conversation();
      await clock.advance(10_000);
      given.conversation = await other;
      assert.deepEqual(given, expected);
    }));
}

test("every difference is documented, and every case that differs is a recorded one", () => {
  for (const name of Object.keys(differences)) {
    assert.ok(
      cases.some((recorded) => recorded.name === name),
      name,
    );
    assert.ok(documented.includes(`\`${name}\``), `docs/differences.md does not name ${name}`);
  }
});

test("there are as many recordings as there should be", () => assert.equal(cases.length, 37));
