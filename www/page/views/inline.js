// Code, strong and emphasis within a line. No links and no images: a run does not send people or browsers anywhere.

import { showControls } from "../../shared/controls.mjs";
import { el } from "../dom.js";

const DEEPEST = 2;
const tags = { "**": "strong", __: "strong", "*": "em" };

/**
 * @template {Element} T
 * @param {T} parent
 * @param {string} text
 * @returns {T}
 */
export function appendInline(parent, text, depth = 0) {
  /** Marks that do not come again: looking for each once keeps this linear in practice. */
  const absent = new Set();
  let plainFrom = 0;
  let at = 0;
  const plain = (end) => {
    if (end > plainFrom) parent.append(showControls(text.slice(plainFrom, end)));
  };
  while (at < text.length) {
    const mark = markAt(text, at);
    if (mark === "") {
      at++;
      continue;
    }
    const inner = at + mark.length;
    const end = absent.has(mark) ? -1 : closing(text, mark, inner);
    if (end === -1) {
      absent.add(mark);
      at = inner;
      continue;
    }
    plain(at);
    parent.append(marked(mark, text.slice(inner, end), depth));
    at = end + mark.length;
    plainFrom = at;
  }
  plain(text.length);
  return parent;
}

function markAt(text, at) {
  const character = text[at];
  if (character === "`") return /^`+/.exec(text.slice(at, at + 8))[0];
  if (character !== "*" && character !== "_") return "";
  const mark = text[at + 1] === character ? character + character : character;
  // An opening mark stands before a word, not in one.
  const opens = tags[mark] && /\S/.test(text[at + mark.length] ?? " ") && !/\w/.test(text[at - 1] ?? " ");
  return opens ? mark : "";
}

function closing(text, mark, from) {
  const end = text.indexOf(mark, from);
  if (end <= from) return -1;
  if (mark[0] === "`") return end;
  // Emphasis does not cross a line, and closes after a word.
  const crosses = text.slice(from, end).includes("\n");
  return crosses || /\s/.test(text[end - 1]) ? -1 : end;
}

function marked(mark, text, depth) {
  if (mark[0] === "`") return el("code", {}, showControls(text.trim() || text));
  const element = el(tags[mark]);
  if (depth < DEEPEST) return appendInline(element, text, depth + 1);
  element.append(showControls(text));
  return element;
}
