// The bindings that scripts/build.mjs makes of wasm-bindgen's output: a function in place of a
// module, so that a new instance can be made when one has trapped.

import type * as Generated from "./generated/engine.js";
import type { EngineHost } from "./host.js";
import type { WasmModule } from "./source.js";

export type Glue = Pick<typeof Generated, "scratch" | "make" | "places" | "tell" | "forget"> & {
  initSync(input: { module: WasmModule }): unknown;
};

/** Makes bindings that instantiate through `webAssembly`, and call `host`. */
export function createGlue(webAssembly: unknown, host: EngineHost): Glue;
