// The page of event-stream-cases.test.mjs.

import { EventStreamDecoder, EventStreamDecoderStream, init } from "runwire/sse";
import cases from "../../cases/event-stream.json";
import { checkDecoder, checkStream } from "../../lib/event-stream-cases.mjs";
import { report } from "./report.mjs";

await report(async () => {
  // Before the engine is there: the stream waits for it.
  const streamed = await checkStream(cases, EventStreamDecoderStream);
  await init();
  const decoded = checkDecoder(cases, EventStreamDecoder);
  return { streamed, decoded };
});
