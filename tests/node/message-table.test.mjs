// The engine's list of message codes and the facade's are one list.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";

function entries(file, start, entry) {
  const text = readFileSync(join(root, file), "utf8");
  const at = text.indexOf(start);
  assert.ok(at >= 0, `${start} is in ${file}`);
  const body = text.slice(at, text.indexOf("\n}", at));
  return [...body.matchAll(entry)].map(([, name, number]) => [name, Number(number)]);
}

test("OP in pkg/src/messages/build.ts agrees with Op in src/cloud/message.rs", () => {
  const engine = entries("src/cloud/message.rs", "pub enum Op {", /^ {4}(\w+) = (\d+),$/gm);
  const facade = entries("pkg/src/messages/build.ts", "export const OP = {", /^ {2}(\w+): (\d+),$/gm);
  assert.ok(engine.length >= 10, `${engine.length}`);
  assert.deepEqual(
    engine.map(([, number]) => number),
    engine.map((_, at) => at),
  );
  assert.deepEqual(facade, engine);
});
