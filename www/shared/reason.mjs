// Why a connection is no more, in a few words for people.

import { showOnOneLine } from "./controls.mjs";

const LONGEST = 120;
/** By runwire's own codes. */
const words = {
  network_error: "the connection broke",
  connect_timeout: "no answer came",
  stream_silent: "it went silent",
  stream_unavailable: "the stream is not there yet",
  invalid_last_event_id: "the id was refused",
};

/** @param {any} error as `onDidChangeConnection` gives it; none when a stream just ended */
export function reasonInWords(error) {
  if (error === undefined) return "the stream broke off";
  if (Object.hasOwn(words, error.code ?? "")) return words[error.code];
  if (error.status >= 400) return `the service answers ${error.status}`;
  return showOnOneLine(String(error.message ?? error).slice(0, LONGEST));
}

/** Without the full stop that some messages end with: more is said after it. @param {unknown} error */
export function messageOf(error) {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
