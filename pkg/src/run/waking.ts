// What a page or worker says of the machine: offline, online, awake again.

/** What is told. */
export interface Waking {
  wake(): void;
  online(online: boolean): void;
}

/** A tab hidden for less than this many milliseconds has missed nothing. */
const HIDDEN_MS = 30_000;

/** Tells `target` until the function that is given back is called. Does nothing where there is no window. */
export function watchPlatform(target: Waking): () => void {
  const { window, document } = globalThis as { window?: Window; document?: Document };
  if (!window?.addEventListener || !document?.addEventListener) return () => {};
  const ended = new AbortController();
  const { signal } = ended;
  let hiddenAt = document.visibilityState === "hidden" ? Date.now() : undefined;
  if (globalThis.navigator?.onLine === false) target.online(false);
  window.addEventListener("online", () => target.online(true), { signal });
  window.addEventListener("offline", () => target.online(false), { signal });
  window.addEventListener("pageshow", (event) => event.persisted && target.wake(), { signal });
  document.addEventListener("resume", () => target.wake(), { signal });
  document.addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "hidden") {
        hiddenAt = Date.now();
      } else if (hiddenAt !== undefined && Date.now() - hiddenAt >= HIDDEN_MS) {
        target.wake();
      }
    },
    { signal },
  );
  return () => ended.abort();
}
