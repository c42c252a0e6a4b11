// Importing does nothing but instantiate: no fetch, timer, random number or clock.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "vite";
import { openPage, withBrowser } from "../lib/browser.mjs";
import { serveFolder } from "../lib/serve.mjs";
import { inProject, printedBy } from "./project.mjs";
import { answerOfWorker } from "./worker.mjs";

function assertQuiet({ calls, exported }) {
  assert.deepEqual(calls, []);
  assert.ok(
    exported.every((count) => count > 0),
    "every entry exports something",
  );
}

const importInNode = (dir) =>
  printedBy(dir, [process.execPath, "--no-warnings", "--require", "./watch.cjs", "import-alone.mjs"]);

test("importing calls nothing in Node", () =>
  inProject("alone-node", async (dir) => assertQuiet(await importInNode(dir))));

test("an import that does call something is seen", () =>
  inProject("alone-noisy", async (dir) => {
    const entry = join(dir, "node_modules", "runwire", "package.json");
    const file = JSON.parse(readFileSync(entry, "utf8")).exports["."].node;
    const path = join(dir, "node_modules", "runwire", file);
    writeFileSync(path, `${readFileSync(path, "utf8")}\nMath.random();`);
    assert.deepEqual((await importInNode(dir)).calls, ["random"]);
  }));

test("importing calls and fetches nothing in Chromium", () =>
  inProject("alone-page", async (dir) => {
    writeFileSync(
      join(dir, "index.html"),
      `<!doctype html><script type="module" src="/import-alone.mjs"></script>`,
    );
    await build({ root: dir, configFile: false, logLevel: "warn" });
    const site = await serveFolder(join(dir, "dist"));
    try {
      await withBrowser(async (browser) => {
        const { page, complaints } = await openPage(browser);
        await page.evaluateOnNewDocument(readFileSync(join(dir, "watch.cjs"), "utf8"));
        await page.goto(site.url);
        const handle = await page.waitForFunction(() => globalThis.outcome, { timeout: 60_000 });
        assertQuiet(await handle.jsonValue());
        assert.deepEqual(complaints, []);
        assert.deepEqual(
          site.requests.filter((path) => path.endsWith(".wasm")),
          [],
        );
      });
    } finally {
      await site.close();
    }
  }));

test("importing is allowed in workerd's global scope", () =>
  inProject("alone-workerd", async (dir) => {
    const exported = await answerOfWorker(dir, "import-alone.mjs");
    assert.ok(exported.every((count) => count > 0));
  }));
