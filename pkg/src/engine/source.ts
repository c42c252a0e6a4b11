// Where the engine's WebAssembly comes from; each runtime's loader registers its own way.

/** `WebAssembly.Module`; in a project whose types do not have that, any object. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;

export type EngineCode = WasmModule | ArrayBuffer | ArrayBufferView | Response;

/** A compiled module, its bytes, an address or response to load it from, or a promise of one of them. */
export type EngineInput = EngineCode | URL | string | Promise<EngineCode>;

/** How a runtime gets at the engine. */
export interface EngineSource {
  /** Gives the module at once, where the runtime allows that. */
  compileSync?(): WasmModule;
  /** Loads the module. */
  compile(): Promise<WasmModule>;
}

let registered: EngineSource | undefined;

/** Called by a loader when it is imported: it must not do more than this. */
export function setEngineSource(source: EngineSource): void {
  registered = source;
}

export function engineSource(): EngineSource | undefined {
  return registered;
}

/** Compiles what was handed to `init`. */
export async function compileInput(input: EngineInput): Promise<WasmModule> {
  const given = await input;
  if (typeof given === "string" || given instanceof URL) return compileResponse(await fetch(given));
  if (typeof Response === "function" && given instanceof Response) return compileResponse(given);
  // A module of another realm is no instance of this realm's class: ask for its tag instead.
  if (Object.prototype.toString.call(given) === "[object WebAssembly.Module]")
    return given as WebAssembly.Module;
  return WebAssembly.compile(given as BufferSource);
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`Loading ${response.url}: HTTP status ${response.status}`);
  const type = response.headers.get("content-type") ?? "";
  // Streaming compilation insists on the type; a plain file server may not know it.
  if (type.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
