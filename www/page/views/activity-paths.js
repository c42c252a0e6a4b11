// The upper part of the timeline: how many events of each kind came, as stacked columns in one SVG.

import { KINDS } from "../activity.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000;
const HEIGHT = 100;

/** An SVG that is stretched to its place, with one path a kind. */
export function activityPaths() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const paths = KINDS.map((kind) => {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", `activity-${kind}`);
    svg.append(path);
    return path;
  });
  return {
    element: svg,
    /** @param {import("../activity.js").Activity | undefined} activity @param {number} span in milliseconds */
    draw(activity, span) {
      const shapes = activity ? columns(activity, span) : KINDS.map(() => "");
      for (const [kind, path] of paths.entries()) path.setAttribute("d", shapes[kind]);
    },
  };
}

function columns(activity, span) {
  const shapes = KINDS.map(() => "");
  const slots = [...activity.slots()];
  const total = ({ counts }) => counts.reduce((sum, count) => sum + count, 0);
  const most = Math.max(1, ...slots.map(total));
  const width = (WIDTH * activity.slotMs) / span;
  for (const slot of slots) {
    const sum = total(slot);
    if (sum === 0) continue;
    // By the root, so that a trickle is still seen beside a burst.
    const height = Math.max(HEIGHT * Math.sqrt(sum / most), 6);
    const x = (WIDTH * slot.at) / span;
    let y = HEIGHT;
    for (const [kind, count] of slot.counts.entries()) {
      if (count === 0) continue;
      const part = (height * count) / sum;
      y -= part;
      // A little narrower than its slot: columns, not an area.
      shapes[kind] +=
        `M${fixed(x)} ${fixed(y)}h${fixed(width * 0.72)}v${fixed(part)}h${fixed(-width * 0.72)}z`;
    }
  }
  return shapes;
}

function fixed(value) {
  return Number(value.toFixed(2));
}
