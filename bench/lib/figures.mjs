// From the rows of the cases to named figures, and the bar each figure is held to.

import { geometricMean } from "./stats.mjs";

/** How each case's rows become figures: `<name>.<engine>.<what>` → number. */
export function figuresOf(engine, rows) {
  const figures = {};
  for (const row of rows) {
    const key = (what) => `${row.name}.${engine}.${what}`;
    switch (row.name) {
      case "decode":
      case "session":
      case "iterate":
      case "reader":
      case "retained":
        figures[key(row.size)] = row.peer / row.ours;
        break;
      case "loopback":
        figures[key("cpu")] = (row.ours - row.drain) / (row.peer - row.drain);
        break;
      case "loopbackPeak":
        figures[`loopback.${engine}.peak`] = row.ours / row.peer;
        break;
      case "memory":
        figures[key("heap")] = row.last.heap / row.first.heap;
        figures[key("wasm")] = row.last.wasm / row.first.wasm;
        break;
      case "large":
        figures[key("time")] = row.large / row.small;
        figures[key("peak")] = row.peak;
        figures[key("left")] = row.left;
        break;
      default:
        throw new Error(`no figure is made of ${row.name}`);
    }
  }
  const means = rows.filter(({ name }) => name === "decode").map(({ peer, ours }) => peer / ours);
  if (means.length > 1) figures[`decode.${engine}.mean`] = geometricMean(means);
  return figures;
}

/** The figures of what a page loads, in bytes, from the rows of scripts/size.mjs. */
export function sizeFigures(pages) {
  const figures = {};
  for (const [page, { total, wasm, js }] of Object.entries(pages)) {
    figures[`size.${page}.gzip`] = total.gzip;
    figures[`size.${page}.brotli`] = total.brotli;
    figures[`size.${page}.wasm.gzip`] = wasm.gzip;
    figures[`size.${page}.js.gzip`] = js.gzip;
  }
  return figures;
}

const iterateBars = { node: 3.0, chromium: 3.5, firefox: 2.2 };

/**
 * The bar of a figure, `{ least }` or `{ most }`; undefined where there is none.
 * @param {string} key
 * @returns {{ least?: number, most?: number } | undefined}
 */
export function barOf(key) {
  const [name, engine, what] = key.split(".");
  switch (name) {
    case "decode":
      return { least: what === "mean" ? 2.1 : 1.7 };
    case "session":
      return { least: 1.5 };
    case "iterate":
      return { least: iterateBars[engine] };
    case "reader":
      return { least: Number(what) <= 1024 ? 1.7 : 1.25 };
    case "loopback":
      return { most: what === "cpu" ? 0.6 : 1.2 };
    case "memory":
      return { most: 1.1 };
    case "retained":
      // Equal is what is asked for, as far as a heap can be weighed: Firefox counts arenas, in which what is
      // kept lies among what was dropped. A message that held its chunk would weigh many times as much.
      return { least: engine === "firefox" ? 0.8 : 0.95 };
    case "large":
      return { time: { most: 2.2 }, peak: { most: 4.1 }, left: { most: 0.05 } }[what];
    case "size":
      return { "size.Agent.gzip": { most: 55_000 }, "size.kit.gzip": { most: 60_000 } }[key];
    default:
      return undefined;
  }
}

/** Whether a figure meets its bar; one without a bar always does. */
export function meets(key, value) {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = barOf(key) ?? {};
  return value >= least && value <= most;
}
