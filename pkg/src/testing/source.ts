// Where the simulator's WebAssembly comes from; each runtime's loader registers its own way.

import type { WasmModule } from "../engine/source.js";
import { initSync, SimulatorCore } from "./simulator.js";

type Load = () => WasmModule | Promise<WasmModule>;

let registered: Load | undefined;
let loading: Promise<void> | undefined;

/** Called by a loader when it is imported: it must not do more than this. */
export function setSimulatorSource(load: Load): void {
  registered = load;
}

/** A new simulator; the WebAssembly is loaded once, by whoever comes first. */
export async function createCore(config: string): Promise<SimulatorCore> {
  loading ??= load().catch((error: unknown) => {
    // The next call tries again.
    loading = undefined;
    throw error;
  });
  await loading;
  return new SimulatorCore(config);
}

async function load(): Promise<void> {
  if (!registered) throw new Error("Loading the simulator: no entry of runwire/testing was imported");
  initSync({ module: await registered() });
}
