// The page's session chat, and what tests do with it.

import { TO_THE_END, until, untilText, withPage } from "./site.mjs";

/** As {@link withPage}, with the session begun. */
export function withChat(work, options) {
  return withPage(
    async (page, url) => {
      await untilBegun(page);
      await work(page, url);
    },
    { view: "chat", ...options },
  );
}

/** Until the session is there and its events are read. */
export async function untilBegun(page) {
  await untilText(page, "#chat-state", /^Ready$/);
  await untilText(page, "#chat-connection", /^Open$/);
}

/** Type a message and send it. */
export async function say(page, text) {
  await page.type("#chat-input", text);
  await page.keyboard.press("Enter");
}

/** Until so many turns have ended, and all that is asked at the end of one has been answered. */
export async function untilTurns(page, turns, rate = 4 * TO_THE_END) {
  const ended = (count) => document.querySelectorAll(".turn-end").length >= count;
  await until(page, ended, { args: [turns], rate });
}

/** Until the transcript holds so many of what is selected. */
export function untilParts(page, selector, count = 1, options) {
  const there = (place, least) => document.querySelectorAll(`#chat-transcript ${place}`).length >= least;
  return until(page, there, { args: [selector, count], ...options });
}

/** What the transcript shows, part by part. */
export function partsOf(page) {
  return page.$$eval("#chat-transcript > :not(.dropped)", (all) => all.map((one) => one.textContent));
}

/**
 * Takes down the messages that are posted, reloads included, in the page itself: not every browser tells of bodies.
 * @returns {Promise<() => Promise<string[]>>} gives their texts so far
 */
export async function recordMessages(page) {
  await page.evaluateOnNewDocument(() => {
    const { fetch } = globalThis;
    globalThis.fetch = (url, init) => {
      if (String(url).endsWith("/messages")) {
        const sent = JSON.parse(sessionStorage.getItem("sent") ?? "[]");
        sessionStorage.setItem("sent", JSON.stringify([...sent, JSON.parse(init.body).text]));
      }
      return fetch(url, init);
    };
  });
  await page.reload();
  await untilBegun(page);
  return () => page.evaluate(() => JSON.parse(sessionStorage.getItem("sent") ?? "[]"));
}
