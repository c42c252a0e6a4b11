// The output: whole lines, and on a terminal one line at the bottom that comes and goes.

/** Writes text, and keeps the passing line out of its way. */
export class Screen {
  #output;
  #passing = false;
  #atLineStart = true;

  /** @param {NodeJS.WriteStream} output */
  constructor(output) {
    this.#output = output;
    this.isTTY = output.isTTY === true && process.env.TERM !== "dumb";
  }

  /** Wide enough to read, and no wider than reads well. */
  get columns() {
    const columns = this.#output.columns || Number(process.env.COLUMNS) || 80;
    return Math.min(Math.max(columns, 24), 100);
  }

  write = (text) => {
    if (text === "") return;
    this.clearPassing();
    this.#output.write(text);
    this.#atLineStart = text.endsWith("\n");
  };

  line(text = "") {
    this.write(`${text}\n`);
  }

  /** Shows a line that the next output replaces; nothing where the output is not a terminal or within a line. */
  pass(text) {
    if (!this.isTTY || !this.#atLineStart) return;
    this.#output.write(`\r\x1b[2K${text}`);
    this.#passing = true;
  }

  clearPassing() {
    if (this.#passing) this.#output.write("\r\x1b[2K");
    this.#passing = false;
  }
}
