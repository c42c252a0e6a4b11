// The bindings that scripts/build.mjs makes of wasm-bindgen's output: a function in place of a
// module, so that a new instance can be made when one has trapped. Addresses beyond 2 GiB come negative.

import type * as Generated from "./generated/engine.js";
import type { EngineHost } from "./host.js";

export type Glue = Pick<typeof Generated, "scratch" | "make" | "places" | "tell" | "forget">;

/** Makes bindings of the exports that `instantiate` gives, which call `host`. */
export function createGlue(
  instantiate: (imports: Record<string, never>) => Record<string, unknown>,
  host: EngineHost,
): Glue;
