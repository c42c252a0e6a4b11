// The figures by which a text can be compared with what the simulator sent, without keeping either.

/**
 * Length and checksum of a text that arrives in pieces; where the pieces are cut does not matter. Equal to what
 * {@link Simulator.expected} gives for the same text.
 */
export class TextChecksum {
  /** UTF-16 code units so far. */
  length = 0;
  #hash = 0x811c9dc5;

  /** Takes the next piece. */
  update(text: string): this {
    let hash = this.#hash;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
      hash = Math.imul(hash ^ (unit >> 8), 0x01000193);
    }
    this.#hash = hash;
    this.length += text.length;
    return this;
  }

  /** The 32-bit FNV-1a hash of the code units so far, low byte first. */
  get checksum(): number {
    return this.#hash >>> 0;
  }
}
