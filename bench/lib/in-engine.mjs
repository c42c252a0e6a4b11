// The cases as the engines see them: the same code in Node, Chromium and Firefox.

import "./probe.mjs";
import { decode } from "../cases/decode.mjs";
import { delivered } from "../cases/delivered.mjs";
import { large } from "../cases/large.mjs";
import { memory } from "../cases/memory.mjs";
import { retained } from "../cases/retained.mjs";
import { session } from "../cases/session.mjs";

const cases = { decode, delivered, memory, retained, large, session };

/** Run one case here and return its rows. */
export function runCase(name, options) {
  return cases[name](options);
}
