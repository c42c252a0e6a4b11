// The page without a mouse, and what it says to screen readers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "../../www/scenarios.mjs";
import { textFigures } from "../lib/expected-text.mjs";
import {
  onlyChromium,
  remember,
  textOf,
  until,
  untilCalls,
  untilOver,
  untilShown,
  withPage,
} from "./site.mjs";

const focused = (page) =>
  page.evaluate(() => {
    const { id, tagName, value, dataset, hash } = document.activeElement;
    return id || value || dataset.fault || hash || tagName.toLowerCase();
  });

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

/** The places that Tab goes through, from the top of the page to its end. */
async function tabStops(page) {
  const stops = [];
  for (;;) {
    await press(page, "Tab");
    const stop = await focused(page);
    if (stop === "body" || stop === stops[0]) return stops;
    stops.push(stop);
  }
}

test("Tab goes through all of it, in the order in which it is read", () =>
  withPage(async (page) => {
    assert.deepEqual(await tabStops(page), [
      "#run",
      "#chat",
      "theme",
      "scenario",
      "pace-5",
      "start",
      "stop",
      ...faults.map(({ id }) => id),
      "summary",
      "transcript",
      "tools",
    ]);
  }));

test("a run is chosen, started, looked into and stopped with the keyboard alone", () =>
  withPage(async (page) => {
    await press(page, "Tab", "Tab", "Tab", "Tab");
    assert.equal(await focused(page), "scenario");
    await page.keyboard.type("Run that");
    assert.equal(await page.$eval("#scenario", (select) => select.value), "error");
    await page.keyboard.type("Coding");
    await press(page, "Tab", "ArrowLeft");
    assert.equal(await focused(page), "pace-1");
    await press(page, "Tab", "Enter");
    await untilShown(page, "#transcript .thinking");
    assert.equal(await focused(page), "start");

    // Stop, the faults, the table, the transcript, then the first of what is in it.
    const between = ["Tab", ...faults.map(() => "Tab"), "Tab", "Tab"];
    await press(page, ...between, "Tab", "Enter");
    assert.equal(await page.$eval(".thinking", (details) => details.open), true);

    await page.keyboard.down("Shift");
    await press(page, ...between);
    await page.keyboard.up("Shift");
    assert.equal(await focused(page), "stop");
    await press(page, "Enter");
    await untilOver(page, "Cancelled");
    assert.equal(await focused(page), "stop", "the focus stays where it was");
  }));

test("what has the focus shows it", () =>
  withPage(async (page) => {
    for (let stop = 0; stop < 8; stop++) {
      await press(page, "Tab");
      const outlined = await page.evaluate(() => {
        const one = document.activeElement;
        // A radio button is drawn by its label.
        const drawn = one.type === "radio" ? one.nextElementSibling : one;
        const { outlineStyle, outlineWidth } = getComputedStyle(drawn);
        return outlineStyle === "solid" && outlineWidth === "2px";
      });
      assert.ok(outlined, `${await focused(page)} shows it`);
    }
  }));

test("beginning, tools and end are announced, politely and not each word", () =>
  withPage(async (page) => {
    await remember(page, "#announcer");
    assert.equal(await page.$eval("#announcer", (element) => element.role), "status");
    assert.equal(await page.$eval("#transcript", (element) => element.ariaLive), "off");
    await page.select("#scenario", "error");
    await page.click("#start");
    await untilOver(page, "Failed");
    await until(page, () => globalThis.said.at(-1)?.includes("as the scenario"));
    const said = await page.evaluate(() => globalThis.said);
    assert.match(said[0], /^Run started/);
    assert.ok(said.some((text) => text.includes("Tool run_terminal_cmd called")));
    assert.ok(said.some((text) => text.includes("A tool failed")));
    const { characters } = await textFigures("error");
    assert.ok(said.at(-1).endsWith(`Failed. Text: all ${characters} as the scenario`), said.at(-1));
    assert.ok(said.length < 8, said.join("\n"));
  }));

test("everything that can be used has a name", { skip: onlyChromium }, () =>
  withPage(async (page) => {
    await page.click("#start");
    await untilCalls(page, 1);
    const tree = await page.accessibility.snapshot({ interestingOnly: true });
    const nameless = [];
    const usable = ["button", "combobox", "radio", "link", "textbox", "DisclosureTriangle", "log", "region"];
    const visit = (node) => {
      if (usable.includes(node.role) && !node.name) nameless.push(node.role);
      for (const child of node.children ?? []) visit(child);
    };
    visit(tree);
    assert.deepEqual(nameless, []);
    assert.match(await textOf(page, "title"), /runwire/);
  }),
);
