// A running checksum of a text that arrives in pieces, which can be put away and taken up again.

/**
 * Length in UTF-16 units and 32-bit FNV-1a over them, low byte first: what `runwire/testing` calls `TextChecksum`
 * and the simulator's `expected()` gives. A copy, because a page that imports it from there would carry the simulator.
 */
export class RunningChecksum {
  /** @param {{ length: number, checksum: number }} [from] where an earlier one stood */
  constructor({ length = 0, checksum = 0x811c9dc5 } = {}) {
    this.length = length;
    this.checksum = checksum;
  }

  /** @param {string} text */
  update(text) {
    let hash = this.checksum;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
      hash = Math.imul(hash ^ (unit >> 8), 0x01000193);
    }
    this.checksum = hash >>> 0;
    this.length += text.length;
  }

  /** @param {{ length: number, checksum: number }} other */
  equals(other) {
    return this.length === other.length && this.checksum === other.checksum;
  }

  toJSON() {
    return { length: this.length, checksum: this.checksum };
  }
}
