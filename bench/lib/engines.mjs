// Node, Chromium and Firefox: how each is started, and how a case is run in it.

import { fork } from "node:child_process";
import { join } from "node:path";
import { chromiumFlags, findChromium, findFirefox } from "../../scripts/lib/browser.mjs";
import { root } from "../../scripts/lib/paths.mjs";

/** A case takes minutes on a slow machine. */
const CASE_TIMEOUT_MS = 30 * 60_000;

export const engines = {
  node: {
    find: () => process.execPath,
    version: async () => `Node ${process.versions.node}`,
    run: runInNode,
  },
  chromium: {
    find: findChromium,
    launch: (executablePath) => ({
      executablePath,
      args: [...chromiumFlags, "--js-flags=--expose-gc", "--enable-precise-memory-info"],
    }),
  },
  firefox: {
    find: findFirefox,
    launch: (executablePath) => ({
      browser: "firefox",
      executablePath,
      extraPrefsFirefox: {
        "dom.enable_memory_stats": true,
        "dom.testing.testutils.enabled": true,
        // A page that is driven is debugged, and then every promise takes down the stack it was made on, which is
        // most of what it costs. Nobody's pages are.
        "javascript.options.asyncstack": false,
        "privacy.reduceTimerPrecision": false,
      },
    }),
  },
};

for (const engine of [engines.chromium, engines.firefox]) {
  engine.run = (name, options, url) => inBrowser(engine, (page) => runInPage(page, name, options, url));
  engine.version = () => inBrowser(engine, (page) => page.browser().version());
}

/** A process for each case, so that no case measures what another left behind. */
function runInNode(name, options) {
  return new Promise((resolve, reject) => {
    const file = join(root, "bench", "lib", "node-child.mjs");
    const child = fork(file, { execArgv: ["--expose-gc"], stdio: ["ignore", "inherit", "inherit", "ipc"] });
    child.once("message", ({ rows, error }) => (error ? reject(new Error(error)) : resolve(rows)));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the process of ${name} ended with code ${code}`)));
    child.send({ name, options });
  });
}

/** The same for browsers: a browser with an empty profile for each case. */
async function inBrowser(engine, work) {
  const { default: puppeteer } = await import("puppeteer-core");
  const browser = await puppeteer.launch({
    headless: true,
    protocolTimeout: CASE_TIMEOUT_MS,
    ...engine.launch(engine.find()),
  });
  try {
    return await work(await browser.newPage());
  } finally {
    await browser.close();
  }
}

async function runInPage(page, name, options, url) {
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(url);
  try {
    await page.waitForFunction("globalThis.runCase", { timeout: 60_000 });
    return await page.evaluate((...args) => globalThis.runCase(...args), name, options);
  } catch (error) {
    throw new Error([error.message, ...problems].join("\n"));
  }
}
