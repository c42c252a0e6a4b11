// The values of a batch, read out of the engine's memory. What a batch is made of: src/json/batch.rs.

import { type EngineMemory, TEXT, TEXT_ASCII, TEXT_LENGTH } from "./memory.js";
import { readText } from "./text.js";

/** The values of a batch that are no short strings, in order. */
// biome-ignore lint/suspicious/noExplicitAny: the engine has checked what stands where
export function valuesOf({ bytes, words }: EngineMemory, head: number): any[] {
  const length = words[head + TEXT_LENGTH]!;
  // A view costs as much as a message.
  if (length === 0) return [];
  const address = words[head + TEXT]!;
  return JSON.parse(readText(bytes.subarray(address, address + length), words[head + TEXT_ASCII] !== 0));
}
