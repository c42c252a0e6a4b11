// A long run at full speed: the page goes on reacting and does not grow without end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { start, textOf, untilOver, withPage } from "./site.mjs";

test("100,000 frames neither freeze the page nor fill it", () =>
  withPage(async (page) => {
    await page.evaluate(() => {
      globalThis.slowest = 0;
      let last = performance.now();
      const frame = (now) => {
        globalThis.slowest = Math.max(globalThis.slowest, now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
    await start(page, { scenario: "long", pace: "full" });
    await untilOver(page, "Finished", 120_000);
    assert.match(await textOf(page, "#checksum"), /, all [\d,]{7} characters as sent$/);
    assert.equal(await textOf(page, "#events"), "94,999");
    assert.equal(await textOf(page, "#tally"), "5,000 completed");
    assert.match(await textOf(page, ".dropped"), /^[\d,]+ earlier parts are counted/);
    const elements = await page.$$eval("*", (all) => all.length);
    assert.ok(elements < 5000, `${elements} elements`);
    // Far below what a freeze would be, and far above what a busy machine makes of a frame.
    const slowest = await page.evaluate("globalThis.slowest");
    assert.ok(slowest < 1000, `the slowest frame took ${slowest} ms`);
  }));
