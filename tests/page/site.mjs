// The demo page, served and opened in Chromium, and what tests do with it.

import assert from "node:assert/strict";
import { after } from "node:test";
import { serve } from "../../www/server.mjs";
import { openPage, withChromium } from "../lib/chromium.mjs";

export const DESKTOP = { width: 1280, height: 860 };
export const PHONE = { width: 360, height: 740, isMobile: true, hasTouch: true };

/** One browser for all tests of a file: starting it takes longer than most of them. */
let closing = () => {};
let closed;
const browser = new Promise((resolve, reject) => {
  closed = withChromium((started) => {
    resolve(started);
    return new Promise((close) => {
      closing = close;
    });
  });
  closed.catch(reject);
});
after(async () => {
  closing();
  await closed;
});

/**
 * Serve the page, open it, hand it to `work`, and make sure that it had nothing to complain of.
 * @param {(page: import("puppeteer-core").Page, url: string) => Promise<void>} work
 * @param {{ viewport?: import("puppeteer-core").Viewport, expected?: RegExp }} [options] `expected`: what it may
 * complain of
 */
export async function withPage(work, { viewport = DESKTOP, expected = /^$/ } = {}) {
  const server = await serve();
  // With storage of its own.
  const context = await (await browser).createBrowserContext();
  try {
    const { page, complaints } = await openPage(context);
    await page.setViewport(viewport);
    await page.goto(server.url);
    await page.waitForSelector("#scenario option");
    await work(page, server.url);
    // A run's stream is let go when its last event is there, which browsers call a failed request.
    const letGo = /^request failed: .*\/stream$/;
    const real = complaints.filter((text) => !letGo.test(text) && !expected.test(text));
    assert.deepEqual(real, []);
  } finally {
    await context.close();
    await server.close();
  }
}

/** Choose a scenario and a pace, and press Start. */
export async function start(page, { scenario = "coding", pace = "20" } = {}) {
  await page.select("#scenario", scenario);
  await page.click(`label[for="pace-${pace}"]`);
  await page.click("#start");
}

/** Until the run is in that state, as the page words it. */
export function untilState(page, words, timeout = 60_000) {
  const reached = (text) => document.querySelector("#state").textContent === text;
  return page.waitForFunction(reached, { timeout, polling: 50 }, words);
}

/** Until the run is over and all that is said about it at its end has been said. */
export async function untilOver(page, words, timeout) {
  await untilState(page, words, timeout);
  await page.waitForSelector("#checksum:is([data-verdict=same], [data-verdict=different])");
}

export function textOf(page, selector) {
  return page.$eval(selector, (element) => element.textContent);
}

/** How far the page can be scrolled sideways: not at all, if it is right. */
export function sidewaysScroll(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
