// Following a run in the page: it starts, grows, ends; it can be stopped.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { textFigures } from "../lib/expected-text.mjs";
import {
  assertWhole,
  start,
  textOf,
  untilCalls,
  untilOver,
  untilShown,
  untilState,
  watchGrowth,
  withPage,
} from "./site.mjs";

describe("a run in the page", { concurrency: 4 }, () => {
  test("the transcript grows while the run goes on, and ends as the service sent it", () =>
    withPage(async (page) => {
      const lengthsSeen = await watchGrowth(page, "#transcript");
      await start(page);
      await untilOver(page, "Finished");
      const lengths = await lengthsSeen();
      assert.ok(lengths > 5, `it was seen to grow ${lengths} times`);
      assert.match(await textOf(page, "#transcript"), /^.*I'll look at the lexer.*128 tests.*Finished/s);
      const { checksum, characters } = await textFigures("coding");
      assert.equal(await textOf(page, "#checksum"), checksum);
      assert.equal(await textOf(page, "#verdict"), `all ${characters} as the scenario`);
      assert.equal(await textOf(page, "#tally"), "9 completed, 1 failed");
      assert.equal(await textOf(page, "#connection"), "Closed");
      assert.ok(Number(await textOf(page, "#events")) > 200);
      assert.match(await textOf(page, "#bytes"), /^\d+\.\d kB$/);
      assert.equal((await page.$$("#chart .bar")).length, 10);
      assert.match(await page.$eval("#chart", (chart) => chart.ariaLabel), /10 tool calls, 1 failed/);
    }));

  test("thinking is folded until it is opened", () =>
    withPage(async (page) => {
      await start(page);
      await untilOver(page, "Finished");
      const shown = () => page.$eval(".thinking > p", (element) => element.checkVisibility());
      assert.equal(await shown(), false);
      await page.click(".thinking summary");
      assert.equal(await shown(), true);
    }));

  test("a tool call opens to its arguments and its result", () =>
    withPage(async (page) => {
      await start(page);
      await untilOver(page, "Finished");
      await page.click("#tools [data-status=error]");
      await untilShown(page, "#tools details[open] .values");
      const values = await textOf(page, "#tools .values");
      assert.match(values, /Arguments.*scripts\/publish\.sh.*Result.*EACCES: permission denied/s);
    }));

  test("the timeline has a table that says the same", () =>
    withPage(async (page) => {
      await start(page);
      await untilOver(page, "Finished");
      await page.click("#table-details summary");
      await untilShown(page, "#table tbody tr");
      const rows = await page.$$eval("#table tbody tr", (all) =>
        all.map((row) => [...row.cells].map((cell) => cell.textContent)),
      );
      assert.equal(rows.length, 10);
      assert.deepEqual(rows[0].slice(0, 3), ["read_file", "src/lexer.ts", "completed"]);
      assert.equal(rows.filter(([, , state]) => state === "failed").length, 1);
    }));

  test("Stop ends the run, and all that came before is there", () =>
    withPage(async (page) => {
      await page.evaluate(() => {
        globalThis.labels = [];
        const button = document.querySelector("#stop");
        const remember = () => globalThis.labels.push(button.textContent);
        new MutationObserver(remember).observe(button, {
          childList: true,
          characterData: true,
          subtree: true,
        });
      });
      await start(page, { pace: "5" });
      await untilCalls(page, 1);
      await page.click("#stop");
      await untilOver(page, "Cancelled");
      await assertWhole(page);
      assert.deepEqual(await page.evaluate(() => globalThis.labels), ["Stopping…", "Stop"]);
      assert.equal(await page.$eval("#stop", (button) => button.ariaDisabled), "true");
      assert.equal(await textOf(page, "#start"), "Start run");
      assert.equal(await page.$eval("#notice", (notice) => notice.hidden), true);
    }));

  test("a run that fails is a result, not a failure to follow it", () =>
    withPage(async (page) => {
      await start(page, { scenario: "error" });
      await untilOver(page, "Failed");
      assert.match(await textOf(page, ".ending"), /environment stopped while "npm ci" was running/);
      assert.equal(await page.$eval("#notice", (notice) => notice.hidden), true);
    }));

  test("another run takes the place of the one that is followed", () =>
    withPage(async (page) => {
      await start(page, { pace: "1" });
      await untilState(page, "Running");
      await start(page, { scenario: "example", pace: "20" });
      await untilOver(page, "Finished");
      assert.match(await textOf(page, "#transcript"), /^I'll update the README now\./);
      assert.equal(await textOf(page, "#verdict"), "all 27 characters as the scenario");
      assert.equal(await textOf(page, "#tally"), "0 completed, 1 did not end");
    }));
});
