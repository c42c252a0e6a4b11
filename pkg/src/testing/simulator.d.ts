// What is used of wasm-bindgen's output for the simulator.

import type { WasmModule } from "../engine/source.js";

/** Instantiates the module. */
export function initSync(input: { module: WasmModule }): unknown;

/** One simulated service. */
export class SimulatorCore {
  /** Throws a text if the JSON is no configuration. */
  constructor(config: string);
  /** The head of the reply, as JSON. */
  request(now: number, method: string, path: string, headers: string, body: Uint8Array): string;
  /** The body of the last reply. */
  takeBody(): Uint8Array<ArrayBuffer>;
  /** The next bytes of a stream, the time to wait for, or how it has ended. */
  poll(now: number, stream: number, maxBytes: number): Uint8Array<ArrayBuffer> | number | "end" | "reset";
  closeStream(stream: number): void;
  /** Carries out a command; its fields and its value are JSON. */
  command(now: number, name: string, fields: string): string;
  /** Grows whenever a waiting stream may have something to say before its time. */
  readonly generation: number;
}
