// The list of tool calls, newest last; each opens to what it was called with and what it gave.

import { formatCount } from "../../shared/format.mjs";
import { el, setText } from "../dom.js";
import { foldedCall } from "./folded-call.js";

export class ToolList {
  #scroller;
  #tally;
  #list = el("ol");
  /** @type {import("../model.js").RunModel | undefined} */
  #model;
  /** @type {Map<number, import("./transcript.js").PartView & { version: number }>} */
  #shown = new Map();
  #pinned = true;

  /** @param {HTMLElement} scroller @param {HTMLElement} tally */
  constructor(scroller, tally) {
    this.#scroller = scroller;
    this.#tally = tally;
    scroller.tabIndex = 0;
    scroller.addEventListener(
      "scroll",
      () => {
        this.#pinned = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 32;
      },
      { passive: true },
    );
  }

  /** @param {import("../model.js").RunModel} model */
  reset(model) {
    this.#model = model;
    this.#shown.clear();
    this.#list = el("ol");
    this.#scroller.replaceChildren(el("p", { class: "empty" }, "None yet."));
    this.#pinned = true;
    setText(this.#tally, "");
  }

  update() {
    const model = this.#model;
    if (!model || model.tools.length === 0) return;
    if (!this.#list.isConnected) this.#scroller.replaceChildren(this.#list);
    let changed = this.#dropOld(model);
    for (const tool of model.tools) {
      const shown = this.#shown.get(tool.id) ?? this.#add(tool);
      if (shown.version === tool.version) continue;
      shown.update(tool);
      shown.version = tool.version;
      changed = true;
    }
    if (!changed) return;
    setText(this.#tally, tallyOf(model));
    if (this.#pinned) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #add(tool) {
    const shown = { ...foldedCall(), version: -1 };
    this.#shown.set(tool.id, shown);
    this.#list.append(el("li", {}, shown.element));
    return shown;
  }

  #dropOld(model) {
    let changed = false;
    for (const [id, { element }] of this.#shown) {
      if (id >= model.toolsDropped) break;
      element.parentElement.remove();
      this.#shown.delete(id);
      changed = true;
    }
    this.#list.setAttribute("start", String(model.toolsDropped + 1));
    return changed;
  }
}

function tallyOf({ toolCounts: { running, completed, error, unfinished } }) {
  const parts = [];
  if (running > 0) parts.push(`${formatCount(running)} running`);
  parts.push(`${formatCount(completed)} completed`);
  if (error > 0) parts.push(`${formatCount(error)} failed`);
  if (unfinished > 0) parts.push(`${formatCount(unfinished)} did not end`);
  return parts.join(", ");
}
