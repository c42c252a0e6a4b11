// What a worker of this folder's programs answers in workerd.

import { join } from "node:path";
import { bundleWorker, withWorkerd } from "../lib/workerd.mjs";

/**
 * @param {string} dir the project
 * @param {string} program the worker's
 * @param {string} [query] of the request that it answers
 * @returns {Promise<any>} rejects with the worker's own words when it fails
 */
export async function answerOfWorker(dir, program, query = "") {
  const out = join(dir, "out");
  const wasm = await bundleWorker(join(dir, program), out);
  return await withWorkerd(out, wasm, async (url) => {
    const response = await fetch(url + query, { signal: AbortSignal.timeout(60_000) });
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  });
}
