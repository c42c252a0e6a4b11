// The tarball holds what it should and nothing else, and its exports lead somewhere, with types.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packed } from "../lib/packed.mjs";
import { inProject } from "./project.mjs";

/** Scripts with their types, by folder of `dist`. */
const scripts = {
  "": ["agent", "index", "sse"],
  "api/": [
    "agent-handle",
    "artifact",
    "call",
    "create-body",
    "cursor",
    "defaults",
    "info",
    "launch",
    "list",
    "models",
    "types",
  ],
  "conversation/": ["deliver", "read", "steps", "tool-calls", "types"],
  "engine/": [
    "batch",
    "calls",
    "glue",
    "host",
    "init",
    "instance",
    "memory",
    "party",
    "short",
    "source",
    "text",
  ],
  "entries/": ["host", "index", "kit", "sse", "testing"].flatMap((entry) => [
    `${entry}.module`,
    `${entry}.node`,
    `${entry}.web`,
  ]),
  "errors/": ["api", "base", "engine"],
  "host/": [
    "answers",
    "authorize",
    "body",
    "event-log",
    "event-stream",
    "host",
    "index",
    "input",
    "node",
    "options",
    "origins",
    "routes",
    "session",
    "sessions",
    "timers",
  ],
  "kit/": [
    "body-source",
    "build",
    "decoder",
    "deferred",
    "events",
    "host-frames",
    "host-source",
    "index",
    "input-queue",
    "mode-control",
    "normalize",
    "normalizer",
    "pump",
    "query-source",
    "run-query",
    "source",
    "types",
  ],
  "load/": ["module", "node", "web"],
  "messages/": ["build", "decoder", "frames", "types", "usage", "wire"],
  "run/": [
    "consumer",
    "core",
    "exchange",
    "follow-options",
    "line",
    "listeners",
    "open-run-stream",
    "run",
    "shared",
    "stream",
    "transport",
    "waking",
  ],
  "sse/": ["build", "decoder", "stream"],
  "testing/": [
    "body",
    "checksum",
    "clock",
    "core",
    "create",
    "faults",
    "fetch",
    "index",
    "load.module",
  ].concat(["load.node", "load.web", "node", "scenarios", "simulator", "simulator-types", "source"]),
};

const expected = [
  "LICENSE-APACHE",
  "LICENSE-MIT",
  "README.md",
  "package.json",
  "dist/engine/engine.wasm",
  "dist/engine/engine.d.wasm.ts",
  "dist/engine/generated/engine.d.ts",
  "dist/testing/simulator.wasm",
  "dist/testing/simulator.d.wasm.ts",
  ...Object.entries(scripts).flatMap(([folder, names]) =>
    names.flatMap((name) => [`dist/${folder}${name}.js`, `dist/${folder}${name}.d.ts`]),
  ),
];

test("the tarball holds exactly the files listed here", async () => {
  const { files } = await packed();
  const found = files.map(({ path }) => path);
  assert.deepEqual(
    {
      unexpected: found.filter((path) => !expected.includes(path)),
      missing: expected.filter((path) => !found.includes(path)),
    },
    { unexpected: [], missing: [] },
  );
});

/** Every path an exports value can lead to, with the conditions on the way. */
function targets(value, conditions = []) {
  if (typeof value === "string") return [{ path: value, conditions }];
  return Object.entries(value).flatMap(([condition, inner]) => targets(inner, [...conditions, condition]));
}

test("every exported path exists and every exported script has types", () =>
  inProject("exports", async (dir) => {
    const installed = join(dir, "node_modules", "runwire");
    const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const exists = (path) => statSync(join(installed, path), { throwIfNoEntry: false })?.isFile() === true;
    const problems = [];
    for (const [entry, value] of Object.entries(exports)) {
      const all = targets(value);
      for (const { path, conditions } of all) {
        if (!exists(path)) problems.push(`${entry} [${conditions}]: ${path} does not exist`);
      }
      const scripts = all.filter(({ path }) => path.endsWith(".js"));
      if (scripts.length > 0 && !all.some(({ conditions }) => conditions.includes("types"))) {
        problems.push(`${entry} has no types`);
      }
      // A resolver takes the first condition that fits: types after another one would never be seen.
      if (typeof value === "object" && scripts.length > 0 && Object.keys(value)[0] !== "types") {
        problems.push(`${entry}: types does not come first`);
      }
      if (typeof value === "object" && scripts.length > 0 && Object.keys(value).at(-1) !== "default") {
        problems.push(`${entry}: default does not come last`);
      }
    }
    assert.deepEqual(problems, []);
    assert.ok(Object.keys(exports).length >= 4, "the entries were looked at");
  }));
