// A long run at full speed: the page goes on reacting and does not grow without end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertWhole, start, textOf, until, untilOver, untilShown, withPage } from "./site.mjs";

const release = process.env.RUNWIRE_TEST_RELEASE === "1";

/** Until so many events have come. */
function untilEvents(page, least) {
  const reached = (count) =>
    Number(document.querySelector("#events").textContent.replaceAll(",", "")) >= count;
  return until(page, reached, { args: [least] });
}

/** Of a run that was over before it could be stopped. */
const expected = /^(409: .*\/cancel$|console: )/;

test("tens of thousands of frames neither freeze the page nor fill it", () =>
  withPage(
    async (page) => {
      await page.evaluate(() => {
        globalThis.seen = new Set();
        const look = () => {
          globalThis.seen.add(document.querySelector("#events").textContent);
          requestAnimationFrame(look);
        };
        look();
      });
      await start(page, { scenario: "long", pace: "full" });
      if (release) {
        await untilOver(page, "Finished");
        assert.equal(await textOf(page, "#events"), "94,999");
        assert.equal(await textOf(page, "#tally"), "5,000 completed");
      } else {
        await untilEvents(page, 20_000);
        await page.click("#stop");
        await untilShown(page, "#checksum[data-verdict=same]");
      }
      await assertWhole(page);
      assert.match(await textOf(page, ".dropped"), /^[\d,]+ earlier parts are counted/);
      const elements = await page.$$eval("*", (all) => all.length);
      assert.ok(elements < 5000, `${elements} elements`);
      const seen = await page.evaluate(() => globalThis.seen.size);
      assert.ok(seen > 10, `while they came, the page was drawn ${seen} times`);
    },
    { expected },
  ));
