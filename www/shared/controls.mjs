// Makes the invisible characters of a run's strings harmless and visible: they are untrusted.

/** C0 but for tab and line feed, DEL, C1, line and paragraph separator, bidirectional overrides, lone surrogates. */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/**
 * The text with control characters as their pictures (`␛` for ESC) and what has none as its code (`‹U+202E›`).
 * Nothing in the result can move a cursor, colour a terminal or turn a line around.
 * @param {string} text
 */
export function showControls(text) {
  return text.replace(/\r\n/g, "\n").replace(invisible, picture);
}

/** The same on one line: for names, paths and commands. */
export function showOnOneLine(text) {
  return showControls(text).replace(/[\n\t]+/g, " ");
}

function picture(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}
