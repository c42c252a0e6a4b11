// The recorded event-stream cases against the package's decoder, in every chunking; runs in Node and in pages.

const CLAMP = 2_147_483_647;

/** A case's bytes. */
export function bytesOf({ input, input_b64 }) {
  if (input_b64 === undefined) return new TextEncoder().encode(input);
  return Uint8Array.from(atob(input_b64), (char) => char.charCodeAt(0));
}

/** What is wrong with an outcome; `undefined` when nothing is. */
function fault({ expect, lastEventId, retry }, { events, decoder }) {
  if (!same(events, expect)) return JSON.stringify(events);
  if (!decoder) return undefined;
  if (decoder.lastEventId !== lastEventId) return `lastEventId ${JSON.stringify(decoder.lastEventId)}`;
  const time = decoder.reconnectionTime;
  // Longer than any timer: a clamp is as good as the number.
  const right = retry > CLAMP ? time >= CLAMP && Number.isFinite(time) : time === retry;
  return right ? undefined : `reconnectionTime ${time}`;
}

const members = ["event", "data", "id"];

function same(events, expect) {
  return (
    events.length === expect.length &&
    events.every((event, at) => {
      const keys = Object.keys(event);
      return (
        keys.length === members.length &&
        members.every((key, index) => keys[index] === key && event[key] === expect[at][key])
      );
    })
  );
}

function cutAt(bytes, cuts) {
  const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length];
  return ends.map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
}

const single = (bytes) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));

function* chunkings(bytes, splits) {
  yield ["whole", [bytes]];
  yield ["at its splits", cutAt(bytes, splits ?? [])];
  yield ["byte by byte", single(bytes)];
  yield [
    "byte by byte with empty chunks between",
    single(bytes).flatMap((byte) => [bytes.subarray(0, 0), byte]),
  ];
  for (let cut = 0; cut <= bytes.length; cut++) yield [`cut at ${cut}`, cutAt(bytes, [cut])];
}

/**
 * Every case in every chunking, through `EventStreamDecoder`.
 * @returns {{ runs: number, faults: string[] }} how many decodings there were, and which were wrong
 */
export function checkDecoder(cases, EventStreamDecoder) {
  let runs = 0;
  const faults = [];
  for (const one of cases) {
    for (const [how, chunks] of chunkings(bytesOf(one), one.splits)) {
      const decoder = new EventStreamDecoder();
      const events = chunks.flatMap((chunk) => decoder.push(chunk));
      decoder.end();
      runs++;
      const wrong = fault(one, { events, decoder });
      if (wrong) faults.push(`${one.name}, ${how}: ${wrong}`);
    }
  }
  return { runs, faults };
}

/** The number of decodings that {@link checkDecoder} makes of these cases. */
export function runsOf(cases) {
  return cases.reduce((sum, one) => sum + 4 + bytesOf(one).length + 1, 0);
}

/** Every case through `EventStreamDecoderStream`: whole, at its splits, byte by byte, and in sevens. */
export async function checkStream(cases, EventStreamDecoderStream) {
  let runs = 0;
  const faults = [];
  for (const one of cases) {
    const bytes = bytesOf(one);
    const sevens = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
      bytes.subarray(at * 7, at * 7 + 7),
    );
    for (const [how, chunks] of [
      ["whole", [bytes]],
      ["at its splits", cutAt(bytes, one.splits ?? [])],
      ["byte by byte", single(bytes)],
      ["in sevens", sevens],
    ]) {
      runs++;
      const wrong = fault(one, { events: await throughStream(chunks, EventStreamDecoderStream) });
      if (wrong) faults.push(`${one.name}, ${how}: ${wrong}`);
    }
  }
  return { runs, faults };
}

async function throughStream(chunks, EventStreamDecoderStream) {
  const left = [...chunks];
  const source = new ReadableStream({
    pull(controller) {
      if (left.length === 0) controller.close();
      else controller.enqueue(left.shift());
    },
  });
  const reader = source.pipeThrough(new EventStreamDecoderStream()).getReader();
  const events = [];
  for (let result = await reader.read(); !result.done; result = await reader.read())
    events.push(result.value);
  return events;
}
