// What a page or worker says of the machine: offline, online, awake again.

/** What is told. */
export interface Waking {
  wake(): void;
  online(online: boolean): void;
  visible(visible: boolean): void;
}

/** Tells `target` what is so now. Does nothing where there is no window. */
export function lookAtPlatform(target: Waking): void {
  if (globalThis.document?.visibilityState === "hidden") target.visible(false);
  if (globalThis.navigator?.onLine === false) target.online(false);
}

/** Tells `target` of each change until the function that is given back is called. Does nothing where there is no window. */
export function watchPlatform(target: Waking): () => void {
  const { window, document } = globalThis as { window?: Window; document?: Document };
  if (!window?.addEventListener || !document?.addEventListener) return () => {};
  const ended = new AbortController();
  const { signal } = ended;
  const look = () => target.visible(document.visibilityState !== "hidden");
  window.addEventListener("online", () => target.online(true), { signal });
  window.addEventListener("offline", () => target.online(false), { signal });
  window.addEventListener("pageshow", (event) => event.persisted && target.wake(), { signal });
  document.addEventListener("resume", () => target.wake(), { signal });
  document.addEventListener("visibilitychange", look, { signal });
  return () => ended.abort();
}
