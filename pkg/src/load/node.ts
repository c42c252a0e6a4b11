// Node, Bun and Deno: read from beside this file and compiled on first use.

import { readFileSync } from "node:fs";
import { setEngineSource } from "../engine/source.js";

const compileSync = () =>
  new WebAssembly.Module(readFileSync(new URL("../engine/engine.wasm", import.meta.url)));

setEngineSource({ compileSync, compile: async () => compileSync() });
