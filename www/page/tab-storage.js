// What a reload of the page needs to go on where it was; kept for this tab only.

/** Browsers give about five million characters. */
const LARGEST = 2_000_000;

/**
 * @template T
 * @param {string} key
 * @param {(value: T) => Partial<T>} least what is kept of a value that is too large
 */
export function tabStorage(key, least) {
  return {
    /** @param {T} value */
    remember(value) {
      const whole = JSON.stringify(value);
      try {
        sessionStorage.setItem(key, whole.length <= LARGEST ? whole : JSON.stringify(least(value)));
      } catch {
        // No storage, or none left: then a reload begins anew.
      }
    },
    /** @returns {T | undefined} */
    remembered() {
      try {
        return JSON.parse(sessionStorage.getItem(key) ?? "null") ?? undefined;
      } catch {
        return undefined;
      }
    },
    forget() {
      try {
        sessionStorage.removeItem(key);
      } catch {
        // There was nothing then.
      }
    },
  };
}
