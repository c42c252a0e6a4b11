// Breaks a text that arrives in pieces into lines of a width, word by word, as it comes.

import { characterWidth, charactersOf, textWidth } from "./width.mjs";

/** A word is held back until its end is known, for until then nobody knows where it belongs. */
export class WordWrap {
  #write;
  #columns;
  #prefix;
  #style;
  /** Columns taken of the current line, without the prefix; undefined when there is no line yet. */
  #at;
  #word = "";
  #space = "";
  /** Line feeds that are written only if something follows. */
  #breaks = 0;

  /**
   * @param {object} options
   * @param {(text: string) => void} options.write
   * @param {number} options.columns of the whole line
   * @param {string} [options.prefix] at the start of each line; already styled
   * @param {number} [options.prefixWidth]
   * @param {(text: string) => string} [options.style]
   */
  constructor({ write, columns, prefix = "", prefixWidth = textWidth(prefix), style = (text) => text }) {
    this.#write = write;
    this.#columns = Math.max(columns - prefixWidth, 10);
    this.#prefix = prefix;
    this.#style = style;
  }

  /** @param {string} text without control characters but tab and line feed */
  push(text) {
    for (const piece of text.split(/(\n|[ \t]+)/)) {
      if (piece === "\n") this.#lineFeed();
      else if (/^[ \t]/.test(piece)) this.#blank(piece.replaceAll("\t", "  "));
      else if (piece !== "") this.#append(piece);
    }
  }

  /** Ends the last line, if there is one. Line feeds at the end are dropped. */
  end() {
    this.#flushWord();
    if (this.#at !== undefined) this.#write("\n");
    this.#at = undefined;
    this.#space = "";
    this.#breaks = 0;
  }

  #lineFeed() {
    this.#flushWord();
    this.#space = "";
    this.#breaks++;
  }

  #blank(piece) {
    this.#flushWord();
    this.#space += piece;
  }

  #append(piece) {
    this.#word += piece;
    // What has no blanks cannot be held back for ever.
    if (this.#word.length > 2 * this.#columns) this.#flushWord();
  }

  #flushWord() {
    if (this.#word === "") return;
    const word = this.#word;
    const width = textWidth(word);
    this.#word = "";
    this.#openLine();
    const room = this.#columns - this.#at;
    if (this.#space.length + width <= room) {
      this.#put(this.#space + word, this.#space.length + width);
    } else if (width <= this.#columns) {
      this.#nextLine();
      this.#put(word, width);
    } else {
      this.#cut(word);
    }
    this.#space = "";
  }

  /** A word that is longer than a line is cut where the line ends. */
  #cut(word) {
    if (this.#at > 0) this.#put(" ", 1);
    let [line, width] = ["", 0];
    for (const character of charactersOf(word)) {
      const columns = characterWidth(character);
      if (this.#at + width + columns > this.#columns) {
        this.#put(line, width);
        this.#nextLine();
        [line, width] = ["", 0];
      }
      line += character;
      width += columns;
    }
    this.#put(line, width);
  }

  #openLine() {
    if (this.#at === undefined) {
      this.#write(this.#prefix);
      this.#at = 0;
      this.#breaks = 0;
    } else if (this.#breaks > 0) {
      // More than one blank line says no more than one.
      if (this.#breaks > 1) this.#write(`\n${this.#prefix.trimEnd()}`);
      this.#nextLine();
      this.#breaks = 0;
    }
  }

  #nextLine() {
    this.#write(`\n${this.#prefix}`);
    this.#at = 0;
  }

  #put(text, width) {
    if (text === "") return;
    this.#write(this.#style(text));
    this.#at += width;
  }
}
