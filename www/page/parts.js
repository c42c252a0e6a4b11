// The parts of a transcript as plain data, bounded: views look at their version numbers for what changed.

/** Parts kept for showing. Older ones are counted, not kept: there may be millions. */
export const PARTS_KEPT = 300;
/** A part that is longer continues as another one, so that none becomes slow to show. */
const LONGEST_PART = 8000;
const LONGEST_VALUE = 4000;

/** @template {{ id: number, version: number, kind: string }} Part */
export class Parts {
  /** The newest, oldest first. @type {Part[]} */
  parts = [];
  partsDropped = 0;

  /** @param {Omit<Part, "id" | "version">} part @returns {Part} */
  addPart(part) {
    const whole = { id: this.partsDropped + this.parts.length, version: 0, ...part };
    this.parts.push(whole);
    if (this.parts.length > PARTS_KEPT) {
      this.parts.shift();
      this.partsDropped++;
    }
    return whole;
  }

  /** Text that goes on where the last part ends, or begins another. @param {string} text @param {object} [more] */
  addText(text, more) {
    const last = this.parts.at(-1);
    if (last?.kind === "text" && fits(last, text)) {
      last.text += text;
      last.version++;
    } else {
      this.addPart({ kind: "text", text, ...more });
    }
  }
}

/** Whether a part can take more text. @param {{ text: string }} part @param {string} text */
export function fits(part, text) {
  return part.text.length + text.length <= LONGEST_PART;
}

/** A value of any shape as text to show, within bounds. @param {unknown} value */
export function shownValue(value) {
  if (value === undefined) return "";
  let text = value;
  if (typeof value !== "string") text = JSON.stringify(value, undefined, 2);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}\n…` : text;
}
