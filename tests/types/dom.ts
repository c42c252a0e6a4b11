// Where the types of the DOM are there: what has a name only with them. Compiled, never run.

import type { RunStreamOptions } from "runwire";
import { EventStreamDecoderStream, init, type ServerSentEvent } from "runwire/sse";

/** It stands wherever a pair of streams is wanted. */
export const pair: ReadableWritablePair<ServerSentEvent, Uint8Array> = new EventStreamDecoderStream();

export const credentials = (given: RequestCredentials): RunStreamOptions["credentials"] => given;

export async function load(module: WebAssembly.Module, source: BufferSource): Promise<void> {
  await init(module);
  await init(source);
  await init(WebAssembly.compile(source));
}
