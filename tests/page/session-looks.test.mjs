// The session chat for everybody: hostile strings, a phone, both themes, the keyboard alone, a screen reader.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { partsOf, say, untilParts, untilTurns, withChat } from "./chat.mjs";
import { choose, faintText, lowOnes } from "./looks.mjs";
import { keep, onlyChromium, PHONE, remember, sidewaysScroll, textOf, until, untilShown } from "./site.mjs";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const typed = (page) => page.$eval("#chat-input", (input) => input.value);
const options = (page) =>
  page.$$eval("#chat-commands [role=option]", (all) => all.map((one) => one.textContent));
const openAll = (page) =>
  page.$$eval("details", (all) => {
    for (const details of all) details.open = true;
  });

describe("the session chat", { concurrency: 4 }, () => {
  for (const [name, viewport] of Object.entries({ desktop: undefined, phone: PHONE })) {
    test(`shows hostile strings as text (${name})`, () =>
      withChat(
        async (page) => {
          let dialogs = 0;
          page.on("dialog", (dialog) => {
            dialogs++;
            dialog.dismiss();
          });
          await say(page, "/hostile");
          await untilTurns(page, 1);
          await untilShown(page, ".chip");
          await openAll(page);
          await untilShown(page, ".card .values");
          await page.type("#chat-input", "<b>said</b>");
          await page.keyboard.press("Enter");
          await untilTurns(page, 2);
          await page.type("#chat-input", "/");
          const hasHostile = () => document.querySelectorAll("#chat-commands [role=option]").length > 7;
          await until(page, hasHostile);

          assert.equal(await page.evaluate("globalThis.pwned"), undefined);
          assert.equal(dialogs, 0);
          const made = "#chat-view :is(img, script, iframe, b, i, u, style, object, [onload], [onmouseover])";
          assert.deepEqual(await page.$$eval(made, (all) => all.map((one) => one.outerHTML)), []);
          const shown = (await partsOf(page)).join("\n");
          for (const text of [
            `Warning warning: <img src=x onerror="globalThis.pwned=1">`,
            `A tool server failed: <img src=x`,
            `<script>globalThis.pwned=11</script>`,
            `<b onmouseover="globalThis.pwned=7">tool</b>`,
            `Subagent: <img src=x`,
            "<u>␛[2J␛[31mred",
            "safe‹U+202E›gnp.exe",
            "Failed: It failed: <img src=x",
            "<b>said</b>",
          ]) {
            assert.ok(shown.includes(text), `the transcript shows ${text}`);
          }
          assert.ok((await options(page)).some((text) => text.includes(`/hostile"><b>`)));
          for (const place of ["#chat-view", "#announcer"]) {
            assert.doesNotMatch(await textOf(page, place), control);
          }
          assert.equal(await sidewaysScroll(page), 0);
        },
        { viewport },
      ));
  }

  test("fits a phone of 360 pixels, with buttons large enough for a thumb", () =>
    withChat(
      async (page) => {
        assert.equal(await sidewaysScroll(page), 0, "before a turn");
        await say(page, "How are columns counted?");
        await untilTurns(page, 1);
        await untilShown(page, ".chip");
        assert.equal(await sidewaysScroll(page), 0, "after a turn");
        assert.deepEqual(await page.$$eval("button, a", lowOnes), []);
        await keep(page, "session-phone", { fullPage: true });
        await page.click("#chat-slash");
        await untilShown(page, "#chat-commands:not([hidden])");
        assert.equal(await sidewaysScroll(page), 0, "with the commands open");
      },
      { viewport: PHONE },
    ));

  for (const scheme of ["light", "dark"]) {
    test(`has the contrast that WCAG AA asks for, and fits the window (${scheme})`, () =>
      withChat(async (page) => {
        await choose(page, scheme);
        await page.click("#chat-plan");
        await say(page, "/review");
        await untilParts(page, ".subagent li", 2);
        assert.deepEqual(await page.evaluate(faintText), [], "while it works");
        await untilTurns(page, 1);
        await say(page, "/fill");
        await untilTurns(page, 2);
        await say(page, "/fail");
        await untilTurns(page, 3);
        await say(page, "/nothing");
        await untilTurns(page, 4);
        await keep(page, `session-${scheme}`);
        await openAll(page);
        await untilShown(page, ".card .values");
        await page.type("#chat-input", "/");
        await untilShown(page, "#chat-commands:not([hidden])");
        assert.deepEqual(await page.evaluate(faintText), [], "when it is over, with everything open");
        const over = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
        assert.equal(over, 0);
      }));
  }

  test("lists its commands for the keyboard: filtered, chosen, closed", () =>
    withChat(async (page) => {
      const active = () =>
        page.evaluate(() => {
          const id = document.querySelector("#chat-input").getAttribute("aria-activedescendant");
          return document.getElementById(id)?.querySelector(".command-name").textContent;
        });
      const key = (name) => page.keyboard.press(name);
      await page.type("#chat-input", "/");
      await untilShown(page, "#chat-commands:not([hidden])");
      assert.equal((await options(page)).length, 7);
      assert.equal(await active(), "/help ");
      await key("ArrowDown");
      assert.equal(await active(), "/compact, /shrink [what to keep]");
      await key("ArrowUp");
      await key("ArrowUp");
      assert.equal(await active(), "/hostile ");

      await page.type("#chat-input", "s");
      assert.match(
        (await options(page))[0],
        /^\/compact, \/shrink/,
        "by another name, and before what only holds it",
      );
      await page.type("#chat-input", "hr");
      assert.equal((await options(page)).length, 1);
      await key("Enter");
      assert.equal(await typed(page), "/compact ");
      assert.equal(await page.$("#chat-commands:not([hidden])"), null);
      assert.equal(await active(), undefined);

      await page.$eval("#chat-input", (input) => input.select());
      await page.type("#chat-input", "/he");
      await key("Escape");
      assert.equal(await page.$("#chat-commands:not([hidden])"), null);
      assert.equal(await typed(page), "/he", "Escape closes the list and nothing else");
      await page.type("#chat-input", "l");
      await key("Tab");
      assert.equal(await typed(page), "/help ");
      await key("Enter");
      await untilTurns(page, 1);
      assert.equal((await partsOf(page))[0], "You: /help");
      assert.equal(await page.evaluate(() => document.activeElement.id), "chat-input");
    }));

  test("tells of a turn in few words, politely", () =>
    withChat(async (page) => {
      await remember(page, "#announcer");
      assert.equal(await page.$eval("#chat-transcript", (log) => log.ariaLive), "off");
      await say(page, "Fix it");
      await untilTurns(page, 1, 2);
      await until(page, () => globalThis.said.at(-1)?.includes("All **128 tests** pass"));
      const said = await page.evaluate(() => globalThis.said);
      assert.ok(
        said.some((text) => text.includes("Tool Edit called")),
        said.join("\n"),
      );
      assert.ok(said.some((text) => text.includes("A tool server failed")));
      assert.ok(said.length < 10, said.join("\n"));
    }));

  test("names everything that can be used", { skip: onlyChromium }, () =>
    withChat(async (page) => {
      await say(page, "/review");
      await untilTurns(page, 1);
      const tree = await page.accessibility.snapshot({ interestingOnly: true });
      const [nameless, roles] = [[], new Set()];
      const usable = ["button", "switch", "link", "textbox", "DisclosureTriangle", "log", "region"];
      const visit = (node) => {
        roles.add(node.role);
        if (usable.includes(node.role) && !node.name) nameless.push(node.role);
        for (const child of node.children ?? []) visit(child);
      };
      visit(tree);
      assert.deepEqual(nameless, []);
      for (const role of ["switch", "textbox", "log"]) assert.ok(roles.has(role), role);
    }),
  );
});
