// A tool call on a line that opens to what it was called with and what it gave.

import { showControls } from "../../shared/controls.mjs";
import { el } from "../dom.js";
import { showCall } from "./tool-line.js";

/** @returns {import("./transcript.js").PartView} */
export function foldedCall() {
  const summary = el("summary", { class: "call" });
  const element = /** @type {HTMLDetailsElement} */ (el("details", {}, summary));
  let current;
  const showValues = () => {
    if (!element.open) return;
    element.querySelector(".values")?.remove();
    element.append(valuesOf({ Arguments: current.args, Result: current.result }));
  };
  // Made when asked for: most are never opened.
  element.addEventListener("toggle", showValues);
  return {
    element,
    update(tool) {
      current = tool;
      showCall(summary, tool);
      showValues();
    },
  };
}

function valuesOf(values) {
  const shown = Object.entries(values).filter(([, text]) => text !== "");
  const blocks = shown.flatMap(([title, text]) => [
    el("h3", {}, title),
    el("pre", { tabindex: "0", role: "region", "aria-label": title }, showControls(text)),
  ]);
  if (blocks.length === 0)
    blocks.push(el("p", { class: "empty" }, "Neither arguments nor a result were sent."));
  return el("div", { class: "values" }, ...blocks);
}
