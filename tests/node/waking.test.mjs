// What wakes: who comes back looks after the connection that may have died meanwhile, and a shorter absence does nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "runwire";
import { inPage } from "../lib/page.mjs";
import { turns } from "../lib/run-service.mjs";
import { scriptedRun, text, whole } from "../lib/scripted-run.mjs";

await init();

const MINUTE = 60_000;

/** In the page: away and back again. */
const wakes = {
  "pageshow from the back-forward cache": ({ bringBack }) => bringBack(),
  "resume of a frozen page": ({ resume }) => resume(),
  "visible after a minute": async ({ show, clock }) => {
    show("hidden");
    await clock.advance(MINUTE / 2 + 1_000);
    show("visible");
  },
  "online after offline": ({ offline, online }) => {
    offline();
    online();
  },
};
const nothing = {
  "pageshow of a page that was loaded": ({ load }) => load(),
  "visible after 20 s": async ({ show, clock }) => {
    show("hidden");
    await clock.advance(20_000);
    show("visible");
  },
};

/** Follows a run whose connection has died without a word; tells how many there have been 5 s after `happens`. */
async function connectionsAfter(happens) {
  let count;
  await inPage(async (page) => {
    const service = scriptedRun({
      stream: (connection, n) => void connection.send(...(n === 1 ? [text(1)] : [text(1), text(2), whole])),
    });
    const handle = await service.handle({ idleTimeoutMs: 10 * MINUTE });
    const stream = handle.stream();
    await stream.next();
    const next = stream.next();
    await turns();
    await happens(page);
    await page.clock.advance(5_000);
    count = service.count("stream");
    if (count === 2) assert.equal((await next).value.message.content[0].text, "2;");
    await stream.return();
    assert.equal(service.open, 0);
    assert.equal(page.clock.timers, 0);
  });
  return count;
}

for (const [name, happens] of Object.entries(wakes)) {
  test(`${name} replaces a dead connection within 5 s`, async () => {
    assert.equal(await connectionsAfter(happens), 2);
  });
}

for (const [name, happens] of Object.entries(nothing)) {
  test(`${name} does nothing`, async () => assert.equal(await connectionsAfter(happens), 1));
}
