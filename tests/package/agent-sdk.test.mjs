// Before a release: the published agent SDK's own query(), as TypeScript sees it and as it runs.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { must } from "../../scripts/lib/exec.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { plainEnv } from "../lib/packed.mjs";
import { installAgentSdk, withAgentSdk } from "./agent-sdk.mjs";
import { printedBy } from "./project.mjs";

const skip = process.env.RUNWIRE_TEST_RELEASE !== "1" && "before a release only";
const tsc = join(root, "node_modules", ".bin", "tsc");

async function check(dir, module, moduleResolution) {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
    ...{ target: "es2022", lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable", "esnext.disposable"] },
    ...{ types: ["node"], module, moduleResolution },
  };
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["program.ts"] }));
  await must(tsc, ["--project", dir], { cwd: dir, env: plainEnv(), timeoutMs: 120_000 });
}

const usage = { inputTokens: 7, cacheReadTokens: 2, outputTokens: 8, costUsd: 0.5 };
const mcpError = { type: "mcp-error", failedServers: ["db"] };
const text = (words) => ({ type: "text", text: words });
const failed = (status, errorText) => ({
  ...{ type: "turn-end", status, failed: true, resultText: null, errorText, usage },
});
const said = (words) => [
  text(words),
  { type: "turn-end", status: "success", failed: false, resultText: words, errorText: "", usage },
];
const turn = (words, ...first) => {
  const [spoken, end] = said(words);
  return { events: [...first, spoken, end], text: words, end };
};

/** Of a session with a query() or with a host: the same. */
const session = {
  one: turn("You said: one", mcpError),
  commands: [{ name: "help", description: "Helps", argumentHint: "" }],
  usage: { percentage: 3, totalTokens: 30, maxTokens: 1000 },
  interrupt: { still_queued: [] },
  interrupted: [text("Waiting"), failed("error_during_execution", "")],
  two: turn("You said: two"),
  rest: [],
};

describe("the agent SDK's query()", { skip }, () => {
  before(installAgentSdk);

  for (const [module, resolution] of [
    ["esnext", "bundler"],
    ["nodenext", "nodenext"],
  ]) {
    test(`is options.query, with its own options and messages (${resolution})`, () =>
      withAgentSdk(`agent-sdk-${resolution}`, (dir) => check(dir, module, resolution)));
  }

  test("gives events and is controlled, also behind a host", () =>
    withAgentSdk("agent-sdk-run", async (dir) => {
      const { missing, ...seen } = await printedBy(dir, [process.execPath, "--no-warnings", "drive.mjs"]);
      assert.deepEqual(seen, {
        prompt: [mcpError, ...said("You said: hello")],
        // The SDK throws after that: the end of the turn has told it.
        failed: [mcpError, failed("error_max_turns", "Too many turns")],
        session,
        closed: [true, true],
        hosted: session,
      });
      assert.match(missing, /Claude Code/, "what the SDK says of its program is not lost");
    }));
});
