// Says to screen readers what happens, in few words and not too often.

import { reasonInWords } from "../../shared/reason.mjs";
import { setText } from "../dom.js";

/** What comes within this time is said together. */
const GATHER_MS = 700;
const MOST = 4;

export class Announcer {
  #place;
  /** @type {string[]} */
  #waiting = [];
  #timer;

  /** @param {HTMLElement} place a polite live region */
  constructor(place) {
    this.#place = place;
  }

  /** @param {string} text */
  say(text) {
    this.#waiting.push(text);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      setText(this.#place, this.#waiting.splice(0).slice(-MOST).join(". "));
    }, GATHER_MS);
  }
}

/** Tells the announcer when the connection is lost and when it is back: once, however many attempts that takes. */
export class ConnectionNews {
  #announcer;
  #connected = true;

  /** @param {Announcer} announcer */
  constructor(announcer) {
    this.#announcer = announcer;
  }

  reset() {
    this.#connected = true;
  }

  /** @param {import("../connection.js").ConnectionState} connection */
  update({ current: { state, reason } }) {
    if (state === "waiting" && this.#connected) {
      this.#connected = false;
      this.#announcer.say(`Connection lost: ${reasonInWords(reason)}. Reconnecting`);
    } else if (state === "open" && !this.#connected) {
      this.#connected = true;
      this.#announcer.say("Connected again");
    }
  }
}

/** Tells the announcer what has changed in a run since the last time. */
export class Milestones {
  #announcer;
  #connection;
  #toolsSeen = 0;
  #failed = 0;
  #warnings = 0;

  /** @param {Announcer} announcer */
  constructor(announcer) {
    this.#announcer = announcer;
    this.#connection = new ConnectionNews(announcer);
  }

  /** Begins with a run, of which nothing is told that was there before. @param {import("../model.js").RunModel} model */
  reset({ tools, toolsDropped, toolCounts, warnings }) {
    this.#toolsSeen = toolsDropped + tools.length;
    this.#failed = toolCounts.error;
    this.#warnings = warnings;
    this.#connection.reset();
  }

  /** @param {import("../follow.js").FollowedRun} followed */
  update({ model, connection }) {
    this.#tools(model);
    if (model.warnings > this.#warnings) this.#announcer.say("A warning, in the transcript");
    this.#warnings = model.warnings;
    this.#connection.update(connection);
  }

  #tools({ tools, toolsDropped, toolCounts }) {
    const total = toolsDropped + tools.length;
    if (total > this.#toolsSeen) {
      const more = total - this.#toolsSeen;
      this.#announcer.say(more === 1 ? `Tool ${tools.at(-1).name} called` : `${more} tools called`);
    }
    if (toolCounts.error > this.#failed) this.#announcer.say("A tool failed");
    this.#toolsSeen = total;
    this.#failed = toolCounts.error;
  }
}
