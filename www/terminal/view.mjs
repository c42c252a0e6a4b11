// A run's messages as lines: text as it is, thinking dimmed, each tool call on a line of its own.

import { showControls, showOnOneLine } from "../shared/controls.mjs";
import { formatDuration } from "../shared/format.mjs";
import { reasonInWords } from "../shared/reason.mjs";
import { toolName, toolTarget } from "../shared/tool-target.mjs";
import { fit, textWidth } from "./width.mjs";
import { WordWrap } from "./wrap.mjs";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export class RunView {
  #screen;
  #paint;
  /** The block being written: what kind, and how it is wrapped. */
  #block;
  /** Calls that have begun, by id. @type {Map<string, { name: string, target: string, began: number }>} */
  #running = new Map();
  #lastKind;
  #ticks = 0;
  #timer;
  /** When the connection was lost that has not come back, and why. @type {{ at: number, why: string } | undefined} */
  #lost;
  #connected = false;
  /** Lines to be shown when the block that is being written is at its end. @type {string[]} */
  #remarks = [];
  tools = { completed: 0, error: 0 };

  constructor(screen, paint) {
    this.#screen = screen;
    this.#paint = paint;
    if (screen.isTTY) this.#timer = setInterval(() => this.#spin(), 100);
  }

  /** @param {import("runwire").SDKMessage} message */
  show(message) {
    switch (message.type) {
      case "assistant":
        for (const block of message.message.content)
          if (block.type === "text") this.#text("text", block.text);
        break;
      case "thinking":
        this.#text("thinking", message.text);
        break;
      case "tool_call":
        this.#toolCall(message);
        break;
      case "status":
        if (message.message) this.note(`${message.status.toLowerCase()}: ${message.message}`);
        break;
      case "task":
        if (message.text) this.note(message.text);
        break;
      case "unknown":
        this.note(`unknown event ${message.event}`);
        break;
    }
  }

  /** Each time that the connection is back it gets a line. @param {import("runwire").ConnectionInfo} change */
  connection({ state, delayMs, reason }) {
    if (state === "open") {
      const { at, why } = this.#lost ?? {};
      this.#connected = true;
      this.#lost = undefined;
      if (at === undefined) return;
      this.#remarks.push(`${why}: reconnected after ${formatDuration(performance.now() - at)}`);
      // What it fell into is made whole first.
      if (!this.#block) this.#begin("note");
    } else if (this.#connected && state !== "closed") {
      const why = reasonInWords(reason);
      this.#lost = { at: this.#lost?.at ?? performance.now(), why };
      if (delayMs > 1000)
        this.#pass(this.#paint.yellow("·"), `${why}: trying again in ${formatDuration(delayMs)}`);
    }
  }

  /** A remark of one line. */
  note(text) {
    this.#remarks.push(showOnOneLine(text));
    this.#begin("note");
  }

  end() {
    clearInterval(this.#timer);
    this.#endBlock();
    this.#showRemarks();
    for (const call of this.#running.values()) this.#toolLine(this.#paint.yellow("…"), call, "did not end");
    this.#running.clear();
    this.#screen.clearPassing();
  }

  #text(kind, text) {
    if (this.#block?.kind !== kind) {
      this.#begin(kind);
      this.#block = { kind, wrap: this.#wrap(kind) };
    }
    this.#block.wrap.push(showControls(text));
  }

  #wrap(kind) {
    const { dim } = this.#paint;
    const { write, columns } = this.#screen;
    return kind === "thinking"
      ? new WordWrap({ write, columns, prefix: dim("  ┊ "), prefixWidth: 4, style: dim })
      : new WordWrap({ write, columns, prefix: "  " });
  }

  /** Blocks of different kinds stand apart. */
  #begin(kind) {
    this.#endBlock();
    this.#showRemarks();
    this.#apart(kind);
  }

  #showRemarks() {
    if (this.#remarks.length > 0) this.#apart("note");
    for (const text of this.#remarks.splice(0))
      this.#screen.line(this.#paint.dim(`  · ${fit(text, this.#screen.columns - 4)}`));
  }

  #apart(kind) {
    if (this.#lastKind !== undefined && this.#lastKind !== kind) this.#screen.line();
    this.#lastKind = kind;
  }

  #endBlock() {
    this.#block?.wrap.end();
    this.#block = undefined;
  }

  #toolCall({ call_id, name, status, args, result }) {
    if (status === "running") {
      this.#endBlock();
      this.#running.set(call_id, {
        name: toolName(name),
        target: toolTarget(args),
        began: performance.now(),
      });
      this.#spin();
      return;
    }
    const call = this.#running.get(call_id) ?? { name: toolName(name), target: toolTarget(args) };
    this.#running.delete(call_id);
    this.#begin("tool");
    this.tools[status]++;
    const { green, red } = this.#paint;
    const time = call.began === undefined ? "" : formatDuration(performance.now() - call.began);
    this.#toolLine(status === "error" ? red("✗") : green("✓"), call, time);
    const why = status === "error" ? reasonOf(result) : "";
    if (why) this.#screen.line(red(`      ${fit(showOnOneLine(why), this.#screen.columns - 6)}`));
  }

  /** `✓ read_file  src/lexer.ts     190 ms`, in the width there is. */
  #toolLine(mark, { name, target }, time) {
    const { bold, dim } = this.#paint;
    const room = this.#screen.columns - 4;
    const shownName = fit(name, Math.max(room - textWidth(time) - 2, 8)).padEnd(16);
    const left = room - textWidth(shownName) - textWidth(time) - 2;
    const shownTarget = left > 4 ? fit(target, left) : "";
    const gap = " ".repeat(Math.max(left - textWidth(shownTarget), 0));
    this.#screen.line(`  ${mark} ${bold(shownName)} ${shownTarget}${gap} ${dim(time)}`);
  }

  /** While tools run, a line at the bottom says so. */
  #spin() {
    if (this.#running.size === 0 || this.#block) return;
    const sign = SPINNER[this.#ticks++ % SPINNER.length];
    const [longest] = this.#running.values();
    const names = [...this.#running.values()].map((call) => call.name).join(", ");
    const time = formatDuration(performance.now() - longest.began);
    this.#pass(this.#paint.cyan(sign), `${names} ${time}`);
  }

  #pass(sign, text) {
    this.#screen.pass(`  ${sign} ${this.#paint.dim(fit(text, this.#screen.columns - 5))}`);
  }
}

/** Why a tool failed, as far as its result says. */
function reasonOf(result) {
  if (typeof result === "string") return result;
  if (typeof result?.error === "string") return result.error;
  return typeof result?.message === "string" ? result.message : "";
}
