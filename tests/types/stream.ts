// `run.stream()` to TypeScript: an async generator and a ReadableStream at once. Compiled, never run.

import type { MessageStream, Run, SDKMessage, StreamOptions } from "runwire";

export async function isBoth(run: Run, signal: AbortSignal): Promise<void> {
  // What is written for the official client's generator, and for streams, takes it.
  const generator: AsyncGenerator<SDKMessage, void> = run.stream();
  const readable: ReadableStream<SDKMessage> = run.stream();
  const iterable: AsyncIterable<SDKMessage> = run.stream({ signal });
  const iterator: AsyncIterator<SDKMessage> = run.stream({ signal: undefined });
  const stream: MessageStream<SDKMessage> = run.stream({});

  const { done, value } = await generator.next();
  if (!done) value.type satisfies SDKMessage["type"];
  await generator.return();
  await generator.throw(new Error("mine")).catch(() => {});

  const read = await readable.getReader().read();
  if (!read.done) read.value.agent_id satisfies string;
  for await (const message of iterable) message.run_id satisfies string;
  await iterator.return?.();

  const [left, right] = stream.tee();
  await left.pipeTo(new WritableStream<SDKMessage>());
  await right.pipeThrough(new TransformStream<SDKMessage, string>()).cancel();

  const own = run.stream();
  own[Symbol.asyncIterator]() satisfies AsyncIterableIterator<SDKMessage, undefined>;
  const ended = await own.return();
  ended.done satisfies true | false | undefined;
}

export async function refused(run: Run): Promise<void> {
  // @ts-expect-error a signal, not a controller
  run.stream({ signal: new AbortController() });
  // @ts-expect-error there is no such option
  run.stream({ from: 1, another: 2 } satisfies StreamOptions);
  // @ts-expect-error messages, not text
  const texts: ReadableStream<string> = run.stream();
  await texts.cancel();
  // @ts-expect-error a handle is not made by hand
  run.id = "other";
}
