// The page of session-cuts.test.mjs: reads a session that is over with a cut after each byte, and has conversations of
// its own with cuts after some.

import { createInputQueue, runQuery } from "runwire/kit";
import { converse } from "../../lib/tool-session.mjs";
import { report } from "./report.mjs";

await report(async () => {
  const { id, bytes, expected } = await (await fetch("/plan")).json();
  const whole = JSON.stringify(expected);
  const wrong = [];
  const common = {
    url: "/",
    retry: { minDelayMs: 0 },
    onWarning: ({ code }) => wrong.push(code),
  };
  const judge = (what, events) => {
    if (JSON.stringify(events) !== whole) wrong.push(`${what}: ${JSON.stringify(events)}`);
  };
  const work = [];
  for (let at = 1; at < bytes; at++) {
    work.push(async () => {
      const events = [];
      const { iterable } = createInputQueue();
      const headers = { "x-cut": `${at}` };
      for await (const event of runQuery(iterable, { ...common, session: id, headers }).events) {
        events.push(event);
      }
      judge(`read, cut after ${at}`, events);
    });
  }
  const read = work.length;
  for (let at = 3; at < bytes; at += 13) {
    const headers = { "x-cut": `${at}-live`, "x-lose": `${at}` };
    work.push(async () => judge(`talked, cut after ${at}`, await converse(runQuery, { ...common, headers })));
  }
  const talked = work.length - read;
  // A browser has six connections for a host; a conversation needs two.
  const worker = async () => {
    for (let next = work.pop(); next; next = work.pop()) await next();
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return { read, talked, wrong };
});
