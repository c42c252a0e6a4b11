// The page's session chat, and what tests do with it.

import { TO_THE_END, until, untilText, withPage } from "./site.mjs";

/** As {@link withPage}, with the session begun. */
export function withChat(work, options) {
  return withPage(
    async (page, url) => {
      await untilText(page, "#chat-state", /^Ready$/);
      await work(page, url);
    },
    { view: "chat", ...options },
  );
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
