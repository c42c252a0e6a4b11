// Times that pass.

/** What timers can hold; beyond it they fire at once. */
const LONGEST = 2 ** 31 - 1;

/**
 * Calls back after a time, unless the function that it gives is called before; never after a time that is too long for
 * a timer, such as `Infinity`. It does not keep a process alive.
 */
export function after(ms: number, callback: () => void): () => void {
  if (ms > LONGEST) return () => {};
  const timer: unknown = setTimeout(callback, ms);
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as number);
}
