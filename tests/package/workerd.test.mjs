// The installed package follows a run in workerd, with its engine as a module.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { bundleWorker, withWorkerd } from "../lib/workerd.mjs";
import { breakEngine, inProject } from "./project.mjs";
import { assertFollowed } from "./verdict.mjs";

async function followInWorkerd(dir) {
  const out = join(dir, "out");
  const wasm = await bundleWorker(join(dir, "worker.mjs"), out);
  return await withWorkerd(out, wasm, async (url) => {
    const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  });
}

test("a run is followed in workerd", () =>
  inProject("workerd", async (dir) => assertFollowed(await followInWorkerd(dir))));

test("a worker without its engine is seen to fail in workerd", () =>
  inProject("workerd-broken", async (dir) => {
    breakEngine(dir);
    await assert.rejects(followInWorkerd(dir), /WebAssembly|engine|wasm/i);
  }));
