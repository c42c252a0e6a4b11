// Real headless browsers for tests, and pages that report what went wrong in them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { browsers, chromiumFlags, findChromium, findFirefox } from "../../scripts/lib/browser.mjs";

/** The one that this run of the tests is about. */
export const browserName = process.env.RUNWIRE_TEST_BROWSER ?? browsers[0];

const launches = {
  chromium: () => ({ executablePath: findChromium(), args: chromiumFlags }),
  firefox: () => ({
    browser: "firefox",
    executablePath: findFirefox(),
    // What a page that asks for dark colours gets does not depend on the machine.
    extraPrefsFirefox: { "layout.css.prefers-color-scheme.content-override": 1 },
  }),
};

/**
 * Start a browser with a profile of its own, hand it to `work`, and end it whatever happens.
 * @template T
 * @param {(browser: import("puppeteer-core").Browser) => Promise<T>} work
 * @param {string} [name]
 * @returns {Promise<T>}
 */
export async function withBrowser(work, name = browserName) {
  const launch = launches[name]();
  if (!launch.executablePath) throw new Error(`no ${name} found: npm test installs one`);
  const userDataDir = mkdtempSync(join(tmpdir(), `runwire-${name}-`));
  const browser = await puppeteer.launch({
    ...launch,
    headless: true,
    userDataDir,
    // Starting takes seconds on a busy machine; the default is for an idle one.
    timeout: 120_000,
    protocolTimeout: 120_000,
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
    rmSync(userDataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/**
 * A page whose every complaint is collected: uncaught errors, unhandled rejections, failed requests, console errors.
 * @param {import("puppeteer-core").Browser | import("puppeteer-core").BrowserContext} browser
 * @returns {Promise<{ page: import("puppeteer-core").Page, complaints: string[] }>}
 */
export async function openPage(browser) {
  // Each in a window of its own: in the background a page hardly gets any time.
  const page = await browser.newPage({ type: "window" });
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message ?? error}`));
  page.on("requestfailed", (request) => complaints.push(`request failed: ${request.url()}`));
  page.on("response", (response) => {
    // Browsers ask for it by themselves.
    if (response.status() >= 400 && !response.url().endsWith("/favicon.ico")) {
      complaints.push(`${response.status()}: ${response.url()}`);
    }
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !message.location().url?.endsWith("/favicon.ico")) {
      complaints.push(`console: ${message.text()}`);
    }
  });
  return { page, complaints };
}
