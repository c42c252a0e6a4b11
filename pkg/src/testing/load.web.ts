// Browsers, and whatever resolves a URL beside a module: fetched and compiled on first use.

import { compileInput } from "../engine/source.js";
import { setSimulatorSource } from "./source.js";

// Bundlers look for exactly this pattern to find the file.
setSimulatorSource(() => compileInput(new URL("./simulator.wasm", import.meta.url)));
