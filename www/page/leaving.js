// The page is left or reloaded, or the tab may be discarded: the last moment to remember something.

/**
 * @param {() => void} remember
 * @returns {{ readonly now: boolean }} `now`: what fails from then on fails because the browser takes the page down
 */
export function whenLeaving(remember) {
  const leaving = { now: false };
  addEventListener("pagehide", () => {
    leaving.now = true;
    remember();
  });
  // A tab in the background may be discarded without a word.
  document.addEventListener("visibilitychange", () => document.hidden && remember());
  addEventListener("pageshow", () => {
    leaving.now = false;
  });
  return leaving;
}
