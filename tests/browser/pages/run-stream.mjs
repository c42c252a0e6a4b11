// The page of run-stream.test.mjs: follows the run that the page's own server serves, and tells what it saw.

import { Agent, init } from "runwire";
import { agentId, runId, textOf } from "../../lib/run-ids.mjs";
import { report } from "./report.mjs";

const options = { runtime: "cloud", agentId, apiKey: "key-of-the-test", baseUrl: "" };
const getRun = (more) => Agent.getRun(runId, { ...options, ...more });
const seen = {};

/** Where the server's connections stand: one that is left must be closed there. */
async function openAfter(leave) {
  const { opened } = await (await fetch("/connections")).json();
  const at = await leave();
  // The server answers when that many connections have closed.
  const response = await fetch(`/closed?count=${opened + 1}`);
  await response.text();
  return performance.now() - at;
}

const ways = {
  async break(stream) {
    for await (const _ of stream) break;
  },
  async return(stream) {
    await stream.next();
    await stream.return();
  },
  async cancel(stream) {
    await stream.next();
    await stream.cancel();
  },
  async reader(stream) {
    const reader = stream.getReader();
    for (let read = 0; read < 3; read++) await reader.read();
    const pending = reader.read();
    await reader.cancel();
    if (!(await pending).done) throw new Error("a read of a cancelled reader gave a value");
  },
  async tee(stream) {
    const readers = stream.tee().map((half) => half.getReader());
    await Promise.all(readers.map((reader) => reader.read()));
    await Promise.all(readers.map((reader) => reader.cancel()));
  },
  async abort(stream, controller) {
    await stream.next();
    controller.abort(new Error("mine"));
    await stream.next().then(
      () => Promise.reject(new Error("a read after an abort gave a value")),
      ({ message }) => message === "mine" || Promise.reject(new Error(message)),
    );
  },
};

await report(async () => {
  seen.iterable = Symbol.asyncIterator in ReadableStream.prototype;
  // Nothing has been loaded: the first call does it.
  const run = await getRun();
  seen.iterated = [];
  for await (const message of run.stream()) {
    seen.iterated.push(textOf(message));
    if (seen.iterated.length === 3) break;
  }
  const reader = run.stream().getReader();
  seen.read = [textOf((await reader.read()).value), textOf((await reader.read()).value)];
  await reader.cancel();
  const overlapping = run.stream();
  const results = await Promise.all([0, 1, 2].map(() => overlapping.next()));
  seen.overlapping = results.map(({ value }) => textOf(value));
  await overlapping.return();

  await init();
  seen.closing = {};
  for (const [name, leave] of Object.entries(ways)) {
    const times = [];
    for (let attempt = 0; attempt < 5 && !(times.at(-1) < 100); attempt++) {
      times.push(
        await openAfter(async () => {
          const controller = new AbortController();
          const handle = await getRun({ signal: controller.signal });
          await leave(handle.stream(), controller);
          return performance.now();
        }),
      );
    }
    seen.closing[name] = Math.min(...times);
  }

  // A response of another realm, as an iframe's fetch gives it.
  const frame = document.createElement("iframe");
  document.body.append(frame);
  const foreign = frame.contentWindow;
  const elsewhere = await getRun({ fetch: (url, init) => foreign.fetch(url, init) });
  const { value } = await elsewhere.stream().next();
  seen.foreign = [foreign.Response === Response, textOf(value)];

  seen.refused = await getRun({ baseUrl: "/refused" }).then(
    () => undefined,
    ({ name, code, status, requestId, message }) => ({ name, code, status, requestId, message }),
  );
  return seen;
});
