// The page of field-reports.test.mjs, and the worker in it: what `ways` says, of a run on another origin.

import { openRunStream } from "runwire";
import { report } from "./report.mjs";

/** How many tool calls a run's stream gave, and how it failed. */
async function followed(options) {
  let count = 0;
  try {
    for await (const { type } of openRunStream(options.runId, { apiKey: "key-of-the-test", ...options }))
      if (type === "tool_call") count++;
    return { count };
  } catch ({ name, code, message }) {
    return { count, failure: { name, code, message } };
  }
}

if (globalThis.document) {
  report(async () => {
    const run = await (await fetch("/run")).json();
    const retry = { attempts: 3, maxDelayMs: 300 };
    const worker = new Worker(import.meta.url, { type: "module" });
    const inWorker = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    const seen = {};
    for (const lastEventIdIn of ["header", "query"])
      seen[lastEventIdIn] = await followed({ ...run, retry, lastEventIdIn });
    worker.postMessage({ ...run, retry, lastEventIdIn: "query" });
    seen.worker = await inWorker;
    return seen;
  });
} else {
  globalThis.onmessage = async ({ data }) => globalThis.postMessage(await followed(data));
}
