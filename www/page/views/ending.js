// How the run ended, as the last entry of the transcript.

import { formatDuration, plural } from "../../shared/format.mjs";
import { el, untrusted } from "../dom.js";
import { stateOf, stateWord } from "./gauges.js";

/**
 * @param {import("../follow.js").FollowedRun} followed that has ended
 * @returns {Element}
 */
export function ending(followed) {
  const { outcome, model } = followed;
  const { run } = outcome;
  const title = stateWord(stateOf(followed));
  const facts = [];
  if (run.durationMs !== undefined) facts.push(`in ${formatDuration(run.durationMs)} of its own time`);
  if (model.tokens > 0) facts.push(plural(model.tokens, "token"));
  const element = el(
    "div",
    { class: "ending", "data-status": run.status },
    el(
      "p",
      { class: "ending-title" },
      el("strong", {}, title),
      facts.length > 0 ? ` ${facts.join(", ")}` : "",
    ),
  );
  if (run.error) element.append(el("p", {}, untrusted(run.error.message)));
  for (const { repoUrl, branch, prUrl } of run.git?.branches ?? []) {
    // As text, not as links: the page does not vouch for where they lead.
    const places = [repoUrl, branch, prUrl].filter(Boolean).map((text) => untrusted(text));
    element.append(el("p", { class: "places" }, ...places));
  }
  return element;
}
