// Which statuses a stream tells: as sent by the first connection and after new content, and before that, on a
// connection that repeats the run, only what is further along.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "runwire";
import { withFakeTime } from "../lib/fake-time.mjs";
import { done, result, scriptedRun, status, text } from "../lib/scripted-run.mjs";

await init();

const end = result({ status: "FINISHED", text: "All done" }) + done;

/** What is read of a run whose connections send this: statuses by name, text as its number. */
async function told(...connections) {
  const seen = [];
  await withFakeTime(async (clock) => {
    const service = scriptedRun({ stream: (connection, n) => void connection.end(...connections[n - 1]) });
    const stream = (await service.handle()).stream();
    const reading = (async () => {
      for await (const message of stream) {
        seen.push(
          message.type === "status" ? message.status : Number.parseInt(message.message.content[0].text, 10),
        );
      }
    })();
    await clock.advance(5_000);
    await reading;
    assert.equal(service.count("stream"), connections.length);
  });
  return seen;
}

const [running, creating, finished] = ["RUNNING", "CREATING", "FINISHED"].map((state) => status(state));
/** Of these a resume sends the id 1-0, and repeats 2. */
const begun = [creating, running, text(1), text(2)];

test("the first connection's are told as sent, equal ones and those that go back too", async () => {
  const sent = [
    creating,
    running,
    running,
    text(1),
    creating,
    status("PAUSED"),
    status("PAUSED"),
    finished,
    end,
  ];
  const names = ["CREATING", "RUNNING", "RUNNING", 1, "CREATING", "PAUSED", "PAUSED", "FINISHED"];
  assert.deepEqual(await told(sent), names);
});

const tops = [
  ["what is told already is not told again", [running], []],
  ["what lies behind is not told", [creating], []],
  ["what nobody knows is told if it differs", [status("PAUSED")], ["PAUSED"]],
  ["of several only the last counts", [status("PAUSED"), running], []],
  ["and it is told once, where the replay has proved itself", [creating, status("PAUSED")], ["PAUSED"]],
];
for (const [name, top, expected] of tops) {
  test(`at the top of a reconnect ${name}`, async () => {
    const names = ["CREATING", "RUNNING", 1, 2, ...expected, 3];
    assert.deepEqual(await told(begun, [...top, text(2), text(3), end]), names);
  });
}

test("at the top of a reconnect what is further along is told", async () => {
  const rest = [text(2), text(3), end];
  assert.deepEqual(await told([creating, text(1), text(2)], [running, ...rest]), [
    "CREATING",
    1,
    2,
    "RUNNING",
    3,
  ]);
  assert.deepEqual(await told([text(1), text(2)], [creating, ...rest]), [1, 2, "CREATING", 3]);
  const paused = [status("PAUSED"), text(1), text(2)];
  assert.deepEqual(await told(paused, [running, ...rest]), ["PAUSED", 1, 2, "RUNNING", 3]);
});

test("a terminal one at the top of a reconnect is told last, for content may still follow it", async () => {
  const names = ["CREATING", "RUNNING", 1, 2, 3, 4, "FINISHED"];
  assert.deepEqual(await told(begun, [finished, text(2), text(3), text(4), end]), names);
});

test("a connection that breaks before its replay has proved itself tells nothing", async () => {
  const names = ["CREATING", "RUNNING", 1, 2, 3];
  assert.deepEqual(await told(begun, [status("PAUSED")], [running, text(2), text(3), end]), names);
});

test("after a reconnect's first new content they are told as sent again", async () => {
  const more = [running, text(2), text(3), running, running, creating, text(4), finished, end];
  const names = ["CREATING", "RUNNING", 1, 2, 3, "RUNNING", "RUNNING", "CREATING", 4, "FINISHED"];
  assert.deepEqual(await told(begun, more), names);
});
