// The page's fault buttons: it says what happens to the connection, and the text is in the end as in the scenario.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  assertWhole,
  HELD,
  keep,
  press,
  remember,
  start,
  textOf,
  TO_THE_END,
  troubled as expected,
  until,
  untilCalls,
  untilOver,
  untilShown,
  untilState,
  untilText,
  withPage,
} from "./site.mjs";

const enabled = (page, selector) =>
  page.$$eval(selector, (all) => all.map((button) => button.getAttribute("aria-disabled") === "false"));

// Most of it is waiting.
describe("the fault buttons", { concurrency: 6 }, () => {
  test("a run whose connection is cut again and again is whole", () =>
    withPage(
      async (page) => {
        await remember(page, "#announcer");
        await start(page, { pace: "5" });
        for (const calls of [1, 3, 5]) {
          await untilCalls(page, calls);
          await untilText(page, "#connection", /^Open$/);
          await press(page, "cut");
        }
        await untilOver(page, "Finished");
        await assertWhole(page);
        assert.equal(await textOf(page, "#tally"), "9 completed, 1 failed");
        assert.equal(await textOf(page, "#connection"), "Closed");
        assert.equal(await textOf(page, "#connection-remark"), "4 connections in all");
        assert.equal((await page.$$("#chart .gap")).length, 3);
        const said = await page.evaluate(() => globalThis.said.join());
        assert.match(said, /Connection lost: the connection broke\. Reconnecting.*Connected again/s);
        assert.equal(await page.$eval("#notice", (notice) => notice.hidden), true);
      },
      { expected },
    ));

  test("ten seconds of 503 are counted down, and a Stop that fails meanwhile is said to", () =>
    withPage(
      async (page) => {
        await remember(page, "#connection");
        await start(page, { pace: "5" });
        await untilCalls(page, 4);
        await press(page, "unavailable");
        const counts = () =>
          globalThis.said.filter((text) => /^Reconnecting in \d\.\d s$/.test(text)).length > 8;
        await until(page, counts, { rate: HELD });
        await untilText(page, "#connection-remark", /^the service answers 503, attempt \d$/);
        await keep(page, "page-waiting");

        await page.click("#stop");
        await untilText(page, "#notice", /^The run could not be stopped: ./);
        assert.equal(await textOf(page, "#state"), "Running");
        assert.deepEqual(await enabled(page, "#stop"), [true]);

        await untilOver(page, "Finished");
        await assertWhole(page);
      },
      { expected },
    ));

  test("a connection that goes silent is replaced", () =>
    withPage(
      async (page) => {
        await start(page, { pace: "5" });
        await untilCalls(page, 4);
        await press(page, "stall");
        await untilOver(page, "Finished");
        await assertWhole(page);
        assert.equal((await page.$$("#chart .gap")).length, 1);
      },
      { expected },
    ));

  test("a refused id leads to another start, and nothing twice", () =>
    withPage(
      async (page) => {
        const refused = [];
        page.on("response", (response) => response.status() === 400 && refused.push(response.url()));
        await start(page, { pace: "5" });
        await untilCalls(page, 4);
        await press(page, "refuse-id");
        await untilOver(page, "Finished");
        await assertWhole(page);
        assert.equal(await textOf(page, "#tally"), "9 completed, 1 failed");
        assert.equal(refused.length, 1);
      },
      { expected },
    ));

  test("all of it in one run leaves it whole", () =>
    withPage(
      async (page) => {
        await start(page, { pace: "5" });
        for (const [calls, fault] of [
          [1, "refuse-id"],
          [2, "stall"],
          [3, "cut"],
          [5, "unavailable"],
          [5, "cut"],
        ]) {
          await untilCalls(page, calls);
          await press(page, fault);
        }
        await untilOver(page, "Finished");
        await assertWhole(page);
        assert.equal(await textOf(page, "#tally"), "9 completed, 1 failed");
      },
      { expected },
    ));

  test("what an expired stream takes away is called missing, and the run's end is still told", () =>
    withPage(
      async (page) => {
        await start(page, { pace: "5" });
        await untilCalls(page, 4);
        await press(page, "expire");
        await untilShown(page, "#notice:not([hidden])");
        assert.match(
          await textOf(page, "#notice"),
          /no longer keeps this run.s stream: the rest of its text is missing/,
        );
        assert.deepEqual([...new Set(await enabled(page, "[data-fault]"))], [false]);
        await untilState(page, "Finished", { rate: TO_THE_END });
        await untilShown(page, "#checksum[data-verdict=incomplete]");
        assert.match(await textOf(page, "#verdict"), /^\d+ of the scenario's [\d,]+ characters$/);
        assert.doesNotMatch(await textOf(page, "#tally"), /running/);
        assert.match(await textOf(page, ".ending"), /record says.*128 tests/s);
        await keep(page, "page-expired");
      },
      { expected },
    ));

  test("trouble can be made only while a run is followed", () =>
    withPage(async (page) => {
      assert.deepEqual([...new Set(await enabled(page, "[data-fault]"))], [false]);
      await press(page, "cut");
      await start(page, { pace: "5" });
      await untilShown(page, "[data-fault='cut'][aria-disabled='false']");
      await untilOver(page, "Finished");
      assert.deepEqual([...new Set(await enabled(page, "[data-fault]"))], [false]);
    }));

  for (const scenario of ["status-only", "warm-up"]) {
    test(`${scenario}: the run's end is found all the same`, () =>
      withPage(
        async (page) => {
          await start(page, { scenario });
          await untilOver(page, "Finished");
          await assertWhole(page);
        },
        { expected },
      ));
  }
});
