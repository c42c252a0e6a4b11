// What the scripts of turns are made of: saying, using tools, sending a subagent, each at a pace that people can follow.

import { assistant, messageStart, textDelta, toolResult, toolUse } from "../../tests/lib/scripted-query.mjs";

const WORD_MS = 45;
const TOOL_MS = 900;

/** How many characters make a token, about. */
const TOKEN = 4;

/** @type {import("runwire/testing").SimulatorClock} */
export const platformClock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

export class Stage {
  #clock;
  #figures;
  #signal;
  /** What was said last: a turn's result repeats it. */
  lastText = "";

  /**
   * @param {object} set
   * @param {import("runwire/testing").SimulatorClock} set.clock what it goes by
   * @param {import("./figures.mjs").Figures} set.figures what the session uses
   * @param {AbortSignal} set.signal nobody waits for the turn any more
   */
  constructor({ clock, figures, signal }) {
    this.#clock = clock;
    this.#figures = figures;
    this.#signal = signal;
  }

  /** Never resolves once the turn is not wanted: the script stays where it is. */
  pause(ms) {
    return new Promise((resolve) => {
      if (this.#signal.aborted) return;
      const cancel = () => this.#clock.clearTimeout(timer);
      const timer = this.#clock.setTimeout(() => {
        this.#signal.removeEventListener("abort", cancel);
        resolve();
      }, ms);
      this.#signal.addEventListener("abort", cancel);
    });
  }

  /** Word for word, then the whole message, as the SDK does. */
  async *say(text) {
    const id = this.#newId("msg");
    yield messageStart(id);
    for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
      await this.pause(WORD_MS);
      this.#figures.wrote(word.length / TOKEN);
      yield textDelta(word);
    }
    yield assistant(id, { type: "text", text });
    this.lastText = text;
  }

  /** @param {string} name @param {object} input @param {string} output */
  async *use(name, input, output, { isError = false, ms = TOOL_MS } = {}) {
    const id = this.#newId("toolu");
    yield toolUse(id, name, input);
    await this.pause(ms);
    this.#figures.read(output.length / TOKEN);
    yield toolResult(id, output, isError);
  }

  /** All at once; the last one is done first. @param {[name: string, input: object, output: string][]} calls */
  async *useTogether(calls) {
    const begun = calls.map((call) => [this.#newId("toolu"), ...call]);
    for (const [id, name, input] of begun) yield toolUse(id, name, input);
    for (const [id, , , output] of begun.reverse()) {
      await this.pause(TOOL_MS);
      this.#figures.read(output.length / TOKEN);
      yield toolResult(id, output);
    }
  }

  /**
   * Sends a subagent: what it does is told, what comes of that is its own.
   * @param {string} description @param {[name: string, input: object][]} steps @param {string} report
   */
  async *delegate(description, steps, report) {
    const id = this.#newId("toolu");
    yield toolUse(id, "Agent", { description, subagent_type: "Explore" });
    for (const [name, input] of steps) {
      await this.pause(TOOL_MS);
      yield { ...toolUse(this.#newId("toolu"), name, input), parent_tool_use_id: id };
    }
    await this.pause(TOOL_MS);
    this.#figures.read(report.length / TOKEN);
    yield toolResult(id, [{ type: "text", text: report }]);
  }

  #newId(kind) {
    return `${kind}_${this.#figures.nextNumber()}`;
  }
}
