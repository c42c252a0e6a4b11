// Every string of a run is untrusted: it shows as text and does nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertWhole,
  PHONE,
  sidewaysScroll,
  start,
  textOf,
  untilOver,
  untilShown,
  withPage,
} from "./site.mjs";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const places = ["#transcript", "#tools", "#table", "#chart"];

for (const [name, viewport] of Object.entries({ desktop: undefined, phone: PHONE })) {
  test(`hostile strings show as text (${name})`, () =>
    withPage(
      async (page) => {
        await start(page, { scenario: "hostile", pace: "5" });
        await untilOver(page, "Failed");
        await page.$$eval("details", (all) => {
          for (const details of all) details.open = true;
        });
        await untilShown(page, "#tools .values");
        await untilShown(page, "#table tbody tr:nth-child(5)");

        assert.equal(await page.evaluate("globalThis.pwned"), undefined);
        const made = places.map(
          (place) => `${place} :is(img, script, iframe, a, b, u, style, object, [onload])`,
        );
        assert.deepEqual(await page.$$eval(made.join(), (all) => all.map((one) => one.outerHTML)), []);

        const shown = await textOf(page, "#transcript");
        for (const text of [
          `Markup: <img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=2</script>`,
          "Escapes: ␛[2J␛[31mred",
          "safe‹U+202E›gnp.exe",
          "[click](javascript:globalThis.pwned=3)",
          "lone \ufffd surrogate",
          "An event of an unknown kind: made_up<b>",
          `its data is not JSON: {"text": "broken <b>`,
          "It failed: <img src=x",
        ]) {
          assert.ok(shown.includes(text), `the transcript shows ${text}`);
        }
        assert.match(await textOf(page, "#tools"), /<b onmouseover="globalThis\.pwned=7">tool<\/b>/);
        for (const place of places) assert.doesNotMatch(await textOf(page, place), control);
        await assertWhole(page);
        assert.equal(await sidewaysScroll(page), 0);
      },
      { viewport },
    ));
}

test("the page's policy forbids scripts and markup made of strings", () =>
  withPage(
    async (page) => {
      const forbidden = await page.evaluate(() => {
        const outcome = (work) => {
          try {
            work();
            return "allowed";
          } catch (error) {
            return error.name;
          }
        };
        return [
          outcome(() => {
            document.createElement("div").innerHTML = "<b>x</b>";
          }),
          outcome(() => {
            document.createElement("script").text = "1";
          }),
        ];
      });
      assert.deepEqual(forbidden, ["TypeError", "TypeError"]);
    },
    { expected: /requires 'Trusted(HTML|Script)' assignment/ },
  ));
