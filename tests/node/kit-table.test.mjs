// The engine's lists of session events and the facade's are one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { compareCodes } from "../lib/tables.mjs";

test("OP in pkg/src/kit/build.ts agrees with Op in src/kit/event.rs", () => {
  compareCodes("src/kit/event.rs", "pkg/src/kit/build.ts", 8);
});

test("LEVELS agree", () => {
  const levels = (file) => {
    const [, list] = /\bconst LEVELS[^=]*= \[([^\]]*)\]/.exec(readFileSync(join(root, file), "utf8"));
    return list.match(/"[^"]+"/g);
  };
  assert.equal(levels("src/kit/event.rs").length, 5);
  assert.deepEqual(levels("pkg/src/kit/build.ts"), levels("src/kit/event.rs"));
});
