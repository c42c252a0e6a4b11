// The transcript: parts in order, growing in place, following the newest while the reader is at its end.

import { showControls } from "../../shared/controls.mjs";
import { formatCount, formatDuration } from "../../shared/format.mjs";
import { el, icon, setText, untrusted } from "../dom.js";
import { Prose } from "./prose.js";
import { showCall } from "./tool-line.js";

/** How near to its end counts as there. */
const NEAR_PX = 32;

export class Transcript {
  #scroller;
  #latest;
  /** @type {import("../model.js").RunModel | undefined} */
  #model;
  /** What is shown of each part. @type {Map<number, { element: Element, version: number, update(part: any): void }>} */
  #shown = new Map();
  #dropped = el("p", { class: "dropped", hidden: true });
  #pinned = true;

  /** @param {HTMLElement} scroller @param {HTMLButtonElement} latest */
  constructor(scroller, latest) {
    this.#scroller = scroller;
    this.#latest = latest;
    // Whoever has no mouse scrolls it with the keys.
    scroller.tabIndex = 0;
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#pinned && this.#toEnd()).observe(scroller);
    latest.addEventListener("click", () => {
      this.#pinned = true;
      this.#toEnd();
      scroller.focus({ preventScroll: true });
    });
  }

  /** Begins anew with another run. @param {import("../model.js").RunModel} model */
  reset(model) {
    this.#model = model;
    this.#shown.clear();
    this.#dropped.hidden = true;
    this.#scroller.replaceChildren(this.#dropped);
    this.#pinned = true;
    this.#latest.hidden = true;
  }

  update() {
    const model = this.#model;
    if (!model) return;
    let changed = this.#dropOld(model);
    for (const part of model.parts) {
      let shown = this.#shown.get(part.id);
      if (!shown) {
        shown = { ...viewOf(part, model), version: -1 };
        this.#shown.set(part.id, shown);
        this.#scroller.append(shown.element);
      }
      if (shown.version === part.version) continue;
      shown.update(part);
      shown.version = part.version;
      changed = true;
    }
    if (changed) this.#follow();
  }

  /** Adds something of the page's own at the end. @param {Element} element */
  append(element) {
    this.#scroller.append(element);
    this.#follow();
  }

  #dropOld(model) {
    const first = model.parts[0]?.id ?? 0;
    let changed = false;
    for (const [id, { element }] of this.#shown) {
      if (id >= first) break;
      element.remove();
      this.#shown.delete(id);
      changed = true;
    }
    if (model.partsDropped > 0) {
      this.#dropped.hidden = false;
      setText(
        this.#dropped,
        `${formatCount(model.partsDropped)} earlier parts are counted, but no longer shown`,
      );
    }
    return changed;
  }

  #follow() {
    if (this.#pinned) this.#toEnd();
    else this.#latest.hidden = false;
  }

  #toEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    this.#pinned = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    if (this.#pinned) this.#latest.hidden = true;
  }
}

function viewOf(part, model) {
  switch (part.kind) {
    case "text": {
      const prose = new Prose();
      return { element: prose.element, update: ({ text }) => prose.update(text) };
    }
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
