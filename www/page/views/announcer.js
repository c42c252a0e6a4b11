// Says to screen readers what happens, in few words and not too often.

import { setText } from "../dom.js";

/** What comes within this time is said together. */
const GATHER_MS = 700;
const MOST = 3;

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

/** Tells the announcer what has changed in a run since the last time. */
export class Milestones {
  #announcer;
  #toolsSeen = 0;
  #failed = 0;
  #connected = true;

  /** @param {Announcer} announcer */
  constructor(announcer) {
    this.#announcer = announcer;
  }

  reset() {
    this.#toolsSeen = 0;
    this.#failed = 0;
    this.#connected = true;
  }

  /** @param {import("../follow.js").FollowedRun} followed */
  update({ model, connection }) {
    this.#tools(model);
    const { state } = connection.current;
    if (state === "waiting" && this.#connected) this.#announcer.say("Connection lost, reconnecting");
    if (state === "open" && !this.#connected) this.#announcer.say("Connected again");
    if (state === "waiting" || state === "open") this.#connected = state === "open";
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
