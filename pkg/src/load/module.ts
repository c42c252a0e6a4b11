// workerd and bundlers that give a WebAssembly.Module for an import: compiling bytes is refused there.

import module from "../engine/engine.wasm";
import { setEngineSource } from "../engine/source.js";

setEngineSource({ compileSync: () => module, compile: async () => module });
