// The demo page, served and opened in a browser, and what tests do with it.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";
import { serve } from "../../www/server.mjs";
import { browserName, openPage, withBrowser } from "../lib/browser.mjs";
import { RunClock } from "../lib/run-clock.mjs";

export const DESKTOP = { width: 1280, height: 860 };
export const PHONE = { width: 360, height: 740, isMobile: true, hasTouch: true };

/** What a browser says of connections that die and requests that are refused, where they are meant to be. */
export const troubled = /^(request failed: |4\d\d: |503: |console: )/;

/** For tests of what only Chromium can be asked: the reason why they are left out elsewhere. */
export const onlyChromium = browserName !== "chromium" && `${browserName} cannot be asked`;

/** One browser for all tests of a file: starting it takes longer than most of them. */
let started;
let close;
let closed;

function browser() {
  started ??= new Promise((resolve, reject) => {
    const wait = new Promise((end) => {
      close = end;
    });
    closed = withBrowser((ready) => {
      resolve(ready);
      return wait;
    });
    closed.catch(reject);
  });
  return started;
}

after(async () => {
  close?.();
  await closed;
});

/**
 * How fast runs go on after something was waited for: a slow machine has all the time that it takes to look at a run,
 * or to do something to it, before that is over. Not so slow that a page misses the heartbeats.
 */
const HELD = 1 / 8;

/** The clocks that the runs of pages go by. */
const clocks = new WeakMap();

/** Wait for something of a page's run; it hardly goes on after that, until the next wait. */
export async function awaiting(page, wait) {
  clocks.get(page).rate = 1;
  try {
    return await wait();
  } finally {
    clocks.get(page).rate = HELD;
  }
}

/**
 * Serve the page, open it, hand it to `work`, and make sure that it had nothing to complain of.
 * @param {(page: import("puppeteer-core").Page, url: string) => Promise<void>} work
 * @param {{ viewport?: import("puppeteer-core").Viewport, expected?: RegExp }} [options] `expected`: what it may
 * complain of
 */
export async function withPage(work, { viewport = DESKTOP, expected = /^$/ } = {}) {
  const clock = new RunClock();
  const server = await serve({ clock });
  // With storage of its own.
  const context = await (await browser()).createBrowserContext();
  try {
    const { page, complaints } = await openPage(context);
    clocks.set(page, clock);
    await page.setViewport(viewport);
    await page.goto(server.url);
    await page.waitForSelector("#scenario option");
    await work(page, server.url);
    // What is let go when the run's last event is there browsers call a failed request.
    const letGo = /^request failed: .*\/(stream|cancel)$/;
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

/** Press one of the buttons that make trouble. */
export async function press(page, fault) {
  await page.click(`[data-fault="${fault}"]`);
}

/** Until so many tools have been called. */
export function untilCalls(page, calls) {
  return awaiting(page, () => page.waitForSelector(`#tools li:nth-child(${calls})`));
}

/** Until the text of an element matches. */
export function untilText(page, selector, pattern, timeout = 60_000) {
  const matches = (place, source) => new RegExp(source).test(document.querySelector(place)?.textContent);
  return awaiting(page, () =>
    page.waitForFunction(matches, { timeout, polling: 20 }, selector, pattern.source),
  );
}

/** Until the run is in that state, as the page words it. */
export function untilState(page, words, timeout) {
  return untilText(page, "#state", new RegExp(`^${words}$`), timeout);
}

/** Until the run is over and all that is said about it at its end has been said. */
export async function untilOver(page, words, timeout) {
  await untilState(page, words, timeout);
  await page.waitForSelector("#checksum:is([data-verdict=same], [data-verdict=different])");
}

export function textOf(page, selector) {
  return page.$eval(selector, (element) => element.textContent);
}

export async function assertWhole(page) {
  assert.match(await textOf(page, "#verdict"), /^all [\d,]+ characters as the scenario$/);
}

/** What the transcript shows of a run's content, without times: two runs that lost nothing have the same. */
export function contentOf(page) {
  return page.$$eval("#transcript > *", (all) =>
    all
      .filter((one) => !one.matches(".dropped, .ending"))
      .map((one) => {
        const copy = one.cloneNode(true);
        for (const time of copy.querySelectorAll("summary, .call-time")) time.remove();
        return copy.textContent;
      }),
  );
}

/** How far the page can be scrolled sideways: not at all, if it is right. */
export function sidewaysScroll(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Kept for people to look at. */
export async function keep(page, name, options) {
  const folder = join(root, "artifacts");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}-${browserName}.png`), ...options });
}
