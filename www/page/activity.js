// How many events came when, by kind, in as many counters however long the run takes.

export const KINDS = ["text", "thinking", "tool", "other"];
const SLOTS = 240;
const FIRST_SLOT_MS = 50;

const kindOf = { assistant: 0, thinking: 1, tool_call: 2 };

/** Time in equal slots; when they are used up, neighbours are merged and each is twice as long. */
export class Activity {
  /** @param {{ slotMs: number, counts: number[] }} [from] */
  constructor({ slotMs = FIRST_SLOT_MS, counts = [] } = {}) {
    this.slotMs = slotMs;
    /** For each slot one count a kind. */
    this.counts = counts;
  }

  /** @param {string} type of a message @param {number} at */
  add(type, at) {
    while (at >= this.slotMs * SLOTS) this.#merge();
    const index = Math.floor(at / this.slotMs) * KINDS.length + (kindOf[type] ?? 3);
    while (this.counts.length <= index) this.counts.push(0);
    this.counts[index]++;
  }

  /** The slots so far: when each begins, and its counts in the order of {@link KINDS}. */
  *slots() {
    for (let index = 0; index < this.counts.length; index += KINDS.length) {
      const counts = KINDS.map((_, kind) => this.counts[index + kind] ?? 0);
      yield { at: (index / KINDS.length) * this.slotMs, counts };
    }
  }

  #merge() {
    const merged = [];
    const step = KINDS.length;
    for (let index = 0; index < this.counts.length; index++) {
      const slot = Math.floor(index / step);
      const target = Math.floor(slot / 2) * step + (index % step);
      merged[target] = (merged[target] ?? 0) + this.counts[index];
    }
    this.counts = merged;
    this.slotMs *= 2;
  }

  toJSON() {
    return { slotMs: this.slotMs, counts: this.counts };
  }
}
