// Numbers and times as people read them; the same in the terminal and in the page.

const whole = new Intl.NumberFormat("en");

/** @param {number} count */
export function formatCount(count) {
  return whole.format(count);
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
}

/** @param {number} ms */
export function formatDuration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 100_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A 32-bit checksum. @param {number} value */
export function formatChecksum(value) {
  return value.toString(16).padStart(8, "0");
}

/** `1 tool call`, `2 tool calls`. @param {number} count @param {string} noun */
export function plural(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
