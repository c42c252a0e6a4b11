// The timeline: when events came, by kind, and under it each tool call as a bar; one axis of time for all.

import { formatDuration, plural } from "../../shared/format.mjs";
import { el } from "../dom.js";
import { activityPaths } from "./activity-paths.js";
import { statusWord, toolTime } from "./tool-line.js";

/** Lanes that fit; the calls of further ones share the last. */
const LANES = 6;
/** Bars that are drawn: the newest. */
const BARS = 120;
const REDRAW_MS = 100;
/** The spans of time that the axis shows while the run goes on, in seconds. */
const spans = [5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1800, 3600];

export class Timeline {
  #chart;
  #activity = activityPaths();
  #gaps = el("div", { class: "gaps" });
  #bars = el("div", { class: "bars" });
  #axis = el("div", { class: "axis" });
  #playhead = el("div", { class: "playhead" });
  /** @type {Map<number, HTMLElement>} */
  #shown = new Map();
  #drawnAt = 0;
  #axisSpan = 0;

  /** @param {HTMLElement} chart */
  constructor(chart) {
    this.#chart = chart;
    const signal = el("div", { class: "signal" }, this.#gaps, this.#activity.element);
    chart.append(signal, this.#bars, this.#axis, this.#playhead);
    this.#drawAxis(10_000);
  }

  reset() {
    this.#shown.clear();
    this.#bars.replaceChildren();
    this.#gaps.replaceChildren();
    this.#activity.draw(undefined, 1);
    this.#drawnAt = 0;
  }

  /** @param {import("../follow.js").FollowedRun} followed */
  update(followed) {
    const now = performance.now();
    const over = followed.outcome !== undefined;
    // Finer than this nobody sees, and every redraw is a layout of all bars.
    if (!over && now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    const { model, connection, elapsed } = followed;
    const span = over ? Math.max(elapsed, 1000) : spanFor(elapsed);
    this.#drawAxis(span);
    this.#activity.draw(model.activity, span);
    this.#drawBars(model, elapsed, span);
    this.#drawGaps(connection.gaps, elapsed, span);
    this.#playhead.style.left = percent(elapsed, span);
    this.#chart.toggleAttribute("data-live", !over);
    // Changing words under a reader is a nuisance: once at the end is enough.
    if (over) this.#chart.setAttribute("aria-label", describe(model, elapsed));
    else this.#chart.setAttribute("aria-label", "Timeline of the run that is being followed");
  }

  #drawAxis(span) {
    if (span === this.#axisSpan) return;
    this.#axisSpan = span;
    const step = tickStep(span);
    const ticks = [];
    for (let at = 0; at <= span * 0.88; at += step) {
      const tick = el("span", { class: "tick" }, tickLabel(at));
      tick.style.left = percent(at, span);
      ticks.push(tick);
    }
    this.#axis.replaceChildren(...ticks);
  }

  #drawBars(model, elapsed, span) {
    const tools = model.tools.slice(-BARS);
    const first = tools[0]?.id ?? 0;
    for (const [id, bar] of this.#shown) {
      if (id >= first) break;
      bar.remove();
      this.#shown.delete(id);
    }
    let lanes = 1;
    for (const tool of tools) {
      const bar = this.#shown.get(tool.id) ?? this.#addBar(tool);
      const lane = Math.min(tool.lane, LANES - 1);
      lanes = Math.max(lanes, lane + 1);
      bar.dataset.status = tool.status;
      bar.style.left = percent(tool.began, span);
      bar.style.width = percent((tool.ended ?? elapsed) - tool.began, span);
      bar.style.setProperty("--lane", String(lane));
    }
    this.#bars.style.setProperty("--lanes", String(lanes));
  }

  #addBar(tool) {
    const label = el("span", {}, tool.name);
    const bar = el("div", { class: "bar", title: `${tool.name} ${tool.target}`.trim() }, label);
    this.#shown.set(tool.id, bar);
    this.#bars.append(bar);
    return bar;
  }

  #drawGaps(gaps, elapsed, span) {
    while (this.#gaps.childElementCount < gaps.length) this.#gaps.append(el("div", { class: "gap" }));
    for (const [index, { from, to = elapsed }] of gaps.entries()) {
      const { style } = this.#gaps.children[index];
      style.left = percent(from, span);
      style.width = percent(to - from, span);
    }
  }
}

/** The calls as a table, for whoever the chart says nothing to; made when it is opened. */
export class TimelineTable {
  #details;
  #place;

  /** @param {HTMLDetailsElement} details @param {HTMLElement} place @param {() => import("../model.js").RunModel | undefined} model */
  constructor(details, place, model) {
    this.#details = details;
    this.#place = place;
    // On a phone it is wider than its place.
    place.tabIndex = 0;
    details.addEventListener("toggle", () => this.update(model()));
  }

  /** @param {import("../model.js").RunModel | undefined} model */
  update(model) {
    if (!this.#details.open) return;
    const head = ["Tool", "About", "State", "Began", "Took"].map((title) =>
      el("th", { scope: "col" }, title),
    );
    const rows = (model?.tools ?? []).map((tool) => {
      const { name, target, status, began } = tool;
      const values = [target, statusWord(status), formatDuration(began), toolTime(tool)];
      const cells = values.map((text) => el("td", {}, text));
      return el("tr", {}, el("th", { scope: "row" }, name), ...cells);
    });
    const caption = el("caption", {}, model ? captionOf(model) : "No run yet");
    this.#place.replaceChildren(
      el("table", {}, caption, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)),
    );
  }
}

function captionOf({ tools, toolsDropped }) {
  return toolsDropped > 0
    ? `The newest ${plural(tools.length, "tool call")}`
    : plural(tools.length, "tool call");
}

function describe(model, elapsed) {
  const { completed, error, running, unfinished } = model.toolCounts;
  const failed = error > 0 ? `, ${error} failed` : "";
  return `Timeline: ${plural(completed + error + running + unfinished, "tool call")}${failed}, in ${formatDuration(elapsed)}. The table below has them all.`;
}

function percent(at, span) {
  return `${((100 * at) / span).toFixed(3)}%`;
}

function spanFor(elapsed) {
  const seconds = spans.find((candidate) => candidate * 1000 >= elapsed * 1.02);
  return seconds === undefined ? elapsed * 1.25 : seconds * 1000;
}

function tickStep(span) {
  const steps = [0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
  return 1000 * (steps.find((step) => step * 1000 * 7.5 >= span) ?? span / 7000);
}

function tickLabel(at) {
  if (at < 120_000) return `${Number((at / 1000).toFixed(1))} s`;
  return `${Number((at / 60_000).toFixed(1))} min`;
}
