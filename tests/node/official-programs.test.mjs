// Programs written for the official client (tests/types/official) do their work here with another import.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { init } from "runwire";
import { createSimulator } from "runwire/testing";
import { root } from "../../scripts/lib/paths.mjs";

await init();

// Where `runwire` is found as users find it.
const folder = mkdtempSync(join(root, "target", "programs-"));
after(() => rmSync(folder, { recursive: true }));
const { outputFiles } = await build({
  entryPoints: [join(root, "tests", "types", "official", "programs.ts")],
  bundle: true,
  packages: "external",
  format: "esm",
  target: "es2022",
  write: false,
});
const file = join(folder, "programs.mjs");
writeFileSync(file, outputFiles[0].contents);
const programs = await import(pathToFileURL(file).href);

const apiKey = "key-of-the-test";

/** What a program prints. */
async function printed(name, { pace = "instant", args = () => [] } = {}) {
  const simulator = createSimulator({ pace, auth: { keys: [apiKey] } });
  await simulator.ready();
  const lines = [];
  const env = { apiKey, fetch: simulator.fetch };
  await programs[name](env, (line) => lines.push(line), ...(await args(simulator)));
  assert.equal(simulator.openConnections, 0, "nothing is left open");
  return lines;
}

const started = async (simulator) => {
  const { agentId, runId } = await simulator.startRun();
  return [agentId, runId];
};

test("the canonical event switch", async () => {
  const lines = await printed("eventSwitch");
  assert.match(
    lines.join("\n"),
    /read_file: running\n.*read_file: completed\n.*FINISHED|FINISHED[\s\S]*read_file: completed/s,
  );
});

test("hand-driven next()", async () => {
  const lines = await printed("handDriven");
  assert.ok(lines.length > 50);
  assert.ok(lines.includes("assistant"));
});

test("cancel after a timeout, guarded by supports", async () => {
  assert.deepEqual(await printed("cancelLater", { pace: 1 }), ["cancelled"]);
});

test("a status listener without a stream", async () => {
  assert.deepEqual(await printed("statusOnly"), ["finished"]);
});

test("observing a run that somebody else launched", async () => {
  const lines = await printed("observe", { args: started });
  assert.match(lines.at(-1), /^finished \d+ number$/);
});

test("callbacks", async () => {
  const lines = await printed("callbacks");
  assert.match(lines.at(-1), /^\d\d steps$/);
  assert.match(lines.slice(0, -1).join(""), /lexer/);
});

test("paging", async () => {
  const lines = await printed("paging", { args: started });
  assert.equal(lines.length, 2);
  assert.match(lines[1], /^bc-\S+ false$/);
});

test("errors by class", async () => {
  assert.deepEqual(await printed("errors", { pace: 1 }), ["auth 401 false", "busy agent_busy agent.send"]);
});

test("conversation rendering", async () => {
  const lines = await printed("conversation");
  assert.match(lines.join("\n"), /^> /);
  assert.ok(lines.some((line) => /success$/.test(line)));
});

test("one prompt, one answer", async () => {
  assert.deepEqual(await printed("prompt"), ["finished true"]);
});
