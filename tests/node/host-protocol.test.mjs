// docs/session-protocol.md says what the host does.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const doc = readFileSync(new URL("../../docs/session-protocol.md", import.meta.url), "utf8");
const folder = new URL("../../pkg/src/host/", import.meta.url);
const source = readdirSync(folder)
  .map((name) => readFileSync(new URL(name, folder), "utf8"))
  .join("\n");

test("every refusal is in the table, with its status, and nothing else is", () => {
  const made = new Set();
  for (const [, status, code] of source.matchAll(/Refusal\(\s*(\d{3}),\s*"(\w+)"/g))
    made.add(`${status} ${code}`);
  const listed = new Set();
  for (const [, status, codes] of doc.matchAll(/^\| (\d{3}) \| ([^|]*) \|/gm)) {
    for (const [, code] of codes.matchAll(/`(\w+)`/g)) listed.add(`${status} ${code}`);
  }
  assert.ok(made.size > 15);
  assert.deepEqual([...listed].sort(), [...made].sort());
});

test("the figures in brackets are the defaults", () => {
  const expected = [
    ["idleMs: 30 * 60_000", "30 minutes"],
    ["keepMs: 5 * 60_000", "5 minutes"],
    ["heartbeatMs: 8_000", "8 s"],
    ["maxClientIds: 1_000", "1,000"],
    ["maxReaders: 32", "32"],
    ["maxPending: 64", "64"],
    ["maxSessions: 100", "100"],
    ["maxBodyBytes: 2 ** 20", "1 MiB"],
    ["maxLogBytes: 2 * 2 ** 20", "2 MiB"],
  ];
  for (const [member, words] of expected) {
    assert.ok(source.includes(`  ${member},\n`), member);
    assert.match(doc, new RegExp(`\\[${words}[\\],]`), member);
  }
});
