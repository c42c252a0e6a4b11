// The menu of scenarios, the choice of pace, Start and Stop, and the buttons that make trouble.

import { faults, paces, scenarios } from "../../scenarios.mjs";
import { byId, el, enable, isEnabled, setText } from "../dom.js";

const DEFAULT_PACE = "5";

/**
 * @typedef {object} ControlEvents
 * @property {(scenario: string, pace: string) => void} start
 * @property {() => void} stop
 * @property {(fault: string) => void} fault
 */

export class Controls {
  #scenario = byId("scenario");
  #paces = byId("paces");
  #start = byId("start");
  #stop = byId("stop");
  #faults;

  /** @param {ControlEvents} events */
  constructor(events) {
    this.#scenario.append(...scenarios.map(({ id, label }) => el("option", { value: id }, label)));
    for (const { id, label, about } of paces) this.#paces.append(...segment(id, label, about));
    this.#faults = faults.map(({ id, label, about }) => {
      const button = el("button", { type: "button", title: about, "data-fault": id }, label);
      button.addEventListener("click", () => isEnabled(button) && events.fault(id));
      return button;
    });
    byId("faults").append(...this.#faults);
    this.#scenario.addEventListener("change", () => this.#describe());
    byId("controls").addEventListener("submit", (event) => {
      event.preventDefault();
      events.start(this.scenario, this.pace);
    });
    this.#stop.addEventListener("click", () => isEnabled(this.#stop) && events.stop());
    this.#describe();
    this.update();
  }

  get scenario() {
    return this.#scenario.value;
  }

  get pace() {
    return this.#paces.querySelector("input:checked").value;
  }

  /** What a run was started with, in words. */
  describe(scenario, pace) {
    const labelOf = (offers, id) => offers.find((offer) => offer.id === id)?.label ?? "";
    return `${labelOf(scenarios, scenario)}, ${labelOf(paces, pace)}`;
  }

  /** Shows what a run that goes on after a reload was started with. */
  choose(scenario, pace) {
    this.#scenario.value = scenario;
    for (const input of this.#paces.querySelectorAll("input")) input.checked = input.value === pace;
    this.#describe();
  }

  /** @param {import("../follow.js").FollowedRun} [followed] */
  update(followed) {
    const running = followed !== undefined && followed.outcome === undefined;
    const { stopping = false, status, streamError } = followed ?? {};
    const stoppable = running && !stopping && (status === undefined || status === "running");
    setText(this.#start, running ? "Start another" : "Start run");
    setText(this.#stop, stopping ? "Stopping…" : "Stop");
    enable(this.#stop, stoppable);
    // Without a stream there is nothing that they could do to it.
    for (const button of this.#faults) enable(button, running && streamError === undefined);
  }

  #describe() {
    const offer = scenarios.find(({ id }) => id === this.scenario);
    setText(byId("about"), offer?.about ?? "");
  }
}

function segment(id, label, about) {
  const input = el("input", {
    type: "radio",
    name: "pace",
    value: id,
    id: `pace-${id}`,
    checked: id === DEFAULT_PACE,
  });
  return [input, el("label", { for: `pace-${id}`, title: about }, label)];
}
