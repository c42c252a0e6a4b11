// What reading an event stream looks like to TypeScript: compiled, never run.

import { EventStreamDecoder, EventStreamDecoderStream, init, type ServerSentEvent } from "runwire/sse";

export async function decode(response: Response): Promise<string[]> {
  await init();
  const decoder = new EventStreamDecoder();
  const events: ServerSentEvent[] = decoder.push(new Uint8Array([10]));
  decoder.end();
  decoder.lastEventId satisfies string;
  decoder.reconnectionTime satisfies number | undefined;
  // @ts-expect-error bytes, not text
  decoder.push("data: x\n\n");

  if (response.body) {
    const reader = response.body.pipeThrough(new EventStreamDecoderStream()).getReader();
    const { value } = await reader.read();
    if (value) events.push(value);
  }
  return events.map(({ event, data, id }: { event: string; data: string; id: string }) => event + data + id);
}

/** Options are checked, and may be given as `undefined`. */
export function make(): void {
  new EventStreamDecoder({ maxEventBytes: 1024, lastEventId: "7" });
  new EventStreamDecoder({ maxEventBytes: undefined, lastEventId: undefined });
  new EventStreamDecoderStream({ maxEventBytes: 1024 });
  // @ts-expect-error a number of bytes
  new EventStreamDecoder({ maxEventBytes: "1 MiB" });
  // @ts-expect-error there is no such option
  new EventStreamDecoderStream({ limit: 1 });
  // @ts-expect-error it is told, not set
  new EventStreamDecoder().lastEventId = "7";
}

/** It stands wherever a TransformStream is wanted. */
export const transform: TransformStream<Uint8Array, ServerSentEvent> = new EventStreamDecoderStream();

export function exact(event: ServerSentEvent): Record<"event" | "data" | "id", string> {
  // @ts-expect-error it has no other members
  event.retry;
  return { event: event.event, data: event.data, id: event.id };
}

/** Everything that a caller may have the engine's bytes as. */
export async function load(response: Response, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const url = new URL("https://example.com/engine.wasm");
  for (const input of [response, bytes, bytes.buffer, "/engine.wasm", url]) await init(input);
  await init(fetch("/engine.wasm"));
  await init();
  // @ts-expect-error nothing is no engine
  await init(null);
}
