// How the run ended, as the last entry of the transcript.

import { formatDuration, plural } from "../../shared/format.mjs";
import { el, untrusted } from "../dom.js";
import { stateOf, stateWord } from "./gauges.js";
import { Prose } from "./prose.js";

/**
 * @param {import("../follow.js").FollowedRun} followed that has ended
 * @returns {Element}
 */
export function ending(followed) {
  const { outcome, model, streamError } = followed;
  const { result } = outcome;
  const title = stateWord(stateOf(followed));
  const facts = [];
  if (result.durationMs !== undefined) facts.push(`in ${formatDuration(result.durationMs)} of its own time`);
  if (model.tokens > 0) facts.push(plural(model.tokens, "token"));
  const element = el(
    "div",
    { class: "ending", "data-status": result.status },
    el(
      "p",
      { class: "ending-title" },
      el("strong", {}, title),
      facts.length > 0 ? ` ${facts.join(", ")}` : "",
    ),
  );
  if (result.error) element.append(el("p", {}, untrusted(result.error.message)));
  if (streamError !== undefined && result.result) {
    const intro = "What the stream could no longer tell, the run's record says of its end:";
    const prose = new Prose();
    prose.update(result.result);
    element.append(el("p", {}, intro), prose.element);
  }
  for (const { repoUrl, branch, prUrl } of result.git?.branches ?? []) {
    // As text, not as links: the page does not vouch for where they lead.
    const places = [repoUrl, branch, prUrl].filter(Boolean).map((text) => untrusted(text));
    element.append(el("p", { class: "places" }, ...places));
  }
  return element;
}
