// What looks like a page to the package, in Node: a window and a document that say what a test wants.

import { withFakeTime } from "./fake-time.mjs";

/** Does `work` in what looks like a page. `sleep(ms)` lets time pass without a timer, as while the machine sleeps. */
export async function inPage(work) {
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  Object.assign(globalThis, { window, document });
  try {
    await withFakeTime(async (clock) => {
      let slept = 0;
      Date.now = () => clock.now() + slept;
      await work({
        clock,
        sleep(ms) {
          slept += ms;
        },
        show(state) {
          document.visibilityState = state;
          document.dispatchEvent(new Event("visibilitychange"));
        },
        resume: () => document.dispatchEvent(new Event("resume")),
        online: () => window.dispatchEvent(new Event("online")),
        offline: () => window.dispatchEvent(new Event("offline")),
        load: () => window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false })),
        bringBack: () => window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true })),
      });
    });
  } finally {
    delete globalThis.window;
    delete globalThis.document;
  }
}
