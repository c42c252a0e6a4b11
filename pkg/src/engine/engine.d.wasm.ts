// The engine, as runtimes import it that compile WebAssembly ahead.

declare const module: WebAssembly.Module;
export default module;
