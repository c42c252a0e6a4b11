// Lists that stand in the engine and in the facade.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/lib/paths.mjs";

/** The names and numbers of a list that begins with `start`, by a pattern for its entries. */
export function entries(file, start, entry) {
  const text = readFileSync(join(root, file), "utf8");
  const at = text.indexOf(start);
  assert.ok(at >= 0, `${start} is in ${file}`);
  const body = text.slice(at, text.indexOf("\n}", at));
  return [...body.matchAll(entry)].map(([, name, number]) => [name, Number(number)]);
}

/** Compares an enum of the engine's with a table of the facade's; it has at least so many entries. */
export function compareCodes(rust, facade, least) {
  const engine = entries(rust, "pub enum Op {", /^ {4}(\w+) = (\d+),$/gm);
  assert.ok(engine.length >= least, `${engine.length}`);
  assert.deepEqual(
    engine.map(([, number]) => number),
    engine.map((_, at) => at),
  );
  assert.deepEqual(entries(facade, "export const OP = {", /^ {2}(\w+): (\d+),$/gm), engine);
}
