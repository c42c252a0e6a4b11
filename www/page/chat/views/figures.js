// The session in figures: its state, the connection, how full the context is, what has been used.

import { formatCount } from "../../../shared/format.mjs";
import { byId, setText } from "../../dom.js";
import { ConnectionGauge } from "../../views/connection-gauge.js";

/** What each state is called, and which colours it has: those of a run's. */
const states = {
  starting: ["Starting", "starting"],
  ready: ["Ready", "none"],
  working: ["Working", "running"],
  stopping: ["Stopping", "stopping"],
  over: ["Ended", "finished"],
  gone: ["Gone", "lost"],
  failed: ["Failed", "error"],
  left: ["Left", "none"],
};

/** @param {string} state of a session */
export function stateWord(state) {
  return states[state][0];
}

export class Figures {
  #connection = new ConnectionGauge(byId("chat-connection"), byId("chat-connection-remark"), "session");

  /** @param {import("../session.js").ChatSession} chat */
  update({ state, connection, context, model }) {
    const [word, colours] = states[state];
    const pill = byId("chat-state");
    pill.dataset.state = colours;
    setText(pill, word);
    setText(byId("chat-turns"), model.turns === 1 ? "1 turn" : `${formatCount(model.turns)} turns`);
    this.#connection.update(connection);
    showContext(context);
    showUsage(model.usage);
  }
}

function showContext(context) {
  const meter = byId("chat-meter");
  const { percentage = 0, totalTokens = 0, maxTokens = 0 } = context ?? {};
  setText(byId("chat-context"), context ? `${formatCount(percentage)} %` : "Not known");
  setText(
    byId("chat-context-remark"),
    context ? `${formatCount(totalTokens)} of ${formatCount(maxTokens)} tokens` : "",
  );
  meter.dataset.level = percentage > 100 ? "over" : percentage >= 80 ? "high" : "fine";
  meter.style.setProperty("--filled", String(Math.min(percentage / 100, 1)));
}

function showUsage(usage) {
  const { inputTokens = 0, outputTokens = 0, costUsd = 0 } = usage ?? {};
  setText(byId("chat-used"), usage ? `$${costUsd.toFixed(3)}` : "Nothing yet");
  setText(
    byId("chat-used-remark"),
    usage ? `${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out` : "",
  );
}
