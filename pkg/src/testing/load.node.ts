// Node, Bun and Deno: read from beside this file and compiled on first use.

import { readFileSync } from "node:fs";
import { setSimulatorSource } from "./source.js";

setSimulatorSource(() => new WebAssembly.Module(readFileSync(new URL("./simulator.wasm", import.meta.url))));
