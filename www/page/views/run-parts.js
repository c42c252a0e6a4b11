// How the parts of a run's transcript are shown.

import { showControls } from "../../shared/controls.mjs";
import { formatDuration } from "../../shared/format.mjs";
import { el, icon, setText, untrusted } from "../dom.js";
import { showCall } from "./tool-line.js";
import { proseView } from "./transcript.js";

/** @param {import("../model.js").Part} part @param {import("../model.js").RunModel} model */
export function viewOf(part, model) {
  switch (part.kind) {
    case "text":
      return proseView();
    case "thinking":
      return thinking();
    case "tool":
      return toolPart(part, model);
    default:
      return { element: el("p", { class: `remark ${part.kind}` }, untrusted(part.text)), update() {} };
  }
}

function thinking() {
  const label = el("span");
  const text = document.createTextNode("");
  const element = el(
    "details",
    { class: "thinking" },
    el("summary", {}, icon("fold"), label),
    el("p", {}, text),
  );
  let taken = 0;
  return {
    element,
    update(part) {
      label.classList.toggle("beating", part.open);
      setText(label, part.open ? "Thinking…" : `Thought for ${formatDuration(part.ms)}`);
      text.appendData(showControls(part.text.slice(taken)));
      taken = part.text.length;
    },
  };
}

function toolPart({ tool: id }, model) {
  const element = el("p", { class: "call" });
  return {
    element,
    update() {
      const tool = model.tool(id);
      if (tool) showCall(element, tool);
    },
  };
}
