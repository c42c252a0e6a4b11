// Every way in which following a run comes to its end, for Node and for pages.

import { openRunStream } from "runwire";
import { run, runId, turns } from "./run-ids.mjs";
import { refusal, scriptedRun, text, whole } from "./scripted-run.mjs";

/** A run that says one thing and then waits, unless it `refuses` or `hangs`. */
export function leavableRun() {
  const service = scriptedRun({
    stream: (connection) => {
      if (service.refuses) return refusal(403, "role_forbidden");
      if (service.hangs) return new Promise(() => {});
      return void connection.send(text(1));
    },
  });
  return service;
}

/** Resolves when the promise has been rejected, with an error of that name. */
function rejection(promise, name) {
  return promise.then(
    () => {
      throw new Error("It was not rejected");
    },
    (error) => {
      if (name && error.name !== name) throw error;
    },
  );
}

/** Reads the first message, and lets the service go on to the run's end if that is wanted. */
async function first(stream) {
  const { value } = await stream.next();
  if (value.type !== "assistant") throw new Error(`It began with ${value.type}`);
  return stream;
}

const end = (service) => {
  for (const connection of service.connections) if (connection.open) connection.send(whole);
};
const openStream = (service, signal) =>
  openRunStream(runId, { agentId: run.agentId, apiKey: run.apiKey, fetch: service.fetch, signal });

/** Each gets the run's handle, what serves it, and a signal with its controller. */
export const ways = {
  async "the end of a stream"({ handle, service, signal }) {
    const stream = await first(handle.stream({ signal }));
    end(service);
    for await (const _ of stream);
  },
  async break({ handle, signal }) {
    for await (const _ of handle.stream({ signal })) break;
  },
  "cancel() of a stream": async ({ handle, signal }) => (await first(handle.stream({ signal }))).cancel(),
  async "an abort of a stream"({ handle, signal, controller }) {
    const stream = await first(handle.stream({ signal }));
    controller.abort();
    await rejection(stream.next(), "AbortError");
  },
  async "an abort of a stream with a read pending"({ handle, signal, controller }) {
    const stream = await first(handle.stream({ signal }));
    const pending = rejection(stream.next(), "AbortError");
    controller.abort();
    await pending;
  },
  "Symbol.asyncDispose": async ({ handle, signal }) => {
    const stream = await first(handle.stream({ signal }));
    await (Symbol.asyncDispose ? stream[Symbol.asyncDispose]() : stream.return());
  },
  async "the end of openRunStream"({ service, signal }) {
    const stream = await first(openStream(service, signal));
    end(service);
    for await (const _ of stream);
  },
  async "break in openRunStream"({ service, signal }) {
    for await (const _ of openStream(service, signal)) break;
  },
  async "an abort of openRunStream"({ service, signal, controller }) {
    const stream = await first(openStream(service, signal));
    controller.abort();
    await rejection(stream.next());
  },
  async "the end of wait()"({ handle, service, signal }) {
    const waiting = handle.wait({ signal });
    await turns();
    end(service);
    await waiting;
  },
  async "an abort of wait()"({ handle, signal, controller }) {
    const waiting = rejection(handle.wait({ signal }), "AbortError");
    await turns();
    controller.abort();
    await waiting;
  },
  async "the last unsubscribe"({ handle }) {
    const stops = [handle.onDidChangeStatus(() => {}), handle.onDidChangeConnection(() => {})];
    await turns();
    for (const stop of stops) stop();
  },
  async "the end, with all of them"({ handle, service, signal }) {
    const stop = handle.onDidChangeStatus(() => {});
    const waiting = handle.wait({ signal });
    const streams = [handle.stream({ signal }), handle.stream({ signal })];
    await Promise.all(streams.map(first));
    end(service);
    for (const stream of streams) for await (const _ of stream);
    await waiting;
    stop();
  },
  async "an abort, with all of them"({ handle, signal, controller }) {
    const stop = handle.onDidChangeStatus(() => {});
    const waiting = rejection(handle.wait({ signal }));
    const streams = [handle.stream({ signal }), handle.stream({ signal })];
    await Promise.all(streams.map(first));
    controller.abort();
    for (const stream of streams) await rejection(stream.next());
    await waiting;
    stop();
  },
  async "a cancel"({ handle, service, signal }) {
    const stream = await first(handle.stream({ signal }));
    const cancelling = handle.cancel();
    await turns();
    end(service);
    for await (const _ of stream);
    await cancelling;
  },
  async "an abort of cancel()"({ handle, service, signal, controller }) {
    const stream = await first(handle.stream());
    const cancelling = rejection(handle.cancel({ signal }), "AbortError");
    await turns();
    controller.abort();
    await cancelling;
    end(service);
    for await (const _ of stream);
  },
  async "a cancel with a signal"({ handle, service, signal }) {
    const stream = await first(handle.stream());
    const cancelling = handle.cancel({ signal });
    await turns();
    end(service);
    for await (const _ of stream);
    await cancelling;
  },
  async "a refusal"({ service, signal }) {
    service.refuses = true;
    await rejection(openStream(service, signal).next());
    service.refuses = false;
  },
  async "an abort while the request is under way"({ handle, service, signal, controller }) {
    service.hangs = true;
    const pending = rejection(handle.stream({ signal }).next());
    await turns();
    if (service.open !== 1) throw new Error(`${service.open} requests are under way`);
    controller.abort();
    await pending;
  },
  async "an abort while the next attempt is waited for"({ handle, service, signal, controller }) {
    const stream = await first(handle.stream({ signal }));
    const pending = rejection(stream.next());
    service.connections[0].fail();
    await turns();
    controller.abort();
    await pending;
  },
};
