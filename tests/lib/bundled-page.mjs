// A program bundled from the built package, in a page of a real browser on loopback.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { distDir, root } from "../../scripts/lib/paths.mjs";
import { openPage, withBrowser } from "./browser.mjs";

/**
 * Opens a page whose program is `entry`, and gives what the program sets `globalThis.outcome` to, `{ result }` or
 * `{ error }`, once it has. An error or a complaint of the page's (an unhandled rejection among them) rejects.
 * @param {string} entry path of the program
 * @param {object} [options]
 * @param {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => void} [options.answer]
 *   answers what is not the page's own
 * @param {(page: import("puppeteer-core").Page) => Promise<void>} [options.before] runs before the page is opened
 * @param {string[]} [options.expected] complaints that are part of the test
 */
export async function outcomeInPage(entry, { answer, before, expected = [] } = {}) {
  const files = await bundle(entry);
  const server = createServer((request, response) => {
    const file = files.get(request.url);
    if (file) response.writeHead(200, { "content-type": file.type }).end(file.body);
    else if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await withBrowser(async (browser) => {
      const { page, complaints } = await openPage(browser);
      await before?.(page);
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      const handle = await page.waitForFunction(() => globalThis.outcome, { timeout: 120_000 });
      const { result, error } = await handle.jsonValue();
      if (error) throw new Error(error);
      const unexpected = complaints.filter((complaint) => !expected.some((text) => complaint.includes(text)));
      if (unexpected.length > 0) throw new Error(`The page complained:\n${unexpected.join("\n")}`);
      return result;
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["browser"],
    loader: { ".json": "json" },
    write: false,
    logLevel: "error",
  });
  const wasm = (...path) => ({ type: "application/wasm", body: readFileSync(join(distDir, ...path)) });
  return new Map([
    [
      "/",
      {
        type: "text/html; charset=utf-8",
        body: `<!doctype html><title>test</title><script type="module" src="/page/page.js"></script>`,
      },
    ],
    ["/page/page.js", { type: "text/javascript; charset=utf-8", body: outputFiles[0].contents }],
    // Where the modules look for them: beside their own folder, which is the bundle's.
    ["/engine/engine.wasm", wasm("engine", "engine.wasm")],
    ["/page/simulator.wasm", wasm("testing", "simulator.wasm")],
  ]);
}
