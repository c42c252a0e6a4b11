// The page of clean.test.mjs: counts what each way of following a run to its end leaves behind.

import { init } from "runwire";
import { turns } from "../../lib/run-ids.mjs";
import { leavableRun, ways } from "../../lib/ways-to-end.mjs";
import { report } from "./report.mjs";

/** The timers that are set. */
const timers = new Set();
const { setTimeout, clearTimeout } = globalThis;
globalThis.setTimeout = (callback, ...more) => {
  const timer = setTimeout(
    () => {
      timers.delete(timer);
      callback();
    },
    ...more,
  );
  timers.add(timer);
  return timer;
};
globalThis.clearTimeout = (timer) => {
  timers.delete(timer);
  clearTimeout(timer);
};

/** Counts the listeners of a target from now on. */
function countListeners(target) {
  const listeners = new Set();
  const { addEventListener, removeEventListener } = target;
  target.addEventListener = (name, listener, options) => {
    listeners.add(listener);
    options?.signal?.addEventListener("abort", () => listeners.delete(listener));
    const heard = options?.once
      ? (event) => {
          listeners.delete(listener);
          listener(event);
        }
      : listener;
    addEventListener.call(target, name, heard, options);
    listener.heard = heard;
  };
  target.removeEventListener = (name, listener) => {
    listeners.delete(listener);
    removeEventListener.call(target, name, listener.heard);
  };
  return listeners;
}

report(async () => {
  await init();
  const unhandled = [];
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    unhandled.push(`${event.reason}`);
  });
  const globals = [countListeners(window), countListeners(document)];
  const seen = {};
  for (const [name, way] of Object.entries(ways)) {
    const controller = new AbortController();
    const { signal } = controller;
    const listeners = countListeners(signal);
    const service = leavableRun();
    await way({ handle: await service.handle(), service, signal, controller });
    await turns(20);
    seen[name] = {
      open: service.open,
      timers: timers.size,
      listeners: listeners.size,
      globals: globals[0].size + globals[1].size,
      unhandled: unhandled.splice(0),
    };
  }
  return seen;
});
