// What a tool call is about, in a few words: a path, a command, a query. Read from its untrusted arguments.

import { showOnOneLine } from "./controls.mjs";

const telling = ["path", "file_path", "command", "query", "pattern", "url", "file", "description", "name"];
const LONGEST = 120;

/**
 * The most telling of a tool's arguments, on one line and neutralised; `""` when there is none.
 * @param {unknown} args
 */
export function toolTarget(args) {
  if (typeof args === "string") return shorten(args);
  if (typeof args !== "object" || args === null) return "";
  const strings = Object.entries(args).filter(([, value]) => typeof value === "string");
  const [, value] = telling.map((name) => strings.find(([key]) => key === name)).find(Boolean) ?? [];
  if (value !== undefined) return shorten(value);
  const list = Object.entries(args).find(([, item]) => Array.isArray(item));
  if (list) return shorten(`${list[1].length} ${list[0]}`);
  return strings.length > 0 ? shorten(strings[0][1]) : "";
}

/** A tool's name, neutralised. @param {unknown} name */
export function toolName(name) {
  return shorten(String(name)) || "unknown";
}

function shorten(text) {
  // Cut before neutralising, too: a value of megabytes is not worth reading to its end.
  const line = [...showOnOneLine(text.slice(0, 4 * LONGEST)).trim()];
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).join("")}…` : line.join("");
}
