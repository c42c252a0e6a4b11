// A reload in the middle of a run: it goes on exactly where the page was, nothing lost and nothing repeated.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  assertWhole,
  contentOf,
  press,
  start,
  textOf,
  troubled as expected,
  until,
  untilCalls,
  untilOver,
  untilText,
  withPage,
} from "./site.mjs";

/** The ids that streams are resumed from, as the page sends them. */
function resumedFrom(page) {
  const ids = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/stream")) ids.push(request.headers()["last-event-id"]);
  });
  return ids;
}

describe("a reload", { concurrency: 4 }, () => {
  test("shows at once what was there, and goes on from its resume token", () =>
    withPage(
      async (page) => {
        const ids = resumedFrom(page);
        await start(page, { pace: "5" });
        for (const calls of [1, 2, 4]) {
          await untilCalls(page, calls);
          const events = Number(await textOf(page, "#events"));
          await page.reload();
          await untilCalls(page, calls);
          assert.ok(Number(await textOf(page, "#events")) >= events);
        }
        await untilOver(page, "Finished");
        await assertWhole(page);
        // A page that is left may still see its connection break, and try again.
        assert.match(await textOf(page, "#connection-remark"), /^[4-7] connections in all$/);
        assert.ok((await page.$$("#chart .gap")).length >= 3);
        assert.ok(ids.length >= 4, `${ids.length} streams`);
        assert.equal(ids[0], undefined);
        assert.ok(ids.slice(1).every(Boolean), "the streams after a reload are resumed");
        const [events, content] = [Number(await textOf(page, "#events")), await contentOf(page)];

        await page.reload();
        assert.equal(await textOf(page, "#state"), "Not started", "what is over is not followed again");

        await start(page);
        await untilOver(page, "Finished");
        assert.deepEqual(content, await contentOf(page), "the same as without a reload");
        // Who connects later may find the run's first status gone already.
        assert.ok(Math.abs(events - (await textOf(page, "#events"))) <= 1, events);
      },
      { expected },
    ));

  test("while the service is out of order waits for it", () =>
    withPage(
      async (page) => {
        await start(page, { pace: "5" });
        await untilCalls(page, 1);
        await press(page, "unavailable");
        await untilText(page, "#connection", /^Reconnecting in /);
        await page.reload();
        await untilText(page, "#connection", /^Reconnecting in /);
        assert.match(await textOf(page, "#connection-remark"), /^the service answers 503/);
        await untilOver(page, "Finished");
        await assertWhole(page);
      },
      { expected },
    ));

  test("after other trouble, and Stop after that", () =>
    withPage(
      async (page) => {
        await start(page, { pace: "5" });
        await untilCalls(page, 1);
        await press(page, "refuse-id");
        await untilCalls(page, 2);
        await page.reload();
        await untilCalls(page, 3);
        await press(page, "cut");
        await page.reload();
        await untilCalls(page, 4);
        await page.click("#stop");
        await untilOver(page, "Cancelled");
        await assertWhole(page);
      },
      { expected },
    ));

  test("while hundreds of events come in a second", () =>
    withPage(
      async (page) => {
        await start(page, { scenario: "long", pace: "20" });
        for (const least of [300, 2000]) {
          const reached = (count) =>
            Number(document.querySelector("#events").textContent.replaceAll(",", "")) > count;
          await until(page, reached, { args: [least] });
          await page.reload();
        }
        await page.click("#stop");
        await untilOver(page, "Cancelled");
        await assertWhole(page);
      },
      { expected },
    ));
});
