// Times the sides of one comparison in turn, so that whatever disturbs one of them disturbs the others too.

import { median } from "./stats.mjs";

/** Rounds that are run and not counted: the engine compiles, pages are touched, pools fill. */
const WARM_UP = 3;

/** What a side comes to that only sets a bound, and adds nothing up. */
export const NO_SUM = Symbol("no sum");

/**
 * The median time of each side, in milliseconds. A side is prepared outside the measured time and then run; all
 * sides must come to the same sum, so that none is measured while it leaves something out. Every other round
 * goes in reverse order, so that no side always runs in the wake of the same other.
 * @param {Record<string, () => Promise<() => unknown> | (() => unknown)>} sides
 * @param {number} rounds
 * @param {() => number} [clock] in milliseconds
 * @returns {Promise<Record<string, number>>}
 */
export async function interleave(sides, rounds, clock = () => performance.now()) {
  const names = Object.keys(sides);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  let expected;
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const run = await sides[name]();
      await macrotask();
      const start = clock();
      const sum = await run();
      const time = clock() - start;
      if (sum !== NO_SUM) expected ??= sum;
      if (sum !== NO_SUM && sum !== expected)
        throw new Error(`${name} came to ${sum}, another side to ${expected}`);
      if (round >= 0) times[name].push(time);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])]));
}

/** Let what the last run left over (closed streams, settled promises) finish outside the measured time. */
function macrotask() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
