// The run in figures: its state, the connection, events, bytes, time, and whether the text is as it was sent.

import { formatBytes, formatChecksum, formatCount, formatDuration, plural } from "../../shared/format.mjs";
import { byId, setText } from "../dom.js";
import { ConnectionGauge } from "./connection-gauge.js";

const stateWords = {
  none: "Not started",
  starting: "Starting",
  running: "Running",
  stopping: "Stopping",
  finished: "Finished",
  error: "Failed",
  expired: "Expired",
  cancelled: "Cancelled",
  lost: "Lost",
};

export class Gauges {
  #places = Object.fromEntries(
    [...document.querySelectorAll("#run-view .gauge [id]")].map((element) => [element.id, element]),
  );
  #connection = new ConnectionGauge(byId("connection"), byId("connection-remark"), "run");
  /** What the text must come to, once that is known. @type {{ length: number, checksum: number } | undefined} */
  #expected;

  /** Begins with a run. @param {string} what it is, in words */
  reset(what) {
    this.#expected = undefined;
    this.#set("state-remark", what);
  }

  /** @param {{ length: number, checksum: number } | undefined} figures */
  expect(figures) {
    this.#expected = figures;
  }

  /** @param {import("../follow.js").FollowedRun} followed */
  update(followed) {
    const { model, bytes, elapsed, connection } = followed;
    const name = stateOf(followed);
    this.#places.state.dataset.state = name;
    this.#set("state", stateWord(name));
    this.#set("events", formatCount(model.events));
    this.#set("events-remark", model.warnings > 0 ? plural(model.warnings, "warning") : "no warnings");
    this.#places["events-remark"].classList.toggle("alarming", model.warnings > 0);
    this.#set("bytes", formatBytes(bytes));
    this.#set("bytes-remark", elapsed > 1000 ? `${formatBytes(Math.round((1000 * bytes) / elapsed))}/s` : "");
    this.#set("elapsed", formatElapsed(elapsed));
    const apart = connection.timeApart;
    this.#set("elapsed-remark", apart > 0 ? `${formatElapsed(apart)} cut off` : "");
    this.#connection.update(connection);
    this.#checksum(followed);
  }

  /** The end of a run, in words. @param {import("../follow.js").FollowedRun} followed */
  summary(followed) {
    return `${stateWord(stateOf(followed))}. Text: ${this.#places.verdict.textContent}`;
  }

  #set(place, text) {
    setText(this.#places[place], text);
  }

  #checksum(followed) {
    const { checksum } = followed.model;
    const verdict = verdictOf(followed, this.#expected);
    this.#places.checksum.dataset.verdict = verdict;
    this.#set("checksum", checksum.length === 0 ? "None yet" : formatChecksum(checksum.checksum));
    const words = {
      none: "",
      growing: `${plural(checksum.length, "character")} so far`,
      same: `all ${plural(checksum.length, "character")} as the scenario`,
      incomplete: `${formatCount(checksum.length)} of the scenario's ${plural(this.#expected?.length ?? 0, "character")}`,
      different: `the scenario's is ${formatChecksum(this.#expected?.checksum ?? 0)}`,
    };
    this.#set("verdict", words[verdict]);
    this.#places.verdict.classList.toggle("alarming", verdict === "incomplete" || verdict === "different");
  }
}

/** @param {import("../follow.js").FollowedRun} followed */
export function stateOf({ outcome, stopping, status }) {
  if (outcome?.kind === "lost") return "lost";
  if (stopping && status === "running") return "stopping";
  return status ?? "starting";
}

/** In words, as they are announced, too. @param {string} state */
export function stateWord(state) {
  return stateWords[state] ?? state;
}

function verdictOf({ model: { checksum }, outcome, streamError }, expected) {
  if (!outcome || !expected) return checksum.length === 0 ? "none" : "growing";
  if (checksum.equals(expected)) return "same";
  const cutShort = outcome.kind === "lost" || streamError !== undefined;
  return cutShort && checksum.length < expected.length ? "incomplete" : "different";
}

/** Steadier than {@link formatDuration}: it changes all the time. */
function formatElapsed(ms) {
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
}
