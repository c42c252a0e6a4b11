// The page's fault buttons: whatever happens to the connection, the text is in the end as it was sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { start, textOf, untilOver, withPage } from "./site.mjs";

/** What a browser says of connections that die and requests that are refused, as they are meant to be here. */
const expected = /^(request failed: |4\d\d: |503: |console: Failed to load resource)/;

function untilConnection(page, words) {
  const says = (pattern) => new RegExp(pattern).test(document.querySelector("#connection").textContent);
  return page.waitForFunction(says, { polling: 20 }, words);
}

async function press(page, fault) {
  await page.click(`[data-fault="${fault}"]`);
}

const until = (page, calls) => page.waitForSelector(`#tools li:nth-child(${calls})`);

test("a run whose connection is cut again and again is whole", () =>
  withPage(
    async (page) => {
      await start(page, { pace: "5" });
      for (const calls of [1, 4, 5, 8]) {
        await until(page, calls);
        await press(page, "cut");
      }
      await untilOver(page, "Finished");
      assert.match(await textOf(page, "#checksum"), /as sent$/);
      assert.equal(await textOf(page, "#tally"), "9 completed, 1 failed");
      assert.equal((await page.$$("#chart .gap")).length, 4);
      assert.equal(await page.$eval("#notice", (notice) => notice.hidden), true);
    },
    { expected },
  ));

test("a refused id leads to another start, and nothing twice", () =>
  withPage(
    async (page) => {
      await start(page, { pace: "5" });
      await until(page, 4);
      await press(page, "refuse-id");
      await untilOver(page, "Finished");
      assert.match(await textOf(page, "#checksum"), /as sent$/);
      assert.equal(await textOf(page, "#tally"), "9 completed, 1 failed");
    },
    { expected },
  ));

test("ten seconds without a service are survived and shown", () =>
  withPage(
    async (page) => {
      await start(page, { pace: "5" });
      await until(page, 4);
      await press(page, "unavailable");
      await untilConnection(page, "^(Waiting|Reconnecting)");
      await untilOver(page, "Finished");
      assert.match(await textOf(page, "#checksum"), /as sent$/);
    },
    { expected },
  ));

test("a connection that goes silent is replaced", () =>
  withPage(
    async (page) => {
      await start(page, { pace: "5" });
      await until(page, 4);
      await press(page, "stall");
      await untilOver(page, "Finished");
      assert.match(await textOf(page, "#checksum"), /as sent$/);
      assert.equal((await page.$$("#chart .gap")).length, 1);
    },
    { expected },
  ));

test("a stream that has expired is a loss, and is called one", () =>
  withPage(
    async (page) => {
      await start(page, { pace: "5" });
      await until(page, 4);
      await press(page, "expire");
      await page.waitForSelector("#notice:not([hidden])");
      assert.match(await textOf(page, "#notice"), /could not be followed to its end: .*(expired|no longer)/i);
      assert.equal(await textOf(page, "#state"), "Lost");
      await page.waitForSelector("#checksum[data-verdict=incomplete]");
      assert.match(await textOf(page, "#checksum"), /\d of [\d,]+ characters$/);
      assert.match(await textOf(page, "#tally"), /1 did not end$/);
    },
    { expected },
  ));

for (const [scenario, words] of [
  ["status-only", "Finished"],
  ["warm-up", "Finished"],
]) {
  test(`${scenario}: the run's end is found all the same`, () =>
    withPage(
      async (page) => {
        await start(page, { scenario, pace: "20" });
        await untilOver(page, words);
        assert.match(await textOf(page, "#checksum"), /as sent$/);
      },
      { expected },
    ));
}

test("trouble can be made only while a run is followed", () =>
  withPage(async (page) => {
    const states = () => page.$$eval("[data-fault]", (all) => all.map((button) => button.ariaDisabled));
    assert.deepEqual(new Set(await states()), new Set(["true"]));
    await press(page, "cut");
    await start(page, { pace: "20" });
    await page.waitForSelector("[data-fault='cut'][aria-disabled='false']");
    await untilOver(page, "Finished");
    assert.deepEqual(new Set(await states()), new Set(["true"]));
  }));
