// The installed package follows a run in workerd, with its engine as a module.

import assert from "node:assert/strict";
import { test } from "node:test";
import { breakEngine, inProject } from "./project.mjs";
import { assertFollowed } from "./verdict.mjs";
import { answerOfWorker } from "./worker.mjs";

const followInWorkerd = (dir) => answerOfWorker(dir, "worker.mjs");

test("a run is followed in workerd", () =>
  inProject("workerd", async (dir) => assertFollowed(await followInWorkerd(dir))));

test("a worker without its engine is seen to fail in workerd", () =>
  inProject("workerd-broken", async (dir) => {
    breakEngine(dir);
    await assert.rejects(followInWorkerd(dir), /WebAssembly|engine|wasm/i);
  }));
