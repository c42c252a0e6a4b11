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
