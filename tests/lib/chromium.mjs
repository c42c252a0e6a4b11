// A real headless Chromium for tests, and pages that report what went wrong in them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { chromiumFlags, findChromium } from "../../scripts/lib/browser.mjs";

/**
 * Start Chromium with a profile of its own, hand it to `work`, and end it whatever happens.
 * @template T
 * @param {(browser: import("puppeteer-core").Browser) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withChromium(work) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("no Chromium found: npm test installs one, or set CHROME_BIN");
  const userDataDir = mkdtempSync(join(tmpdir(), "runwire-chromium-"));
  const browser = await puppeteer.launch({
    executablePath,
    userDataDir,
    args: chromiumFlags,
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
 * @param {import("puppeteer-core").Browser} browser
 * @returns {Promise<{ page: import("puppeteer-core").Page, complaints: string[] }>}
 */
export async function openPage(browser) {
  const page = await browser.newPage();
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
