// The demo page, served and opened in a browser, and what tests do with it.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
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
 * How fast runs go on while the page is looked at or something is done to it: a slow machine has all the time that this
 * takes before the run is over. Not so slow that the page misses the heartbeats.
 */
export const HELD = 1 / 8;

/** How fast they go on when there is nothing more to be done to them. */
export const TO_THE_END = 5;

/** So far, in milliseconds, a run goes on before the page is looked at again, however long that takes. */
const SLICE = 100;

/** The longest wait, in milliseconds. */
const PATIENCE = 150_000;

/** The clocks that the runs of pages go by. */
const clocks = new WeakMap();

/**
 * Until `condition`, called in the page, gives something true. Meanwhile the run goes on, and hardly after that.
 * @param {import("puppeteer-core").Page} page
 * @param {(...args: any[]) => unknown} condition
 * @param {{ args?: unknown[], rate?: number }} [options] `rate`: how fast the run goes on
 */
export async function until(page, condition, { args = [], rate = 1 } = {}) {
  const clock = clocks.get(page);
  const hold = () => {
    clock.rate = HELD;
  };
  let held;
  const end = performance.now() + PATIENCE;
  while (!(await page.evaluate(condition, ...args))) {
    if (performance.now() > end) throw new Error(`It did not come to that: ${condition} ${args}`);
    clearTimeout(held);
    clock.rate = rate;
    held = setTimeout(hold, SLICE);
    await delay(20);
  }
  clearTimeout(held);
  hold();
}

/**
 * Serve the page, open it, hand it to `work`, and make sure that it had nothing to complain of.
 * @param {(page: import("puppeteer-core").Page, url: string) => Promise<void>} work
 * @param {{ viewport?: import("puppeteer-core").Viewport, expected?: RegExp, view?: "run" | "chat" }} [options]
 * `expected`: what it may complain of
 */
export async function withPage(work, { viewport = DESKTOP, expected = /^$/, view = "run" } = {}) {
  const clock = new RunClock();
  clock.rate = HELD;
  const server = await serve({ clock });
  // With storage of its own.
  const context = await (await browser()).createBrowserContext();
  try {
    const { page, complaints } = await openPage(context);
    clocks.set(page, clock);
    await page.setViewport(viewport);
    await page.goto(view === "run" ? server.url : `${server.url}#${view}`);
    await page.waitForSelector("#scenario option");
    await work(page, server.url);
    // What is let go when all of it is there browsers call a failed request.
    const letGo = /^request failed: .*\/(stream|cancel|sessions(\/[\w-]+\/\w+)?)$/;
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

/** Until there is an element. */
export function untilShown(page, selector, options) {
  return until(page, (place) => document.querySelector(place) !== null, { args: [selector], ...options });
}

/** Until so many tools have been called. */
export function untilCalls(page, calls) {
  return untilShown(page, `#tools li:nth-child(${calls})`);
}

/** Until the text of an element matches. */
export function untilText(page, selector, pattern, options) {
  const matches = (place, source) => new RegExp(source).test(document.querySelector(place)?.textContent);
  return until(page, matches, { args: [selector, pattern.source], ...options });
}

/** Until the run is in that state, as the page words it. */
export function untilState(page, words, options) {
  return untilText(page, "#state", new RegExp(`^${words}$`), options);
}

/** Until the run is over and all that is said about it at its end has been said. */
export async function untilOver(page, words) {
  // One that is being cancelled must not be over before.
  await untilState(page, words, { rate: words === "Cancelled" ? HELD : TO_THE_END });
  await untilShown(page, "#checksum:is([data-verdict=same], [data-verdict=different])");
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

/** Takes down all that an element says from now on, in `globalThis.said`. */
export function remember(page, selector) {
  return page.evaluate((place) => {
    globalThis.said = [];
    const element = document.querySelector(place);
    const note = () => globalThis.said.push(element.textContent);
    new MutationObserver(note).observe(element, { childList: true, characterData: true, subtree: true });
  }, selector);
}

/** Takes down how long the text of an element was at each frame; gives how many lengths that were so far. */
export async function watchGrowth(page, selector) {
  await page.evaluate((place) => {
    globalThis.lengths = new Set();
    const look = () => {
      globalThis.lengths.add(document.querySelector(place).textContent.length);
      requestAnimationFrame(look);
    };
    look();
  }, selector);
  return () => page.evaluate(() => globalThis.lengths.size);
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
