// A page built by Vite from the installed package, without any setting, follows a run in Chromium.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "vite";
import { openPage, withBrowser } from "../lib/browser.mjs";
import { serveFolder } from "../lib/serve.mjs";
import { breakEngine, inProject } from "./project.mjs";
import { assertFollowed } from "./verdict.mjs";

async function buildPage(dir) {
  writeFileSync(
    join(dir, "index.html"),
    `<!doctype html><title>test</title><script type="module" src="/page.mjs"></script>`,
  );
  await build({ root: dir, configFile: false, logLevel: "warn" });
}

/** What the built page followed; rejects with the page's own words when it could not. */
async function followInPage(dir) {
  const site = await serveFolder(join(dir, "dist"));
  try {
    return await withBrowser(async (browser) => {
      const { page, complaints } = await openPage(browser);
      await page.goto(site.url);
      const handle = await page.waitForFunction(() => globalThis.outcome, { timeout: 60_000 });
      const { result, error } = await handle.jsonValue();
      if (error) throw new Error(error);
      assert.deepEqual(complaints, []);
      return { result, requests: site.requests };
    });
  } finally {
    await site.close();
  }
}

test("a run is followed in a Vite-built page in Chromium", () =>
  inProject("vite", async (dir) => {
    await buildPage(dir);
    const { result, requests } = await followInPage(dir);
    await assertFollowed(result);
    const wasm = requests.filter((path) => path.endsWith(".wasm"));
    assert.equal(wasm.length, 2, `the engine and the simulator are each fetched once: ${wasm}`);
  }));

test("a page without its engine is seen to fail in Chromium", () =>
  inProject("vite-broken", async (dir) => {
    breakEngine(dir);
    await buildPage(dir);
    await assert.rejects(followInPage(dir), /WebAssembly|engine/);
  }));
