// One session with the agent's host, as any page would hold it, and its model up to date.

import { createInputQueue, createModeControl, runQuery } from "runwire/kit";
import { ConnectionState } from "../connection.js";
import { readAll } from "../reading.js";
import { ChatModel } from "./model.js";

/** The host's place on this origin. */
const HOST = "/agent";
/** Less patience with one connection than a product would have, because people watch; with all of them, no end. */
const PATIENCE = {
  idleTimeoutMs: 6000,
  retry: { maxDelayMs: 4000, giveUpAfterMs: Number.POSITIVE_INFINITY },
};

/**
 * @typedef {object} Seen what a page needs to go on where another was, as JSON would have it
 * @property {string} session
 * @property {string} [token] where its events were; absent to read them from the session's start
 * @property {any} [model] what was known there
 * @property {import("runwire/kit").SessionMode} mode
 */

/**
 * @typedef {object} Outcome
 * @property {"over" | "gone" | "failed" | "left"} kind over: it has ended; gone: the host no longer has it, or what
 * comes next of it; failed: it, or reading it; left: no longer wanted
 * @property {unknown} [error]
 */

export class ChatSession {
  model;
  mode;
  connection = new ConnectionState(() => performance.now());
  /** How full the context is. @type {import("runwire/kit").ContextUsage | null} */
  context = null;
  /** @type {import("runwire/kit").SlashCommand[]} */
  commands = [];
  /** The host's id of it; absent until there is one. @type {string | undefined} */
  id;
  /** The turn is being stopped. */
  stopping = false;
  /** @type {Outcome | undefined} */
  outcome;
  #run;
  #queue;
  #changed;
  #abort = new AbortController();
  #asking = false;
  #askAgain = false;

  /**
   * @param {() => void} changed called when there is something new to show
   * @param {Seen} [seen] by an earlier page, which is gone on from
   */
  constructor(changed, seen) {
    const model = ChatModel.from(seen?.model);
    this.model = model ?? new ChatModel();
    this.id = seen?.session;
    this.mode = modeControl(this.model.toldOfPlan, seen?.mode);
    this.#changed = changed;
    this.#queue = createInputQueue({ modeControl: this.mode });
    this.#run = runQuery(this.#outgoing(), {
      url: HOST,
      session: seen?.session,
      from: model && seen.token,
      signal: this.#abort.signal,
      ...PATIENCE,
      onConnection: (change) => {
        this.connection.set(change);
        changed();
      },
    });
  }

  /** @returns {"starting" | "ready" | "working" | "stopping" | Outcome["kind"]} */
  get state() {
    if (this.outcome) return this.outcome.kind;
    if (this.id === undefined) return "starting";
    if (!this.model.working) return "ready";
    return this.stopping ? "stopping" : "working";
  }

  /** What another page needs to go on exactly here; absent before there is a session. @returns {Seen | undefined} */
  snapshot() {
    if (this.id === undefined) return undefined;
    const { resumeToken: token } = this.#run;
    return { session: this.id, token, model: this.model.snapshot(), mode: this.mode.mode };
  }

  /**
   * Reads the session to its end; never rejects.
   * @param {() => void} opened called when it has an id
   * @returns {Promise<Outcome>}
   */
  async follow(opened) {
    try {
      this.id = await this.#run.sessionId;
      opened();
      this.#ask();
      await readAll(this.#run.events, (event) => this.#take(event));
      this.outcome = { kind: "over" };
    } catch (error) {
      this.outcome = this.#abort.signal.aborted ? { kind: "left" } : { kind: failureOf(error), error };
    }
    this.connection.close();
    this.model.end();
    this.#changed();
    return this.outcome;
  }

  /** @param {string} text */
  say(text) {
    this.model.say(text, this.mode.mode === "plan");
    this.#queue.push(text);
    this.#changed();
  }

  /** Stops the turn; its end still comes. */
  async stop() {
    if (this.state !== "working") return;
    this.stopping = true;
    this.#changed();
    try {
      await this.#run.interrupt();
    } finally {
      this.stopping = false;
      this.#changed();
    }
  }

  /** Ends the session, for everybody. */
  end() {
    this.#run.close();
  }

  /** Stops reading; the session itself goes on. */
  leave() {
    this.#abort.abort();
  }

  /** What the user says, as it is taken: who asks for the next message has handed over the last. */
  async *#outgoing() {
    for await (const message of this.#queue.iterable) {
      yield message;
      this.model.sent();
      this.#changed();
    }
  }

  #take(event) {
    this.model.apply(event);
    if (event.type === "turn-end") this.#ask();
    this.#changed();
  }

  /** Asks what a turn may have changed. Turns that end meanwhile are asked for together. */
  async #ask() {
    this.#askAgain = true;
    if (this.#asking) return;
    this.#asking = true;
    while (this.#askAgain && !this.outcome) {
      this.#askAgain = false;
      const { context, commands } = this;
      [this.context, this.commands] = await Promise.all([
        this.#run.contextUsage().then((usage) => usage ?? context),
        this.#run.supportedCommands().catch(() => commands),
      ]);
      this.#changed();
    }
    this.#asking = false;
  }
}

/** A control that has told the agent what an earlier one has. */
function modeControl(toldOfPlan, mode = "interactive") {
  const control = createModeControl(toldOfPlan ? "plan" : "interactive");
  control.takeNotice();
  control.set(mode);
  return control;
}

/** A session that the host does not have, or whose next event it has dropped, will not come back. */
function failureOf({ status }) {
  return status === 404 || status === 410 ? "gone" : "failed";
}
