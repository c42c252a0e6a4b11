// What a reload of the page needs to go on with the run that was being followed; kept for this tab only.

const KEY = "runwire:run";
/** Browsers give about five million characters; what is larger is replayed from the run's start instead. */
const LARGEST = 2_000_000;

/**
 * @typedef {object} Remembered
 * @property {{ agentId: string, runId: string }} ids
 * @property {string} scenario
 * @property {string} pace
 * @property {import("./follow.js").Seen} [seen] what had been seen of it
 */

/** @param {Remembered} remembered */
export function remember(remembered) {
  const { ids, scenario, pace } = remembered;
  const whole = JSON.stringify(remembered);
  try {
    const value = whole.length <= LARGEST ? whole : JSON.stringify({ ids, scenario, pace });
    sessionStorage.setItem(KEY, value);
  } catch {
    // No storage, or none left: then a reload begins anew.
  }
}

/** @returns {Remembered | undefined} */
export function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

export function forget() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // There was nothing then.
  }
}
