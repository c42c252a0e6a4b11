// What npm test takes from each runner's output: a failure is never read as a success.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readCounts } from "../../scripts/lib/test-counts.mjs";

test("cargo's summaries are added up over all test binaries", () => {
  const output = `
running 3 tests
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
`;
  assert.deepEqual(readCounts("cargo", { code: 101, output }), { passed: 7, failed: 2 });
});

test("node's totals are read in colour, and cancelled tests count as failed", () => {
  const output =
    "\x1b[34mℹ tests 9\x1b[39m\n\x1b[34mℹ pass 5\x1b[39m\nℹ fail 1\nℹ cancelled 3\nℹ skipped 0\n";
  assert.deepEqual(readCounts("node", { code: 1, output }), { passed: 5, failed: 4 });
});

test("a check counts as one", () => {
  assert.deepEqual(readCounts("check", { code: 0, output: "" }), { passed: 1, failed: 0 });
  assert.deepEqual(readCounts("check", { code: 2, output: "" }), { passed: 0, failed: 1 });
});

test("a runner that fails without a summary, or after a clean one, has failed", () => {
  assert.deepEqual(readCounts("cargo", { code: 101, output: "error[E0433]" }), { passed: 0, failed: 1 });
  const output = "test result: ok. 3 passed; 0 failed; 0 ignored";
  assert.deepEqual(readCounts("cargo", { code: 1, output }), { passed: 3, failed: 1 });
});

test("a runner that ran no test is an error", () => {
  assert.throws(() => readCounts("cargo", { code: 0, output: "no tests to run!" }), /ran no test/);
  assert.throws(() => readCounts("node", { code: 0, output: "ℹ pass 0\nℹ fail 0\n" }), /ran no test/);
});
