// Follows run after run in one process, and tells what memory is held on the way. Run with --expose-gc.

import { init, openRunStream } from "runwire";
import { run, runId, turns } from "../../lib/run-service.mjs";
import { frame, scriptedRun, text, whole } from "../../lib/scripted-run.mjs";

await init();

const count = Number(process.argv[2]);
const { agentId, apiKey } = run;
const words = Array.from({ length: 20 }, (_, n) => text(n, `${n} ${"word ".repeat(20)}`)).join("");
const tool = frame("tool_call", { callId: "c", name: "t", status: "running", args: { path: "p" } }, "t-0");

/** The ways in which runs are followed, and left. */
const ways = [
  async (service) => {
    const handle = await service.handle();
    const waiting = handle.wait();
    const stop = handle.onDidChangeStatus(() => {});
    for await (const _ of handle.stream());
    await waiting;
    stop();
  },
  async (service) => {
    const handle = await service.handle();
    for await (const _ of handle.stream()) break;
  },
  async (service) => {
    const handle = await service.handle();
    const stream = handle.stream();
    await stream.next();
    await stream.cancel();
    for await (const _ of handle.stream({ from: stream.resumeToken }));
  },
  async (service) => {
    for await (const _ of openRunStream(runId, { agentId, apiKey, fetch: service.fetch }));
  },
  async (service) => {
    const controller = new AbortController();
    const handle = await service.handle({ signal: controller.signal });
    await handle.stream().next();
    const waiting = handle.wait().catch(() => {});
    controller.abort();
    await waiting;
  },
];

/** What is held, in bytes, when all that can go has gone. */
async function held() {
  for (let round = 0; round < 4; round++) {
    globalThis.gc();
    await turns(5);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const samples = [];
for (let at = 1; at <= count; at++) {
  const service = scriptedRun({ stream: (connection) => void connection.send(words, tool, whole) });
  await ways[at % ways.length](service);
  if (service.open > 0) throw new Error(`run ${at} has left ${service.open} open`);
  if (at % (count / 10) === 0) samples.push(await held());
}
const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
console.log(JSON.stringify({ samples, timers }));
