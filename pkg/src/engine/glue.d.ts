// The bindings that scripts/build.mjs makes of wasm-bindgen's output: a function in place of a
// module, so that a new instance can be made when one has trapped.

import type * as Generated from "./generated/engine.js";
import type { EngineHost } from "./host.js";

export type Glue = Pick<typeof Generated, "initSync" | "scratch" | "make" | "places" | "tell" | "forget">;

/** Makes bindings that instantiate through `webAssembly`, and call `host`. */
export function createGlue(webAssembly: unknown, host: EngineHost): Glue;
