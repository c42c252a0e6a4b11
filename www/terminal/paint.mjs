// Colours, where the output can show them and nobody has asked for none.

const codes = { bold: 1, dim: 2, italic: 3, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 };

/**
 * One function a colour, each the identity where colours are off.
 * @param {{ isTTY?: boolean, env?: Record<string, string | undefined> }} output
 * @returns {Record<keyof typeof codes, (text: string) => string>}
 */
export function painter({ isTTY = false, env = process.env }) {
  // https://no-color.org: set and not empty, to whatever value.
  const on = !env.NO_COLOR && env.TERM !== "dumb" && (isTTY || isForced(env.FORCE_COLOR));
  const paint = ([name, code]) => [name, on ? (text) => `\x1b[${code}m${text}\x1b[0m` : (text) => text];
  return Object.fromEntries(Object.entries(codes).map(paint));
}

function isForced(value) {
  return value !== undefined && value !== "" && value !== "0" && value !== "false";
}
