// Which of the two views is shown. The address says it, so a reload stays and the back button works.

import { byId } from "./dom.js";

const views = { run: byId("run-view"), chat: byId("chat-view") };
const titles = {};
const starts = {};

/** Calls `start` when the view is shown for the first time. @param {"run" | "chat"} view @param {() => void} start */
export function whenFirstShown(view, start) {
  starts[view] = start;
  show();
}

/** What the window is called while the view is shown. @param {"run" | "chat"} view @param {string} title */
export function setTitle(view, title) {
  titles[view] = title;
  document.title = titles[current()] ?? "runwire";
}

function current() {
  return location.hash === "#chat" ? "chat" : "run";
}

function show() {
  const shown = current();
  for (const [name, element] of Object.entries(views)) element.hidden = name !== shown;
  for (const link of document.querySelectorAll(".views a")) {
    if (link.hash === `#${shown}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  setTitle(shown, titles[shown]);
  const start = starts[shown];
  delete starts[shown];
  start?.();
}

addEventListener("hashchange", show);
