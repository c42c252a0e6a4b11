// The run in figures: its state, the connection, events, bytes, time, and whether the text is as it was sent.

import { showOnOneLine } from "../../shared/controls.mjs";
import { formatBytes, formatChecksum, formatCount, formatDuration, plural } from "../../shared/format.mjs";
import { byId, setText } from "../dom.js";

const stateWords = {
  none: "Not started",
  starting: "Starting",
  CREATING: "Creating",
  RUNNING: "Running",
  FINISHED: "Finished",
  ERROR: "Failed",
  CANCELLED: "Cancelled",
  EXPIRED: "Expired",
  stopping: "Stopping",
  lost: "Lost",
};

export class Gauges {
  #places = Object.fromEntries(
    ["state", "connection", "trouble-reason", "events", "bytes", "elapsed", "checksum"].map((id) => [
      id,
      byId(id),
    ]),
  );
  /** What the text must come to, once that is known. @type {{ length: number, checksum: number } | undefined} */
  #expected;

  reset() {
    this.#expected = undefined;
  }

  /** @param {{ length: number, checksum: number } | undefined} figures */
  expect(figures) {
    this.#expected = figures;
  }

  /** @param {import("../follow.js").FollowedRun} followed */
  update(followed) {
    const { state, events, bytes, elapsed } = this.#places;
    const name = stateOf(followed);
    state.dataset.state = name;
    setText(state, stateWords[name] ?? showOnOneLine(name));
    setText(events, formatCount(followed.model.events));
    setText(bytes, formatBytes(followed.bytes));
    setText(elapsed, formatElapsed(followed.elapsed));
    this.#connection(followed.connection.current);
    this.#checksum(followed);
  }

  #connection(connection) {
    const { connection: place } = this.#places;
    place.dataset.state = connection.state;
    setText(place, connectionWords(connection));
    setText(this.#places["trouble-reason"], reasonWords(connection));
  }

  #checksum({ model: { checksum }, outcome }) {
    const { checksum: place } = this.#places;
    const verdict = verdictOf(checksum, this.#expected, outcome);
    place.dataset.verdict = verdict;
    const text = checksum.length === 0 ? "None yet" : formatChecksum(checksum.checksum);
    const words = {
      none: "",
      growing: `, ${plural(checksum.length, "character")} so far`,
      same: `, all ${plural(checksum.length, "character")} as sent`,
      incomplete: `, ${formatCount(checksum.length)} of ${plural(this.#expected?.length ?? 0, "character")}`,
      different: `, but ${formatChecksum(this.#expected?.checksum ?? 0)} was sent`,
    };
    setText(place, text + words[verdict]);
  }
}

/** @param {import("../follow.js").FollowedRun} followed */
export function stateOf({ outcome, stopping, model }) {
  if (outcome?.kind === "lost") return "lost";
  if (outcome?.kind === "ended") return finalState(outcome.run, model);
  return stopping ? "stopping" : (model.state ?? "starting");
}

/** The record has the last word, but for the state that it cannot tell from a failure. */
function finalState({ status }, { state }) {
  return status === "error" && state === "EXPIRED" ? state : status.toUpperCase();
}

/** In words, as they are announced, too. @param {string} state */
export function stateWord(state) {
  return stateWords[state] ?? state;
}

/** @param {import("../connection.js").Connection} connection */
function connectionWords({ state, retryAt, opened }) {
  switch (state) {
    case "none":
      return "None";
    case "connecting":
      return opened > 0 ? "Reconnecting" : "Connecting";
    case "open":
      return "Open";
    case "waiting":
      return retryAt === undefined ? "Waiting" : `Reconnecting in ${secondsUntil(retryAt)} s`;
    default:
      return "Closed";
  }
}

function secondsUntil(time) {
  return (Math.max(0, time - performance.now()) / 1000).toFixed(1);
}

/** Why it is not open, and how often that has been tried to change. */
function reasonWords({ state, attempt, reason }) {
  if (state === "open" || state === "none") return "";
  const parts = [];
  if (reason) parts.push(showOnOneLine(reason));
  if (attempt > 1) parts.push(`attempt ${attempt}`);
  return parts.join(", ");
}

function verdictOf(checksum, expected, outcome) {
  if (!outcome || !expected) return checksum.length === 0 ? "none" : "growing";
  if (checksum.equals(expected)) return "same";
  return outcome.kind === "lost" && checksum.length < expected.length ? "incomplete" : "different";
}

/** Steadier than {@link formatDuration}: it changes all the time. */
function formatElapsed(ms) {
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
}
