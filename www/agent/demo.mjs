// The agent of the page's session chat: no model and no network, a `query()` of the agent SDK's shape.

import {
  info,
  init,
  interrupted,
  result,
  scriptedQuery,
  suggestion,
  wordsOf,
} from "../../tests/lib/scripted-query.mjs";
import { commands, runCommand } from "./commands.mjs";
import { Figures } from "./figures.mjs";
import { explore, fix, plan, review } from "./scripts.mjs";
import { Stage } from "./stage.mjs";

const servers = [
  { name: "filesystem", status: "connected" },
  { name: "issue-tracker", status: "failed" },
];

/** A notice of what mode the session is in, before what the user says. */
const reminder = /^<system-reminder>(.*?)<\/system-reminder>\s*/s;

const reviewChange = (stage) => review(stage, "the last change");

/** From this percentage on the agent says that the context gets full. */
const NEARLY_FULL = 80;

/**
 * @param {{ clock: import("runwire/testing").SimulatorClock }} options what its pace goes by
 * @returns {import("runwire/kit").QueryFunction}
 */
export function demoQuery({ clock }) {
  return (parameters) => new DemoSession(clock).query(parameters);
}

export class DemoSession {
  figures = new Figures();
  commands = commands;
  #clock;
  #isPlanning = false;
  #turns = 0;
  /** Which of the scripts is next where nothing says what is wanted. */
  #next = 0;

  constructor(clock) {
    this.#clock = clock;
  }

  query(parameters) {
    const { query } = scriptedQuery({
      turn: (message, _, signal) => this.#turn(message, signal),
      commands: () => this.commands,
      usage: () => this.figures.context,
      cut: () => interrupted(this.figures.usage),
    });
    return query(parameters);
  }

  async *#turn(message, signal) {
    const words = this.#heed(wordsOf(message)).trim();
    const { figures } = this;
    const stage = new Stage({ clock: this.#clock, figures, signal });
    figures.beginTurn();
    yield init({ mcp_servers: servers, slash_commands: this.commands.map(({ name }) => name) });
    if (++this.#turns === 1) yield info("Read AGENTS.md and docs/style.md", "info");
    const wasFull = figures.context.percentage >= NEARLY_FULL;
    const [, command, rest] = /^\/(\S*)\s*(.*)$/s.exec(words) ?? [];
    const end =
      command === undefined
        ? { suggestion: yield* this.#script(words)(stage, words) }
        : yield* runCommand(command, rest, this, stage);
    if (!wasFull && figures.context.percentage >= NEARLY_FULL && !command)
      yield info(`The context is ${figures.context.percentage} % full`, "notice");
    yield result(stage.lastText, { ...figures.usage, ...end.result });
    if (end.suggestion) yield suggestion(end.suggestion);
  }

  #script(words) {
    if (this.#isPlanning) return plan;
    if (/\b(fix|carry|change|make|do it)\b/i.test(words)) return fix;
    if (/\b(review|subagent|check)\b/i.test(words)) return reviewChange;
    return [explore, fix, reviewChange][this.#next++ % 3];
  }

  /** Takes the notice of a mode from before what is said, and keeps to it. */
  #heed(said) {
    const notice = reminder.exec(said);
    if (!notice) return said;
    this.#isPlanning = /plan mode is on/i.test(notice[1]);
    return said.slice(notice[0].length);
  }
}
