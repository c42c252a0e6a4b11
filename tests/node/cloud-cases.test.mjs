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
      const expected = {
        yielded: recorded.yielded,
        statusCallbacks: recorded.statusCallbacks,
        waitResult: recorded.waitResult,
        runStatusAfter: recorded.runStatusAfter,
      };
      differences[recorded.name]?.(expected);

      const warnings = [];
      const handle = await serviceOf(recorded).handle({ onWarning: (warning) => warnings.push(warning) });
      const statusCallbacks = [];
      handle.onDidChangeStatus((status) => statusCallbacks.push(status));
      const waiting = handle.wait();
      const yielded = [];
      const reading = (async () => {
        for await (const message of handle.stream()) yielded.push(message);
      })();
      await clock.advance(10_000);
      await reading;
      const waitResult = await waiting;
      const given = { yielded, statusCallbacks, waitResult, runStatusAfter: handle.status };
      assert.deepEqual(given, expected);
      assert.deepEqual(warnings, []);
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
