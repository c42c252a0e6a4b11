// The connection in words, with the time until the next attempt running out.

import { formatCount, plural } from "../../shared/format.mjs";
import { reasonInWords } from "../../shared/reason.mjs";
import { setText } from "../dom.js";

const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

export class ConnectionGauge {
  #place;
  #remark;
  #what;

  /** @param {HTMLElement} place @param {HTMLElement} remark @param {string} what is followed */
  constructor(place, remark, what) {
    this.#place = place;
    this.#remark = remark;
    this.#what = what;
  }

  /** @param {import("../connection.js").ConnectionState} connection */
  update(connection) {
    const { state, retryAt, delayMs } = connection.current;
    this.#place.dataset.state = state;
    const left = state === "waiting" ? Math.max(0, retryAt - performance.now()) : 0;
    setText(this.#place, connectionWords(connection, left));
    setText(this.#remark, remarkOn(connection, this.#what));
    this.#place.closest(".gauge").style.setProperty("--left", String(delayMs > 0 ? left / delayMs : 0));
  }
}

/** @param {import("../connection.js").ConnectionState} connection @param {number} left until the next attempt */
function connectionWords({ current: { state }, opened }, left) {
  switch (state) {
    case "none":
      return "None";
    case "open":
      return "Open";
    case "connecting":
    case "waiting": {
      const doing = opened > 0 ? "Reconnecting" : "Connecting";
      return left > 0 ? `${doing} in ${(Math.ceil(left / 100) / 10).toFixed(1)} s` : doing;
    }
    default:
      return "Closed";
  }
}

/** Why it is not open, and which attempt is next; of one that is, how many there were before. */
function remarkOn({ current: { state, attempt, reason }, opened }, what) {
  if (state === "closed") return opened > 0 ? `${plural(opened, "connection")} in all` : "";
  if (state === "open") return opened > 1 ? `${ordinal(opened)} of this ${what}` : "";
  if (state === "none" || opened + attempt === 0) return "";
  const why = reasonInWords(reason);
  return attempt > 0 ? `${why}, attempt ${formatCount(attempt + 1)}` : why;
}

function ordinal(number) {
  const endings = { one: "st", two: "nd", few: "rd", other: "th" };
  return `${formatCount(number)}${endings[ordinals.select(number)]}`;
}
