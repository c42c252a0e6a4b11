// What the user says: the input queue, notices of the mode, and the deferred.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createDeferred, createInputQueue, createModeControl } from "runwire/kit";
import { turns } from "../lib/run-service.mjs";

const user = (content) => ({ type: "user", message: { role: "user", content }, parent_tool_use_id: null });

async function said(queue) {
  queue.end();
  const messages = [];
  for await (const message of queue.iterable) messages.push(message.message.content);
  return messages;
}

test("messages come in order, pushed before anybody reads or while somebody waits", async () => {
  const queue = createInputQueue();
  queue.push("one");
  queue.push("");
  const reader = queue.iterable[Symbol.asyncIterator]();
  assert.deepEqual(await reader.next(), { done: false, value: user("one") });
  assert.deepEqual(await reader.next(), { done: false, value: user("") });
  const waiting = [reader.next(), reader.next(), reader.next()];
  queue.push("two");
  queue.push("three");
  assert.deepEqual((await waiting[0]).value, user("two"));
  assert.deepEqual((await waiting[1]).value, user("three"));
  queue.end();
  assert.deepEqual(await waiting[2], { done: true, value: undefined });
});

test("it never ends by itself; end() delivers what was pushed, and what comes after is ignored", async () => {
  const queue = createInputQueue();
  queue.push("one");
  queue.push("two");
  queue.end();
  queue.push("late");
  queue.end();
  assert.deepEqual(await said(queue), ["one", "two"]);
  const open = createInputQueue();
  let settled = false;
  open.iterable[Symbol.asyncIterator]()
    .next()
    .then(() => {
      settled = true;
    });
  await turns(10);
  assert.equal(settled, false);
});

test("a reader that leaves ends it", async () => {
  const queue = createInputQueue();
  queue.push("one");
  queue.push("two");
  for await (const _ of queue.iterable) break;
  queue.push("three");
  assert.deepEqual(await said(queue), []);
});

test("a message of one's own goes as it is, with pictures for instance", async () => {
  const control = createModeControl("plan");
  const queue = createInputQueue({ modeControl: control });
  const whole = { ...user([{ type: "image", source: {} }]), priority: "now" };
  queue.push(whole);
  const { value } = await queue.iterable[Symbol.asyncIterator]().next();
  assert.equal(value.priority, "now");
  assert.equal(value.message.content.length, 2);
  assert.match(value.message.content[0].text, /^<system-reminder>.*<\/system-reminder>$/s);
  assert.deepEqual(whole.message.content, [{ type: "image", source: {} }], "and is not changed");
});

test("entering and leaving plan mode is told with the next message, once", async () => {
  const control = createModeControl();
  const queue = createInputQueue({ modeControl: control });
  queue.push("a");
  assert.ok(control.set("plan"));
  queue.push("b");
  queue.push("c");
  assert.ok(control.set("guided"));
  queue.push("d");
  control.set("interactive");
  queue.push("e");
  const [a, b, c, d, e] = await said(queue);
  assert.deepEqual([a, c, e], ["a", "c", "e"]);
  assert.match(b, /^<system-reminder>[^<]*Plan mode is on[^<]*<\/system-reminder>\n\nb$/);
  assert.match(d, /^<system-reminder>[^<]*Plan mode is over[^<]*<\/system-reminder>\n\nd$/);
});

test("in and out again before the next message is nothing; the notice is of the moment of the push", async () => {
  const control = createModeControl();
  const queue = createInputQueue({ modeControl: control });
  control.set("plan");
  control.set("guided");
  queue.push("a");
  control.set("plan");
  queue.push("b");
  control.set("guided");
  const [a, b] = await said(queue);
  assert.equal(a, "a");
  assert.match(b, /Plan mode is on/);
});

test("a session that begins in plan mode says so at first; an autonomous one cannot be switched", async () => {
  const queue = createInputQueue({ modeControl: createModeControl("plan") });
  queue.push("a");
  assert.match((await said(queue))[0], /Plan mode is on/);
  const autonomous = createModeControl("autonomous");
  assert.deepEqual(
    [autonomous.switchable, autonomous.set("plan"), autonomous.mode],
    [false, false, "autonomous"],
  );
  const control = createModeControl("guided");
  assert.deepEqual(
    [control.set("autonomous"), control.set("nonsense"), control.mode],
    [false, false, "guided"],
  );
});

test("listeners hear of changes, until they leave", () => {
  const control = createModeControl();
  const heard = [];
  const forget = control.subscribe((mode) => heard.push(mode));
  control.set("plan");
  control.set("plan");
  control.set("autonomous");
  forget();
  control.set("guided");
  assert.deepEqual(heard, ["plan"]);
});

test("a control of one's own works, with notices of its own or none", async () => {
  const own = {
    mode: "interactive",
    switchable: true,
    set: () => true,
    takeNotice: () => "<system-reminder>own</system-reminder>",
  };
  const queue = createInputQueue({ modeControl: own });
  queue.push("a");
  assert.deepEqual(await said(queue), ["<system-reminder>own</system-reminder>\n\na"]);
  const bare = { mode: "interactive", switchable: true, set: () => true };
  const plain = createInputQueue({ modeControl: bare });
  plain.push("a");
  bare.mode = "plan";
  plain.push("b");
  plain.push("c");
  const [a, b, c] = await said(plain);
  assert.deepEqual([a, c], ["a", "c"]);
  assert.match(b, /Plan mode is on/);
});

test("a deferred is resolved from elsewhere", async () => {
  const { promise, resolve } = createDeferred();
  let done = false;
  promise.then(() => {
    done = true;
  });
  await turns(3);
  assert.equal(done, false);
  resolve();
  assert.equal(await promise, undefined);
});
