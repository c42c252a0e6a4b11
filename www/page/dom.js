// Making elements. Strings become text nodes, so nothing that a run says can become markup.

import { showControls, showOnOneLine } from "../shared/controls.mjs";

/**
 * @param {string} tag
 * @param {Record<string, string | boolean | undefined>} [attributes]
 * @param {...(Node | string)} children
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A string of a run: its direction stays its own, its control characters are shown. @param {string} text */
export function untrusted(text, attributes = {}) {
  return el("bdi", attributes, showControls(text));
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of the page's sprite; decorative, so what it says must be said in words, too. @param {string} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  svg.append(use);
  return svg;
}

/** Words for those who do not see the rest. @param {string} text */
export function spoken(text) {
  return el("span", { class: "spoken" }, text);
}

/** Sets the text only if it differs: a change is announced and laid out even when it is none. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @template {Element} T @param {string} id @returns {T} */
export function byId(id) {
  return document.getElementById(id);
}

/** What went wrong, where all can see it; nothing takes it away. @param {string | undefined} text */
export function showNotice(notice, text) {
  notice.hidden = text === undefined;
  setText(notice, text === undefined ? "" : showOnOneLine(text));
}

/** Not by `disabled`: that would throw away the focus of whoever has just pressed it. */
export function enable(button, enabled) {
  const value = String(!enabled);
  if (button.getAttribute("aria-disabled") !== value) button.setAttribute("aria-disabled", value);
}

export function isEnabled(button) {
  return button.getAttribute("aria-disabled") !== "true";
}
