// Before a release: any mix of what a promise is kept through, and reloads in it, leaves a run whole.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pick, randomOf } from "../lib/random.mjs";
import {
  assertWhole,
  contentOf,
  press,
  start,
  textOf,
  troubled as expected,
  until,
  untilOver,
  untilText,
  withPage,
} from "./site.mjs";

const SEEDS = 8;
const skip = process.env.RUNWIRE_TEST_RELEASE !== "1" && "before a release only";

const actions = {
  cut: (page) => press(page, "cut"),
  refuse: (page) => press(page, "refuse-id"),
  stall: (page) => press(page, "stall"),
  unavailable: (page) => press(page, "unavailable"),
  reload: (page) => page.reload(),
  /** Not twice in the same connection. */
  open: (page) => untilText(page, "#connection", /^(Open|Closed)$/),
};
const names = Object.keys(actions);

async function undisturbed(scenario) {
  let content;
  await withPage(async (page) => {
    await start(page, { scenario });
    await untilOver(page, "(Finished|Failed)");
    content = await contentOf(page);
  });
  return content;
}

describe("any mix", { skip, concurrency: 4 }, () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(`of trouble and reloads is survived (seed ${seed})`, () =>
      withPage(
        async (page) => {
          const random = randomOf(seed);
          const scenario = pick(random, ["coding", "coding", "coding", "error"]);
          await start(page, { scenario, pace: pick(random, ["5", "5", "20"]) });
          for (let events = 0; ; ) {
            events += 1 + random(30);
            const reached = (count) =>
              Number(document.querySelector("#events").textContent) >= count ||
              /Finished|Failed/.test(document.querySelector("#state").textContent);
            await until(page, reached, { args: [events] });
            // A reload after the end would show nothing any more.
            if (/Finished|Failed/.test(await textOf(page, "#state"))) break;
            await actions[pick(random, names)](page);
          }
          await untilOver(page, "(Finished|Failed)");
          await assertWhole(page);
          assert.deepEqual(await contentOf(page), await undisturbed(scenario));
        },
        { expected },
      ));
  }
});
