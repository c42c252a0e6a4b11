// One tool call on a line: mark, name, what it is about, time. In the transcript and in the list of tools.

import { formatDuration } from "../../shared/format.mjs";
import { el, icon, spoken, untrusted } from "../dom.js";

const words = { running: "running", completed: "completed", error: "failed", unfinished: "did not end" };

/** @param {string} status of a tool call */
export function statusWord(status) {
  return words[status] ?? status;
}

/** @param {import("../model.js").Tool} tool */
export function toolTime({ status, began, ended }) {
  return ended === undefined || status === "unfinished" ? "" : formatDuration(ended - began);
}

/** @param {Element} parent @param {import("../model.js").Tool} tool */
export function showCall(parent, tool) {
  const { name, target, status } = tool;
  parent.setAttribute("data-status", status);
  parent.replaceChildren(
    icon(status),
    el("span", { class: "call-name" }, untrusted(name)),
    el("span", { class: "call-target" }, untrusted(target)),
    el("span", { class: "call-time" }, toolTime(tool)),
    spoken(` ${statusWord(status)}`),
  );
}
