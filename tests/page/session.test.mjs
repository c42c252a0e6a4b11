// The session chat: an answer that grows, tools, Stop, plan mode, the context, commands, what might be said next.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { partsOf, recordMessages, say, untilParts, untilTurns, withChat } from "./chat.mjs";
import { HELD, keep, textOf, until, untilShown, untilText, watchGrowth } from "./site.mjs";

const isOn = (page, selector) =>
  page.$eval(selector, (button) => button.getAttribute("aria-disabled") === "false");

describe("the session chat", { concurrency: 4 }, () => {
  test("an answer grows as it comes, and a turn's end says what it took", () =>
    withChat(async (page) => {
      const lengthsSeen = await watchGrowth(page, "#chat-transcript");
      assert.equal(await textOf(page, "#chat-used"), "Nothing yet");
      await say(page, "How are columns counted?");
      await untilText(page, "#chat-state", /^Working$/);
      await untilParts(page, ".prose");
      assert.match(await page.title(), /^Working/);
      await untilTurns(page, 1, 5);
      const lengths = await lengthsSeen();
      assert.ok(lengths > 10, `it was seen to grow ${lengths} times`);
      const parts = await partsOf(page);
      assert.deepEqual(parts.slice(0, 3), [
        "You: How are columns counted?",
        "A tool server failed: issue-tracker",
        "Info Read AGENTS.md and docs/style.md",
      ]);
      assert.match(
        parts.join("\n"),
        /You asked: “How are columns counted\?”.*they need to change first\.\nDone$/s,
      );
      assert.equal((await page.$$("#chat-transcript table tbody tr")).length, 2);
      await untilText(page, "#chat-used", /^\$0\.\d{3}$/);
      assert.match(await textOf(page, "#chat-used-remark"), /^[\d,]+ tokens in, \d+ out$/);
      assert.equal(await textOf(page, "#chat-turns"), "1 turn");
      assert.equal(await textOf(page, "#chat-connection"), "Open");
      await untilText(page, "#chat-state", /^Ready$/);
    }));

  test("a tool runs, completes or fails, and opens to what it was given and what it gave", () =>
    withChat(async (page) => {
      await say(page, "Fix it");
      await untilParts(page, ".card[data-status=running]");
      await page.click(".card summary");
      await untilShown(page, ".card .values");
      assert.doesNotMatch(await textOf(page, ".card .values"), /Result/);
      await untilParts(page, ".card[data-status=error]");
      const values = await textOf(page, ".card[data-status=error] .values");
      assert.match(values, /Arguments.*src\/lexer\.ts.*Result.*String to replace not found/s);
      await untilTurns(page, 1);
      const statuses = await page.$$eval(".card", (all) => all.map(({ dataset }) => dataset.status));
      assert.deepEqual(statuses, ["error", "completed", "completed", "completed"]);
      assert.deepEqual((await textOf(page, ".card summary")).split(/\s+/).slice(0, 2), [
        "Editsrc/lexer.ts",
        "failed",
      ]);
    }));

  test("what a subagent does is apart from what the agent does", () =>
    withChat(async (page) => {
      await say(page, "/review src/report.ts");
      await untilParts(page, ".subagent li", 2);
      await keep(page, "session-subagent");
      await untilTurns(page, 1);
      assert.equal((await page.$$("#chat-transcript .card")).length, 1);
      const steps = await page.$$eval(".subagent li", (all) => all.map((one) => one.textContent));
      assert.deepEqual(steps, ["Globsrc/**/*.ts", "Readsrc/lexer.ts", "Grepsrc", "Readsrc/report.ts"]);
    }));

  for (const way of ["the button", "Escape"]) {
    test(`Stop by ${way} ends the turn, and the session goes on`, () =>
      withChat(async (page) => {
        assert.equal(await isOn(page, "#chat-stop"), false);
        await say(page, "Fix it");
        await untilParts(page, ".card[data-status=running]");
        assert.equal(await isOn(page, "#chat-stop"), true);
        if (way === "Escape") await page.keyboard.press("Escape");
        else await page.click("#chat-stop");
        await untilTurns(page, 1, HELD);
        assert.equal((await partsOf(page)).at(-1), "Stopped");
        assert.equal(
          (await page.$$(".card[data-status=unfinished]")).length,
          1,
          "nobody works on that any more",
        );
        await untilText(page, "#chat-state", /^Ready$/);
        assert.equal(await isOn(page, "#chat-stop"), false);
        await say(page, "/help");
        await untilTurns(page, 2);
        assert.match((await partsOf(page)).at(-2), /^\/help: List what can be typed/);
        assert.equal(await page.$eval("#chat-notice", (notice) => notice.hidden), true);
      }));
  }

  test("in plan mode the agent is told, and its answer is a plan; the notice is not shown", () =>
    withChat(async (page) => {
      const messages = await recordMessages(page);
      const isPlan = () => page.$eval("#chat-plan", (button) => button.ariaChecked);
      assert.equal(await isPlan(), "false");
      await page.click("#chat-plan");
      assert.equal(await isPlan(), "true");
      await say(page, "Fix it");
      await untilTurns(page, 1);
      await page.click("#chat-plan");
      await say(page, "Carry out the plan");
      await untilTurns(page, 2);
      const sent = await messages();
      assert.match(sent[0], /^<system-reminder>Plan mode is on.*\n\nFix it$/s);
      assert.match(sent[1], /^<system-reminder>Plan mode is over.*\n\nCarry out the plan$/s);
      const parts = await partsOf(page);
      assert.ok(parts.includes("Plan modeYou: Fix it"), "what was said in plan mode says so");
      assert.match(parts.join("\n"), /The plan for “Fix it”.*Carry out the plan.*128 tests/s);
      assert.doesNotMatch(parts.join("\n"), /system-reminder/);
    }));

  test("the context is shown after each turn, also when there is more than fits", () =>
    withChat(async (page) => {
      await untilText(page, "#chat-context", /^16 %$/);
      await say(page, "/fill");
      await untilTurns(page, 1);
      await untilText(page, "#chat-context", /^112 %$/);
      assert.equal(await textOf(page, "#chat-context-remark"), "22,415 of 20,000 tokens");
      assert.equal(await page.$eval("#chat-meter", ({ dataset }) => dataset.level), "over");
      await say(page, "/compact");
      await untilTurns(page, 2);
      await untilText(page, "#chat-context", /^21 %$/);
      assert.match(
        (await partsOf(page)).join("\n"),
        /Tip The context is full.*Notice Compacted: \d+ tokens/s,
      );
    }));

  test("a turn that fails says why, and a command that is not known is a warning", () =>
    withChat(async (page) => {
      await say(page, "/fail");
      await untilTurns(page, 1);
      assert.match((await partsOf(page)).at(-1), /^Failed: API Error: 529 Overloaded/);
      await say(page, "/nothing");
      await untilTurns(page, 2);
      assert.deepEqual((await partsOf(page)).slice(-2), [
        "Warning Unknown command: /nothing. Type /help for what there is",
        "Done",
      ]);
    }));

  test("the suggestion fills the line, and Enter sends it", () =>
    withChat(async (page) => {
      await say(page, "/help");
      await untilTurns(page, 1);
      await untilShown(page, ".chip");
      const suggested = await textOf(page, ".chip");
      await page.click(".chip");
      assert.equal(await page.$eval("#chat-input", (input) => input.value), suggested);
      await page.keyboard.press("Enter");
      await untilParts(page, ".said", 2);
      assert.equal(await textOf(page, ".said ~ .said"), `You: ${suggested}`);
      await until(page, () => document.querySelector(".chip") === null);
    }));

  test("a session is ended and another begun; each has its own transcript", () =>
    withChat(async (page) => {
      await say(page, "Fix it");
      await untilParts(page, ".card");
      await page.click("#chat-end");
      await untilText(page, "#chat-state", /^Ended$/);
      assert.equal(await isOn(page, "#chat-send"), false);
      assert.equal(await textOf(page, "#chat-connection"), "Closed");
      await page.click("#chat-new");
      await untilText(page, "#chat-state", /^Ready$/);
      assert.deepEqual(await partsOf(page), []);
      await say(page, "/help");
      await untilTurns(page, 1);
      assert.equal((await page.$$(".said")).length, 1);
    }));
});
