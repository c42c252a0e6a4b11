// How the parts of a session's transcript are shown.

import { formatCount } from "../../../shared/format.mjs";
import { el, icon, setText, spoken, untrusted } from "../../dom.js";
import { foldedCall } from "../../views/folded-call.js";
import { proseView } from "../../views/transcript.js";

/** @typedef {import("../../views/transcript.js").PartView} PartView */

/** @param {import("../model.js").Part} part @returns {PartView} */
export function viewOf(part) {
  switch (part.kind) {
    case "text":
      return proseView();
    case "user":
      return userView(part);
    case "tool":
      return toolView();
    case "subagent":
      return subagentView(part);
    case "info":
      return still(infoOf(part));
    case "servers":
      return still(serversOf(part));
    default:
      return still(endOf(part));
  }
}

/** What does not change. @param {Element} element @returns {PartView} */
function still(element) {
  return { element, update() {} };
}

const deliveries = { sending: "Sending…", sent: "", unsure: "It is not known whether the agent got this" };

function userView({ text, inPlan }) {
  const delivery = el("p", { class: "delivery" });
  const body = el("p", {}, untrusted(text));
  const element = el("div", { class: "said" }, spoken("You: "), body, delivery);
  if (inPlan) element.prepend(el("p", { class: "tag" }, "Plan mode"));
  return { element, update: (part) => setText(delivery, deliveries[part.delivery]) };
}

function toolView() {
  const { element, update } = foldedCall();
  const card = el("div", { class: "card" }, element);
  return {
    element: card,
    update(part) {
      card.dataset.status = part.status;
      update(part);
    },
  };
}

function subagentView({ about }) {
  const title = el("p", { class: "subagent-title" }, "Subagent");
  if (about) title.append(": ", untrusted(about));
  const dropped = el("p", { class: "delivery" });
  const list = el("ol");
  return {
    element: el("div", { class: "subagent" }, title, dropped, list),
    update({ steps, stepsDropped }) {
      setText(dropped, stepsDropped > 0 ? `${formatCount(stepsDropped)} earlier steps` : "");
      const known = Number(list.getAttribute("start") ?? 1) - 1 + list.children.length;
      for (const { name, target } of steps.slice(Math.max(0, known - stepsDropped))) {
        const shownTarget = el("span", { class: "call-target" }, untrusted(target));
        list.append(
          el("li", { class: "call" }, el("span", { class: "call-name" }, untrusted(name)), shownTarget),
        );
      }
      while (list.children.length > steps.length) list.firstElementChild.remove();
      list.setAttribute("start", String(stepsDropped + 1));
    },
  };
}

const levels = { info: "Info", notice: "Notice", suggestion: "Tip", warning: "Warning" };

function infoOf({ text, level }) {
  if (level === "local-command") {
    return el("pre", { class: "printed", tabindex: "0", "aria-label": "Output" }, untrusted(text));
  }
  const label = el("span", { class: "level" }, levels[level] ?? levels.info);
  return el("p", { class: "info", "data-level": level }, label, " ", untrusted(text));
}

function serversOf({ names }) {
  const label = el("strong", {}, names.length === 1 ? "A tool server failed: " : "Tool servers failed: ");
  const list = names.flatMap((name, index) => [index > 0 ? ", " : "", untrusted(name)]);
  return el("p", { class: "info", "data-level": "failed" }, icon("error"), el("span", {}, label, ...list));
}

const endings = { done: "Done", stopped: "Stopped", failed: "Failed" };
const endIcons = { done: "completed", stopped: "unfinished", failed: "error" };

function endOf({ how, text }) {
  const element = el("p", { class: "turn-end", "data-how": how }, icon(endIcons[how]), endings[how]);
  if (text) element.append(": ", untrusted(text));
  return element;
}
