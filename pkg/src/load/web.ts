// Browsers, and whatever resolves a URL beside a module: fetched and compiled on first use.

import { compileInput, setEngineSource } from "../engine/source.js";

setEngineSource({
  // Bundlers look for exactly this pattern to find the file.
  compile: () => compileInput(new URL("../engine/engine.wasm", import.meta.url)),
});
