// Longer text out of the engine's memory.

// A mark inside the stream is content: the engine has taken off the one at its start.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Up to this many bytes, building an ASCII string from codes beats the call of a decoder. */
const SHORT = 48;

/** The text in a view of the engine's memory, which is used up here. */
export function readText(bytes: Uint8Array, ascii: boolean): string {
  return ascii && bytes.length <= SHORT ? shortText(bytes) : decoder.decode(bytes);
}

function shortText(bytes: Uint8Array): string {
  const code = String.fromCharCode;
  const end = bytes.length;
  let text = "";
  let at = 0;
  for (; at + 8 <= end; at += 8) {
    text += code(
      bytes[at]!,
      bytes[at + 1]!,
      bytes[at + 2]!,
      bytes[at + 3]!,
      bytes[at + 4]!,
      bytes[at + 5]!,
      bytes[at + 6]!,
      bytes[at + 7]!,
    );
  }
  for (; at < end; at++) text += code(bytes[at]!);
  return text;
}
