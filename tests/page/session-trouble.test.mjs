// Reloads and lost connections in the middle of a turn: the transcript is in the end as without them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { partsOf, recordMessages, say, untilBegun, untilParts, untilTurns, withChat } from "./chat.mjs";
import { HELD, keep, textOf, troubled as expected, until, untilShown, untilText, withPage } from "./site.mjs";

/** What is said in each of these, and where the turn is broken into: in its text, at a tool, in its text again. */
const LINE = "Fix it";
const places = [
  [".prose", 1],
  [".card", 1],
  [".card", 3],
  [".prose", 3],
];

let undisturbed;

/** The transcript of a turn that nothing happens to. */
function whole() {
  undisturbed ??= new Promise((resolve, reject) => {
    withChat(async (page) => {
      await say(page, LINE);
      await untilTurns(page, 1);
      resolve(await partsOf(page));
    }).catch(reject);
  });
  return undisturbed;
}

const cut = (page) => page.click("[data-session-fault=cut]");

describe("a session", { concurrency: 4 }, () => {
  test("goes on where it was after reloads in mid-turn, nothing lost and nothing repeated", () =>
    withChat(
      async (page) => {
        const ids = [];
        page.on("request", (request) => {
          if (request.url().endsWith("/stream")) ids.push(request.headers()["last-event-id"]);
        });
        await say(page, LINE);
        for (const [selector, count] of places) {
          await untilParts(page, selector, count);
          const before = (await partsOf(page)).length;
          await page.reload();
          await untilText(page, "#chat-connection", /^Open$/, { rate: HELD });
          assert.ok((await partsOf(page)).length >= before, "what was there is there at once");
        }
        await untilTurns(page, 1);
        assert.deepEqual(await partsOf(page), await whole());
        assert.ok(ids.length >= places.length && ids.every(Boolean), `the streams are resumed: ${ids}`);

        await say(page, "/cost");
        await untilTurns(page, 2);
        assert.match((await partsOf(page)).at(-2), /^\$0\.\d{4}, context \d+ % full$/);
      },
      { expected },
    ));

  test("is stopped after a reload as before one", () =>
    withChat(
      async (page) => {
        await say(page, LINE);
        await untilParts(page, ".card[data-status=running]");
        await page.reload();
        await untilText(page, "#chat-state", /^Working$/, { rate: HELD });
        await page.click("#chat-stop");
        await untilTurns(page, 1, HELD);
        assert.equal((await partsOf(page)).at(-1), "Stopped");
      },
      { expected },
    ));

  test("keeps its mode over a reload, and the agent is told once that plan mode is over", () =>
    withChat(
      async (page) => {
        const messages = await recordMessages(page);
        await page.click("#chat-plan");
        await say(page, "/help");
        await untilTurns(page, 1);
        await page.reload();
        await untilBegun(page);
        assert.equal(await page.$eval("#chat-plan", (button) => button.ariaChecked), "true");
        await say(page, "/help");
        await untilTurns(page, 2);
        await page.click("#chat-plan");
        await page.reload();
        await untilBegun(page);
        for (const turns of [3, 4]) {
          await say(page, "/help");
          await untilTurns(page, turns);
        }
        const notices = (await messages()).map((text) => /Plan mode is (on|over)/.exec(text)?.[1]);
        assert.deepEqual(notices, ["on", undefined, "over", undefined]);
      },
      { expected },
    ));

  test("whose connections are cut again and again is whole", () =>
    withChat(
      async (page) => {
        await say(page, LINE);
        for (const [selector, count] of places) {
          await untilParts(page, selector, count);
          await untilText(page, "#chat-connection", /^Open$/, { rate: HELD });
          await cut(page);
        }
        await untilTurns(page, 1);
        assert.deepEqual(await partsOf(page), await whole());
        assert.match(await textOf(page, "#chat-connection-remark"), /^\dth of this session$/);
      },
      { expected },
    ));

  test("counts the time to the next attempt down, and sends what was said meanwhile", () =>
    withChat(
      async (page) => {
        await page.click("[data-session-fault=unavailable]");
        await untilText(page, "#chat-connection", /^Reconnecting in \d\.\d s$/, { rate: HELD });
        await untilText(page, "#chat-connection-remark", /^the service answers 503, attempt \d$/, {
          rate: HELD,
        });
        await say(page, LINE);
        await untilShown(page, ".said .delivery:not(:empty)", { rate: HELD });
        await keep(page, "session-waiting");
        await untilTurns(page, 1);
        assert.deepEqual(await partsOf(page), await whole());
      },
      { expected },
    ));

  test("that the host no longer has says so, and another is begun", () =>
    withPage(
      async (page) => {
        await page.evaluate(() => {
          const seen = { session: crypto.randomUUID(), mode: "interactive" };
          sessionStorage.setItem("runwire:chat", JSON.stringify(seen));
        });
        await page.click("a[href='#chat']");
        await untilShown(page, "#chat-notice:not([hidden])");
        assert.match(await textOf(page, "#chat-notice"), /no longer has this session/);
        assert.equal(await textOf(page, "#chat-state"), "Gone");
        await page.click("#chat-new");
        await untilText(page, "#chat-state", /^Ready$/);
        assert.equal(await page.$eval("#chat-notice", (notice) => notice.hidden), true);
        await say(page, "/help");
        await untilTurns(page, 1);
      },
      { expected },
    ));

  test("and a run go on while the other is looked at, and the address says which is shown", () =>
    withPage(async (page) => {
      await page.select("#scenario", "example");
      await page.click("#start");
      await page.click("a[href='#chat']");
      await untilText(page, "#chat-state", /^Ready$/);
      await say(page, LINE);
      await untilParts(page, ".prose");
      await page.evaluate(() => history.back());
      await until(page, () => document.querySelector("#run-view").checkVisibility());
      assert.equal(await page.$eval("#chat-view", (view) => view.checkVisibility()), false);
      await untilTurns(page, 1);
      await untilText(page, "#state", /^Finished$/, { rate: 5 });
      await page.evaluate(() => history.forward());
      await until(page, () => document.querySelector("#chat-view").checkVisibility());
      assert.deepEqual(await partsOf(page), await whole());
      assert.equal(await page.$eval("[aria-current=page]", (link) => link.textContent), "Session chat");
    }));
});
