// A text that grows, shown with the little Markdown that agents write; only what is new is laid out again.

import { showControls } from "../../shared/controls.mjs";
import { el } from "../dom.js";
import { appendInline } from "./inline.js";

const fence = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/;
const heading = /^ {0,3}#{1,6}\s+(.*)$/;
const item = /^\s*(?:[-*+]|\d{1,4}[.)])\s+(.*)$/;
const row = /^\s*\|/;
const separator = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;

/** Until all of the last line is there it may belong to the last block or to the one before. */
const STILL_OPEN = 2;

export class Prose {
  element = el("div", { class: "prose" });
  /** How much of the text is in blocks that can no longer change. */
  #settled = 0;
  /** The blocks at the end, which still may. @type {Element[]} */
  #open = [];

  /** @param {string} text the whole of it, which has only grown since the last time */
  update(text) {
    const blocks = blocksOf(text.slice(this.#settled));
    for (const element of this.#open) element.remove();
    const elements = blocks.map(render);
    this.element.append(...elements);
    this.#open = elements.slice(-STILL_OPEN);
    this.#settled += blocks.slice(-STILL_OPEN)[0]?.from ?? 0;
  }
}

/** @typedef {{ kind: "code" | "heading" | "list" | "table" | "paragraph", from: number, lines: string[] }} Block */

/** @param {string} text @returns {Block[]} */
function blocksOf(text) {
  /** @type {Block[]} */
  const blocks = [];
  /** The block that the next line may belong to. @type {Block | undefined} */
  let block;
  let mark = "";
  let from = 0;
  const begin = (kind, line) => {
    block = { kind, from, lines: [line] };
    blocks.push(block);
  };
  for (const raw of text.split("\n")) {
    const line = raw.replace(/\r$/, "");
    if (mark !== "") {
      if (line.trim().startsWith(mark)) [mark, block] = ["", undefined];
      else block.lines.push(line);
    } else if (line.trim() === "") {
      block = undefined;
    } else if (fence.test(line)) {
      [, mark] = fence.exec(line);
      begin("code", line);
      block.lines.length = 0;
    } else {
      const kind = kindOf(line, block);
      if (block?.kind === kind && kind !== "heading") block.lines.push(line);
      else begin(kind, line);
    }
    from += raw.length + 1;
  }
  return blocks;
}

function kindOf(line, block) {
  if (heading.test(line)) return "heading";
  if (row.test(line)) return "table";
  if (item.test(line)) return "list";
  return block?.kind === "list" && /^\s+\S/.test(line) ? "list" : "paragraph";
}

/** @param {Block} block */
function render({ kind, lines }) {
  switch (kind) {
    case "code":
      return el("pre", {}, el("code", {}, showControls(lines.join("\n"))));
    case "heading":
      // Not a heading of the page: the outline is not the run's to change.
      return appendInline(el("p", { class: "heading" }), heading.exec(lines[0])[1]);
    case "list":
      return list(lines);
    case "table":
      return table(lines);
    default:
      return appendInline(el("p"), lines.join("\n"));
  }
}

function list(lines) {
  const element = el(/^\s*\d/.test(lines[0]) ? "ol" : "ul");
  for (const line of lines) {
    const text = item.exec(line)?.[1];
    if (text === undefined && element.lastElementChild)
      appendInline(element.lastElementChild, ` ${line.trim()}`);
    else element.append(appendInline(el("li"), text ?? line));
  }
  return element;
}

function table(lines) {
  const headed = separator.test(lines[1] ?? "");
  const rows = lines.filter((line) => !separator.test(line));
  const body = el("tbody");
  const head = el("thead");
  for (const [index, line] of rows.entries()) {
    const isHead = headed && index === 0;
    const cells = cellsOf(line).map((text) => appendInline(el(isHead ? "th" : "td"), text));
    (isHead ? head : body).append(el("tr", {}, ...cells));
  }
  return el("div", { class: "scroll-x" }, el("table", {}, ...(headed ? [head] : []), body));
}

function cellsOf(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split("|").map((cell) => cell.trim());
}
