// The page on a phone and on a desk, light and dark: nothing is cut off, all of it can be read.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { choose, faintText, lowOnes } from "./looks.mjs";
import {
  DESKTOP,
  HELD,
  keep,
  onlyChromium,
  PHONE,
  sidewaysScroll,
  start,
  until,
  untilCalls,
  untilOver,
  untilShown,
  untilState,
  withPage,
} from "./site.mjs";

describe("the page", { concurrency: 4 }, () => {
  test("a phone of 360 pixels shows all of it without scrolling sideways", () =>
    withPage(
      async (page) => {
        assert.equal(await sidewaysScroll(page), 0, "before a run");
        await start(page);
        await untilOver(page, "Finished");
        assert.equal(await sidewaysScroll(page), 0, "after a run");
        await keep(page, "page-phone", { fullPage: true });
        await page.click("#table-details summary");
        await untilShown(page, "#table tbody tr");
        assert.equal(await sidewaysScroll(page), 0, "with the table open");
      },
      { viewport: PHONE },
    ));

  test("buttons and choices are large enough for a thumb", () =>
    withPage(
      async (page) => {
        assert.deepEqual(await page.$$eval("button, select, .segments label", lowOnes), []);
      },
      { viewport: PHONE },
    ));

  test("on a desk the whole page fits into the window", () =>
    withPage(async (page) => {
      await start(page);
      await untilCalls(page, 6);
      await keep(page, "page-running");
      await untilOver(page, "Finished");
      const over = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
      assert.equal(over, 0);
      await keep(page, "page-light");
      await choose(page, "dark");
      await keep(page, "page-dark");
    }));

  test("the theme's button overrules the system, and a reload remembers it", { skip: onlyChromium }, () =>
    withPage(async (page) => {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
      const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await scheme();
      await page.click("#theme");
      assert.equal(await scheme(), light);
      await page.click("#theme");
      const dark = await scheme();
      assert.notEqual(dark, light);
      await page.reload();
      assert.equal(await scheme(), dark);
    }),
  );

  for (const scheme of ["light", "dark"]) {
    test(`all text has the contrast that WCAG AA asks for (${scheme})`, () =>
      withPage(async (page) => {
        await choose(page, scheme);
        await start(page);
        await untilCalls(page, 7);
        assert.deepEqual(await page.evaluate(faintText), [], "while it runs");
        await untilOver(page, "Finished");
        await page.$$eval("details", (all) => {
          for (const details of all) details.open = true;
        });
        await untilShown(page, "#tools .values");
        assert.deepEqual(await page.evaluate(faintText), [], "when it is over");
      }));
  }

  test("whoever reads further up is left there, and Latest leads back", () =>
    withPage(
      async (page) => {
        await start(page, { pace: "5" });
        const isLong = () => {
          const { scrollHeight, clientHeight } = document.querySelector("#transcript");
          return scrollHeight > clientHeight + 200;
        };
        await until(page, isLong);
        const before = await page.$eval("#transcript", (scroller) => {
          scroller.scrollTop = 40;
          return scroller.scrollHeight;
        });
        const grown = (height) => document.querySelector("#transcript").scrollHeight > height + 100;
        await until(page, grown, { args: [before] });
        assert.equal(await page.$eval("#transcript", (scroller) => scroller.scrollTop), 40);
        await page.click("#latest");
        await page.click("#stop");
        await untilState(page, "Cancelled", { rate: HELD });
        await untilShown(page, ".ending");
        const left = await page.$eval(
          "#transcript",
          ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
        );
        assert.ok(left < 2, `${left} px below`);
      },
      { viewport: { ...DESKTOP, height: 600 } },
    ));
});
