// Fills fuzz/corpus/ from the recorded cases: node fuzz/seed.mjs

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const cases = (name) => JSON.parse(readFileSync(join(folder, "..", "tests", "cases", name), "utf8"));
const bytesOf = ({ input, input_b64 }) =>
  input_b64 === undefined ? Buffer.from(input) : Buffer.from(input_b64, "base64");

const streams = cases("event-stream.json").map(bytesOf);
const runs = cases("cloud-runs.json").map(({ sse }) => Buffer.from(sse));
const data = runs.flatMap((run) =>
  run
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => Buffer.from(line.slice("data: ".length))),
);
// The first bytes of that target's input say how the stream is cut; see src/event_stream.rs.
const cut = (stream, at) => Buffer.concat([Buffer.from([at % 4, 1, 7, 2].slice(0, 1 + (at % 4))), stream]);

write("event_stream", [...streams, ...runs].map(cut));
write("json_scan", data);
write("messages", [...runs, ...streams]);

const sessions = cases("session-events.json").map(({ raw }) => raw.map((message) => JSON.stringify(message)));
write(
  "session",
  sessions.flatMap((lines) =>
    [lines.map((line) => `${line}\n`), lines.map((line) => `data: ${line}\n\n`)].map((list, at) =>
      Buffer.concat([Buffer.from([7 + at]), Buffer.from(list.join(""))]),
    ),
  ),
);

function write(target, inputs) {
  const corpus = join(folder, "corpus", target);
  mkdirSync(corpus, { recursive: true });
  for (const [at, input] of inputs.entries()) writeFileSync(join(corpus, `seed-${at}`), input);
  console.log(`${target}: ${inputs.length} seeds`);
}
