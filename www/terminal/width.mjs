// How many columns of a terminal a text takes.

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const zero = /^[\p{Mark}\p{Format}]+$/u;
const pictograph = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
/** East Asian scripts and forms that take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** The characters as people see them. @param {string} text */
export function* charactersOf(text) {
  for (const { segment } of graphemes.segment(text)) yield segment;
}

/** Columns of one character (one grapheme). @param {string} character */
export function characterWidth(character) {
  // Most are.
  if (character.length === 1 && character < "\u0300") return 1;
  if (zero.test(character)) return 0;
  return wide.test(character) || pictograph.test(character) ? 2 : 1;
}

/** @param {string} text */
export function textWidth(text) {
  let width = 0;
  for (const character of charactersOf(text)) width += characterWidth(character);
  return width;
}

/** The text if it fits, else its start with an ellipsis. @param {string} text @param {number} columns */
export function fit(text, columns) {
  if (textWidth(text) <= columns) return text;
  let [kept, width] = ["", 0];
  for (const character of charactersOf(text)) {
    width += characterWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return columns > 0 ? `${kept}…` : "";
}
