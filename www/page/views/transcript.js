// The transcript: parts in order, growing in place, following the newest while the reader is at its end.

import { formatCount } from "../../shared/format.mjs";
import { el, setText } from "../dom.js";
import { Prose } from "./prose.js";

/** How near to its end counts as there. */
const NEAR_PX = 32;

/**
 * How a part is shown.
 * @typedef {{ element: Element, update(part: any): void }} PartView
 */

/** @template {import("../parts.js").Parts<any>} Model */
export class Transcript {
  #scroller;
  #latest;
  #viewOf;
  /** @type {Model | undefined} */
  #model;
  /** What is shown of each part. @type {Map<number, PartView & { version: number }>} */
  #shown = new Map();
  #dropped = el("p", { class: "dropped", hidden: true });
  #pinned = true;

  /**
   * @param {HTMLElement} scroller @param {HTMLButtonElement} latest
   * @param {(part: any, model: Model) => PartView} viewOf
   */
  constructor(scroller, latest, viewOf) {
    this.#scroller = scroller;
    this.#latest = latest;
    this.#viewOf = viewOf;
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

  /** Begins anew. @param {Model} model */
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
        shown = { ...this.#viewOf(part, model), version: -1 };
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

/** The view of a part that is a text. @returns {PartView} */
export function proseView() {
  const prose = new Prose();
  return { element: prose.element, update: ({ text }) => prose.update(text) };
}
