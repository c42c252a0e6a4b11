// What a page or worker says of the machine: offline, online, awake again.

/** What is told. */
export interface Waking {
  wake(): void;
  online(online: boolean): void;
  visible(visible: boolean): void;
}

/** Whether requests can work, as far as the platform knows. */
export function isOnline(): boolean {
  return globalThis.navigator?.onLine !== false;
}

/** Tells `target` what is so now. */
export function lookAtPlatform(target: Waking): void {
  if (globalThis.document?.visibilityState === "hidden") target.visible(false);
  if (!isOnline()) target.online(false);
}

/**
 * Tells `target` of each change until the function that is given back is called. Does nothing where the platform tells
 * nothing: outside of pages and their workers.
 */
export function watchPlatform(target: Waking): () => void {
  const { document, navigator, window } = globalThis as Partial<typeof globalThis>;
  // A worker has no window, and is told what one is told of the network.
  const events = window ?? (navigator?.onLine === undefined ? undefined : globalThis);
  if (!events?.addEventListener) return () => {};
  const ended = new AbortController();
  const { signal } = ended;
  events.addEventListener("online", () => target.online(true), { signal });
  events.addEventListener("offline", () => target.online(false), { signal });
  events.addEventListener("pageshow", (event) => event.persisted && target.wake(), { signal });
  document?.addEventListener("resume", () => target.wake(), { signal });
  const look = () => target.visible(document?.visibilityState !== "hidden");
  document?.addEventListener("visibilitychange", look, { signal });
  return () => ended.abort();
}
