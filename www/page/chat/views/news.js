// Tells the announcer what happens in a session's turns, not each word.

import { showOnOneLine } from "../../../shared/controls.mjs";

/** As much of an answer is read out as one listens to; the rest is in the transcript. */
const LONGEST = 300;

export class TurnNews {
  #announcer;
  /** The part after the last that was told of. */
  #next = 0;

  /** @param {import("../../views/announcer.js").Announcer} announcer */
  constructor(announcer) {
    this.#announcer = announcer;
  }

  /** Of what is there already nothing is told. @param {import("../model.js").ChatModel} model */
  reset({ parts, partsDropped }) {
    this.#next = partsDropped + parts.length;
  }

  /** @param {import("../model.js").ChatModel} model */
  update({ parts, partsDropped }) {
    const from = Math.max(0, this.#next - partsDropped);
    this.#next = partsDropped + parts.length;
    for (const [index, part] of [...parts.entries()].slice(from)) {
      if (part.kind === "tool") this.#announcer.say(`Tool ${part.name} called`);
      else if (part.kind === "subagent") this.#announcer.say("A subagent is at work");
      else if (part.kind === "servers") this.#announcer.say("A tool server failed");
      else if (part.kind === "info") this.#announcer.say(shorten(part.text));
      else if (part.kind === "end") this.#end(part, parts.slice(0, index));
    }
  }

  #end({ how, text }, before) {
    if (how === "stopped") this.#announcer.say("Stopped");
    else if (how === "failed") this.#announcer.say(`The turn failed: ${shorten(text)}`);
    else this.#announcer.say(`Done. ${shorten(answerIn(before))}`);
  }
}

/** The last text since the user spoke. */
function answerIn(parts) {
  const last = parts.findLast(({ kind }) => kind === "text" || kind === "user");
  return last?.kind === "text" ? last.text : "";
}

function shorten(text) {
  return showOnOneLine(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
