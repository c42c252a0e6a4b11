// Where the user writes: the text, Send and Stop, the plan-mode switch, the commands, what might be said next.

import { byId, el, enable, isEnabled, setText, untrusted } from "../../dom.js";
import { CommandList } from "./commands.js";

/** @typedef {{ say: (text: string) => void, stop: () => void, plan: (on: boolean) => void }} ComposerEvents */

export class Composer {
  #form = byId("composer");
  #input = byId("chat-input");
  #send = byId("chat-send");
  #stop = byId("chat-stop");
  #plan = byId("chat-plan");
  #suggestion = byId("chat-suggestion");
  #commands;
  #events;
  #suggested;

  /** @param {ComposerEvents} events @param {import("../../views/announcer.js").Announcer} announcer */
  constructor(events, announcer) {
    this.#events = events;
    this.#commands = new CommandList(
      byId("chat-commands"),
      this.#input,
      ({ name }) => this.#fill(`/${name} `),
      announcer,
    );
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (isEnabled(this.#send)) this.#say(this.#input.value);
    });
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#input.addEventListener("input", () => this.#grow());
    this.#stop.addEventListener("click", () => isEnabled(this.#stop) && events.stop());
    this.#plan.addEventListener("click", () => events.plan(this.#plan.ariaChecked !== "true"));
    byId("chat-slash").addEventListener("click", () => this.#fill("/"));
    // Escape stops from wherever the focus is, unless it closes the list.
    byId("chat-view").addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && isEnabled(this.#stop)) events.stop();
    });
  }

  focus() {
    this.#input.focus();
  }

  /** @param {import("../session.js").ChatSession} chat */
  update({ state, outcome, model, mode, commands }) {
    enable(this.#send, !outcome);
    enable(this.#stop, state === "working");
    setText(this.#stop, state === "stopping" ? "Stopping…" : "Stop");
    this.#plan.ariaChecked = String(mode.mode === "plan");
    this.#commands.commands = commands;
    this.#suggest(outcome ? undefined : model.suggestion);
  }

  #key(event) {
    if (this.#commands.key(event)) return;
    // Enter may end a word that an input method is composing.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  #say(text) {
    if (text.trim() === "") return;
    this.#input.value = "";
    this.#grow();
    this.#commands.close();
    this.#events.say(text.trim());
  }

  #fill(text) {
    this.#input.value = text;
    this.#input.focus();
    this.#input.dispatchEvent(new Event("input"));
  }

  /** As high as its text; the styles say how high at most. */
  #grow() {
    this.#input.style.height = "auto";
    this.#input.style.height = `${this.#input.scrollHeight + 2}px`;
  }

  #suggest(text) {
    if (text === this.#suggested) return;
    this.#suggested = text;
    this.#suggestion.replaceChildren();
    if (text === undefined) return;
    const chip = el("button", { type: "button", class: "chip" }, untrusted(text));
    chip.addEventListener("click", () => this.#fill(text));
    this.#suggestion.append(el("span", { class: "chip-label" }, "Next:"), chip);
  }
}
