// workerd and bundlers that give a WebAssembly.Module for an import: compiling bytes is refused there.

import module from "./simulator.wasm";
import { setSimulatorSource } from "./source.js";

setSimulatorSource(() => module);
