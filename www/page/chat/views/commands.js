// The list of commands above what is typed: "/" opens it, typing narrows it down, the arrows choose.

import { showOnOneLine } from "../../../shared/controls.mjs";
import { plural } from "../../../shared/format.mjs";
import { el, untrusted } from "../../dom.js";

/** The commands that begin with what is typed come first, then those that hold it anywhere. */
export function matching(commands, typed) {
  const wanted = typed.toLowerCase();
  const names = ({ name, aliases = [] }) => [name, ...aliases].map((text) => text.toLowerCase());
  const begins = (command) => names(command).some((text) => text.startsWith(wanted));
  const holds = (command) =>
    [...names(command), command.description.toLowerCase()].some((text) => text.includes(wanted));
  return [...commands.filter(begins), ...commands.filter((one) => !begins(one) && holds(one))];
}

export class CommandList {
  #list;
  #input;
  #choose;
  #announcer;
  /** @type {import("runwire/kit").SlashCommand[]} */
  #commands = [];
  #shown = [];
  #active = 0;

  /**
   * @param {HTMLElement} list @param {HTMLTextAreaElement} input which it completes
   * @param {(command: import("runwire/kit").SlashCommand) => void} choose
   * @param {import("../../views/announcer.js").Announcer} announcer
   */
  constructor(list, input, choose, announcer) {
    this.#list = list;
    this.#input = input;
    this.#choose = choose;
    this.#announcer = announcer;
    // The focus stays where the text is typed.
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.#take([...list.children].indexOf(option));
    });
    input.addEventListener("input", () => this.#match());
    input.addEventListener("blur", () => this.close());
  }

  get isOpen() {
    return !this.#list.hidden;
  }

  /** @param {import("runwire/kit").SlashCommand[]} commands */
  set commands(commands) {
    if (commands === this.#commands) return;
    this.#commands = commands;
    if (this.isOpen) this.#match();
  }

  close() {
    this.#list.hidden = true;
    this.#input.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it was for the list */
  key(event) {
    if (!this.isOpen) return false;
    const count = this.#shown.length;
    switch (event.key) {
      case "ArrowDown":
        this.#activate((this.#active + 1) % count);
        break;
      case "ArrowUp":
        this.#activate((this.#active + count - 1) % count);
        break;
      case "Enter":
      case "Tab":
        // What is typed out already is for whoever sends it.
        if (event.shiftKey || (event.key === "Enter" && this.#isTypedOut)) return false;
        this.#take(this.#active);
        break;
      case "Escape":
        this.close();
        break;
      default:
        return false;
    }
    event.preventDefault();
    return true;
  }

  get #isTypedOut() {
    const { name, aliases = [] } = this.#shown[this.#active];
    return [name, ...aliases].some((text) => this.#input.value === `/${text}`);
  }

  #match() {
    const [, typed] = /^\/(\S*)$/.exec(this.#input.value) ?? [];
    this.#shown = typed === undefined ? [] : matching(this.#commands, typed);
    if (this.#shown.length === 0) {
      this.close();
      return;
    }
    this.#list.replaceChildren(...this.#shown.map(option));
    this.#list.hidden = false;
    this.#activate(0);
    this.#announcer.say(plural(this.#shown.length, "command"));
  }

  #activate(index) {
    this.#active = index;
    for (const [at, element] of [...this.#list.children].entries())
      element.setAttribute("aria-selected", String(at === index));
    const active = this.#list.children[index];
    this.#input.setAttribute("aria-activedescendant", active.id);
    active.scrollIntoView({ block: "nearest" });
  }

  #take(index) {
    const command = this.#shown[index];
    this.close();
    this.#choose(command);
  }
}

function option({ name, description, argumentHint, aliases = [] }, index) {
  const names = [name, ...aliases].map((text) => `/${showOnOneLine(text)}`).join(", ");
  return el(
    "div",
    { role: "option", id: `chat-command-${index}`, "aria-selected": "false" },
    el("span", { class: "command-name" }, untrusted(names), " ", untrusted(argumentHint, { class: "hint" })),
    el("span", { class: "command-about" }, untrusted(description)),
  );
}
