// Children never outlive what started them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { must, run } from "../../scripts/lib/exec.mjs";
import { inTempDir } from "../lib/temp.mjs";

/** Resolves once the process is gone; the test's own time limit is the bound. */
async function gone(pid) {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The text of a file once there is some. */
async function appears(file) {
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (text.endsWith("\n")) return text;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("the output of a command is captured, with its code", async () => {
  const { code, output } = await run("sh", ["-c", "echo out; echo err >&2; exit 3"]);
  assert.equal(code, 3);
  assert.match(output, /out/);
  assert.match(output, /err/);
});

test("a command that does not exist ends with code 127", async () => {
  assert.equal((await run("no-such-command-here", [])).code, 127);
});

test("a failed command's error holds what it said", async () => {
  await assert.rejects(must("sh", ["-c", "echo the reason; exit 1"]), /the reason/);
});

test("a command that takes too long ends with everything it started", async () => {
  const { output, timedOut } = await run("sh", ["-c", "sleep 600 & echo $!; wait"], { timeoutMs: 300 });
  assert.equal(timedOut, true);
  await gone(Number(output));
});

test("what a command leaves running ends with it", async () => {
  const { code, output } = await run("sh", ["-c", "sleep 600 & echo $!"]);
  assert.equal(code, 0);
  await gone(Number(output));
});

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
]) {
  test(`on ${signal} the children end, and then we do with code ${code}`, async () => {
    const module = new URL("../../scripts/lib/exec.mjs", import.meta.url).href;
    const program = `import { run } from ${JSON.stringify(module)};
      await run("sh", ["-c", "sleep 600 & echo $!; wait"], { show: true });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    const [pid] = await once(child.stdout, "data");
    child.kill(signal);
    const [ended] = await once(child, "exit");
    assert.equal(ended, code);
    await gone(Number(pid));
  });
}

test("what must not be cut off goes on when we are stopped", () =>
  inTempDir("exec", async (dir) => {
    const module = new URL("../../scripts/lib/exec.mjs", import.meta.url).href;
    const script = `echo started; echo $$ >started; until [ -e go ]; do sleep 0.02; done; echo ended; echo yes >done`;
    const program = `import { run } from ${JSON.stringify(module)};
      await run("sh", ["-c", ${JSON.stringify(script)}], { outlivesUs: true });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: dir });
    const pid = Number(await appears(join(dir, "started")));
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    assert.equal(code, 130);
    writeFileSync(join(dir, "go"), "");
    await gone(pid);
    assert.equal(readFileSync(join(dir, "done"), "utf8"), "yes\n");
  }));
