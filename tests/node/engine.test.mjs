// The engine's life: loading it, and what happens when it traps.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { promisify } from "node:util";
import { Agent, EngineCrashedError, init, MessageDecoder, RunwireError } from "runwire";
import { EventStreamDecoder, EventStreamDecoderStream } from "runwire/sse";
import { bodyOf, ending, fetchOf, frames, run, runId, textOf, turns } from "../lib/run-service.mjs";
import { scriptedRun, text, whole } from "../lib/scripted-run.mjs";
import { marked, trappingEngine } from "../lib/trapping-engine.mjs";
import { unhandledDuring } from "../lib/unhandled.mjs";

const bytes = trappingEngine();
const encode = (text) => new TextEncoder().encode(text);
const event = { event: "message", data: "a", id: "" };

/** A fresh instance of the engine that traps. */
const freshEngine = async () => init(new WebAssembly.Module(bytes));

const decoders = {
  EventStreamDecoder: () => new EventStreamDecoder(),
  MessageDecoder: () => new MessageDecoder({ agentId: "a", runId: "r" }),
};

for (const [name, make] of Object.entries(decoders)) {
  test(`a trap in ${name} retires the instance, and the next object gets a new one`, async () => {
    await freshEngine();
    const [decoder, other] = [make(), new EventStreamDecoder()];
    decoder.push(encode("data: a\n\n"));
    const crashed = (error) => {
      assert.ok(error instanceof EngineCrashedError && error instanceof RunwireError);
      assert.equal(error.name, "EngineCrashedError");
      assert.equal(error.code, "engine_crashed");
      assert.ok(error.cause instanceof WebAssembly.RuntimeError);
      return true;
    };
    assert.throws(() => decoder.push(marked()), crashed);
    for (const used of [
      () => decoder.push(encode("data: a\n\n")),
      () => decoder.end(),
      () => other.push(encode("data: a\n\n")),
      () => other.lastEventId,
      () => other.reconnectionTime,
      () => other.end(),
    ]) {
      assert.throws(used, crashed);
    }
    assert.equal(make().push(encode("data: a\n\n")).length, 1);
    assert.deepEqual(new EventStreamDecoder().push(encode("data: a\n\n")), [event]);
  });
}

test("the mark alone is harmless in the engine as built", () => {
  const program = `
    import { EventStreamDecoder } from "runwire/sse";
    import { marked } from "../lib/trapping-engine.mjs";
    console.log(new EventStreamDecoder().push(marked()).length);
  `;
  return inProcess(program).then(({ stdout }) => assert.equal(stdout, "0\n"));
});

/** A program in a process of its own. */
function inProcess(program, ...flags) {
  const args = [...flags, "--input-type=module", "--eval", program];
  return promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
}

/** Holds what a promise comes to. */
const settled = (promise) =>
  promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );

test("a trap while a stream is read rejects every pending promise and stream, and the next call works", async () => {
  await freshEngine();
  const bodies = [];
  const held = fetchOf(() => {
    bodies.push(bodyOf([frames(0, 1)]));
    return bodies.at(-1).stream;
  });
  const handle = await Agent.getRun(runId, { ...run, fetch: held.fetch });
  const streams = [handle.stream(), handle.stream()];
  const [iterated, reader] = [streams[0], streams[1].getReader()];
  assert.equal(textOf((await iterated.next()).value), 0);
  assert.equal(textOf((await reader.read()).value), 0);
  const asked = [];
  const never = (_, init) => {
    asked.push(init.signal);
    return new Promise(() => {});
  };
  const pending = [
    settled(iterated.next()),
    settled(reader.read()),
    settled(Agent.getRun(runId, { ...run, fetch: never })),
  ];
  while (asked.length === 0) await turns(1);

  const trap = fetchOf(() => new ReadableStream({ start: (body) => body.enqueue(marked()) }));
  const trapping = await Agent.getRun(runId, { ...run, fetch: trap.fetch });
  pending.push(settled(trapping.stream().next()));
  for (const { error } of await Promise.all(pending)) {
    assert.ok(error instanceof EngineCrashedError, String(error));
    assert.ok(error.cause instanceof WebAssembly.RuntimeError);
  }
  // The handle is no part of the engine: its next stream has a new instance.
  const again = fetchOf(() => bodyOf([frames(0, 2) + ending]).stream);
  const works = await Agent.getRun(runId, { ...run, fetch: again.fetch });
  const texts = [];
  for await (const message of works.stream()) texts.push(textOf(message));
  assert.deepEqual(texts, [0, 1]);
  assert.equal(textOf((await handle.stream().next()).value), 0);
});

test("a trap while an answer is handed over rejects what waits for it", async () => {
  await freshEngine();
  const held = fetchOf(() => bodyOf([frames(0, 1)]).stream);
  const stream = (await Agent.getRun(runId, { ...run, fetch: held.fetch })).stream();
  await stream.next();
  const pending = settled(stream.next());
  const answer = async () => new Response(marked(), { status: 400 });
  await assert.rejects(Agent.getRun(runId, { ...run, fetch: answer }), EngineCrashedError);
  assert.ok((await pending).error instanceof EngineCrashedError);
});

test("a trap rejects who waits for the run's end or its cancel, and both can be asked for again", async () => {
  await freshEngine();
  let answer = () => new Promise(() => {});
  const service = scriptedRun({ cancel: () => answer() });
  const handle = await service.handle();
  const pending = [settled(handle.wait()), settled(handle.cancel())];
  await turns();
  assert.deepEqual([service.count("stream"), service.count("cancel")], [1, 1]);
  assert.throws(() => new EventStreamDecoder().push(marked()), EngineCrashedError);
  for (const { error } of await Promise.all(pending)) assert.ok(error instanceof EngineCrashedError, error);
  await turns();
  assert.equal(service.open, 0, "nothing is left open");

  answer = () => ({});
  const [result, cancelled] = [handle.wait(), handle.cancel()];
  await turns();
  service.connections.at(-1).send(whole.replace("FINISHED", "CANCELLED"));
  await cancelled;
  assert.equal((await result).status, "cancelled");
});

test("a trap while wait() and cancel() are pending rejects both, and what is asked then begins anew", async () => {
  await freshEngine();
  const never = new Promise(() => {});
  let isNew = false;
  const service = scriptedRun({
    record: (n) => (n === 1 || isNew ? {} : never),
    stream: (connection) => void (isNew && connection.send(text(1), whole)),
    cancel: () => (isNew ? {} : never),
  });
  const handle = await service.handle();
  const changes = [];
  const stop = handle.onDidChangeStatus((value) => changes.push(value));
  const controller = new AbortController();
  const { signal } = controller;
  const pending = { wait: handle.wait(), abortable: handle.wait({ signal }), cancel: handle.cancel() };
  const outcomes = Object.values(pending).map(settled);
  await turns();
  assert.deepEqual([service.count("stream"), service.count("cancel"), service.open], [1, 1, 2]);

  const complaints = await unhandledDuring(async () => {
    assert.throws(() => new EventStreamDecoder().push(marked()), EngineCrashedError);
    for (const { error } of await Promise.all(outcomes)) {
      assert.ok(error instanceof EngineCrashedError, String(error));
    }
    await turns();
  });
  assert.deepEqual(complaints, []);
  assert.equal(service.open, 0, "requests and connections are let go");
  assert.equal(getEventListeners(signal, "abort").length, 0);
  assert.deepEqual([handle.status, changes], ["running", []]);

  isNew = true;
  assert.equal((await handle.wait()).status, "finished");
  assert.deepEqual(changes, ["finished"], "who listens is told, too");
  stop();
  await turns();
  assert.equal(service.open, 0);
});

test("a trap lets go of the connections of the instance that it retires", async () => {
  await freshEngine();
  const bodies = [];
  const held = fetchOf(() => {
    bodies.push(bodyOf([frames(0, 1)]));
    return bodies.at(-1).stream;
  });
  const handle = await Agent.getRun(runId, { ...run, fetch: held.fetch });
  const stream = handle.stream();
  await stream.next();
  const pending = settled(stream.next());
  assert.throws(() => new EventStreamDecoder().push(marked()), EngineCrashedError);
  assert.ok((await pending).error instanceof EngineCrashedError);
  await turns();
  assert.ok(held.streams[0].init.signal.aborted, "the request is aborted");
});

test("a trap fails an EventStreamDecoderStream, and its source is cancelled", async () => {
  await freshEngine();
  const source = bodyOf(["data: a\n\n"]);
  const chunks = new TransformStream();
  const reader = chunks.readable.pipeThrough(new EventStreamDecoderStream()).getReader();
  const writer = chunks.writable.getWriter();
  writer.write(encode("data: a\n\n"));
  assert.deepEqual((await reader.read()).value, event);
  const read = settled(reader.read());
  const written = settled(writer.write(marked()).then(() => writer.closed));
  assert.ok((await read).error instanceof EngineCrashedError);
  assert.ok((await written).error instanceof EngineCrashedError);
  const after = source.stream.pipeThrough(new EventStreamDecoderStream()).getReader();
  assert.deepEqual((await after.read()).value, event);
  await after.cancel();
});

test("a trap, wherever it happens, is told once and ends no process", async () => {
  const program = `
    import { Agent, init } from "runwire";
    import { EventStreamDecoder } from "runwire/sse";
    import { fetchOf, run, runId } from "../lib/run-service.mjs";
    import { marked, trappingEngine } from "../lib/trapping-engine.mjs";
    const complaints = [];
    process.on("uncaughtException", (error) => complaints.push("uncaught " + error));
    process.on("unhandledRejection", (error) => complaints.push("unhandled " + error));
    const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
    const outcomes = [];

    await init(new WebAssembly.Module(trappingEngine()));
    // In a promise job: nobody is there to catch what it throws.
    const service = fetchOf(() => new ReadableStream({ start: (body) => body.enqueue(marked()) }));
    const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch });
    await handle.stream().next().catch(({ name }) => outcomes.push(name));
    for (let at = 0; at < 5; at++) await turn();
    outcomes.push(complaints.splice(0));

    // In a call, with objects of the retired instance left to the garbage collector.
    const kept = new EventStreamDecoder();
    (() => {
      const many = Array.from({ length: 100 }, () => new EventStreamDecoder());
      try { many[0].push(marked()); } catch ({ name }) { outcomes.push(name); }
    })();
    for (let at = 0; at < 20; at++) { globalThis.gc(); await turn(); }
    try { kept.end(); } catch ({ name }) { outcomes.push(name); }
    outcomes.push(complaints.splice(0));
    console.log(JSON.stringify(outcomes));
    process.exit();
  `;
  const { stdout } = await inProcess(program, "--expose-gc");
  assert.deepEqual(JSON.parse(stdout), [
    "EngineCrashedError",
    [],
    "EngineCrashedError",
    "EngineCrashedError",
    [],
  ]);
});

test("init takes a module, bytes, a response, an address, and promises of those", async () => {
  const response = () => new Response(bytes, { headers: { "content-type": "application/wasm" } });
  const address = `data:application/wasm;base64,${Buffer.from(bytes).toString("base64")}`;
  const inputs = {
    module: new WebAssembly.Module(bytes),
    Uint8Array: bytes,
    ArrayBuffer: bytes.slice().buffer,
    response: response(),
    "a response of another type": new Response(bytes),
    "a promise of a response": Promise.resolve(response()),
    "a promise of bytes": Promise.resolve(bytes),
    address,
    URL: new URL(address),
  };
  for (const [name, input] of Object.entries(inputs)) {
    await init(input);
    const decoder = new EventStreamDecoder();
    assert.deepEqual(decoder.push(encode("data: a\n\n")), [event], name);
    // It is the one that was given.
    assert.throws(() => decoder.push(marked()), EngineCrashedError, name);
  }
});

test("init rejects what is no engine, and what was loaded before goes on", async () => {
  await freshEngine();
  for (const [input, ErrorClass] of [
    [() => Uint8Array.of(1, 2, 3), WebAssembly.CompileError],
    [() => Response.error(), Error],
    [() => new Response("not found", { status: 404 }), Error],
    [() => Promise.reject(new RangeError("mine")), RangeError],
    [() => ({}), TypeError],
  ]) {
    await assert.rejects(init(input()), ErrorClass);
    assert.deepEqual(new EventStreamDecoder().push(encode("data: a\n\n")), [event]);
  }
});
