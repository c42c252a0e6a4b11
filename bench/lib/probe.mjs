// What the engine this runs in can tell about memory. Imported first: it listens for WebAssembly instances.

const memories = [];

function remember(result) {
  // By type, because the build may have shortened the name.
  for (const value of Object.values((result.instance ?? result).exports ?? {})) {
    if (value instanceof WebAssembly.Memory) memories.push(value);
  }
  return result;
}

for (const name of ["instantiate", "instantiateStreaming"]) {
  const original = WebAssembly[name];
  if (original) WebAssembly[name] = (...args) => original.apply(WebAssembly, args).then(remember);
}
WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct: (target, args) => remember(Reflect.construct(target, args)),
});

/** Bytes of all WebAssembly memories: they never shrink, so this is also the most there has been. */
export function wasmBytes() {
  return memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
}

/** The garbage collector: an option of Node and Chromium, a preference of Firefox; the bench sets them all. */
async function collect() {
  if (typeof globalThis.gc === "function") globalThis.gc();
  else if (globalThis.TestUtils?.gc) await globalThis.TestUtils.gc();
  else throw new Error("this engine was started without its garbage collector being reachable");
}

function heapNow() {
  if (globalThis.process?.memoryUsage) return process.memoryUsage().heapUsed;
  if (performance.memory) return performance.memory.usedJSHeapSize;
  // Firefox counts WebAssembly memories here as well.
  const { zone } = performance.mozMemory.gc;
  return zone.gcBytes + zone.mallocBytes - wasmBytes();
}

/** Bytes of the JS heap that are in use once everything unreachable has been collected. */
export async function heapBytes() {
  let least = Number.POSITIVE_INFINITY;
  // Finalizers and weak tables need more than one collection, with a turn of the event loop between.
  for (let round = 0; round < 4; round++) {
    await collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
    least = Math.min(least, heapNow());
  }
  return least;
}
