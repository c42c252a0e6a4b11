// One session of many turns, in one of the ways in which sessions are read, and what memory is held on the way. Run with
// --expose-gc.

import { createSessionHost } from "runwire/host";
import { createInputQueue, init as loadEngine, runQuery } from "runwire/kit";
import { turns as passed } from "../../lib/run-ids.mjs";
import {
  assistant,
  init,
  messageStart,
  result,
  suggestion,
  textDelta,
  toolResult,
  toolUse,
} from "../../lib/scripted-query.mjs";

const [way, count] = [process.argv[2], Number(process.argv[3])];

// The engine's memory is nobody's to see but its own.
let memory;
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(Instance, given) {
    const instance = new Instance(...given);
    memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
    return instance;
  },
});
await loadEngine();

function* turn(n) {
  yield init({ mcp_servers: [{ name: "db", status: "failed" }] });
  yield messageStart(`m${n}`);
  yield textDelta(`Turn ${n} `);
  yield textDelta("goes on");
  yield assistant(`m${n}`, { type: "text", text: `Turn ${n} goes on` });
  yield toolUse(`t${n}`, "Bash", { command: `run ${n}` });
  // Some are interrupted: their results never come.
  if (n % 4 !== 0) yield toolResult(`t${n}`, `result ${n}`);
  yield result(`Turn ${n}`);
  yield suggestion(`Go on after ${n}`);
}
const eventsOf = (n) => (n % 4 === 0 ? 5 : 6);

/** What is held, in bytes, when all that can go has gone. */
async function held() {
  for (let round = 0; round < 4; round++) {
    globalThis.gc();
    await passed(5);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const samples = [];
const engine = [];
async function sampled(n) {
  if (n % (count / 10) !== 0) return;
  samples.push(await held());
  engine.push(memory.buffer.byteLength);
}

async function* messages() {
  for (let n = 1; n <= count; n++) {
    yield* turn(n);
    await sampled(n);
  }
}

function response(type, write) {
  const encoder = new TextEncoder();
  const given = messages();
  const body = new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await given.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(write(JSON.stringify(value))));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": type } });
}

function hosted() {
  const host = createSessionHost({ query: messages, authorize: "public", maxLogBytes: 100_000 });
  return { url: "https://host.example", fetch: (url, init) => host.fetch(new Request(url, init)) };
}

const ways = {
  query: () => ({ query: messages }),
  ndjson: () => ({ messages: response("application/x-ndjson", (json) => `${json}\n`) }),
  sse: () => ({ messages: response("text/event-stream", (json) => `data: ${json}\n\n`) }),
  host: hosted,
};

let events = 0;
let ends = 0;
for await (const { type } of runQuery(createInputQueue().iterable, ways[way]()).events) {
  events++;
  if (type === "turn-end") ends++;
}
let expected = 1;
for (let n = 1; n <= count; n++) expected += eventsOf(n);
console.log(JSON.stringify({ samples, engine, ends, events, expected }));
