// What is known of an agent's session, as plain data: what the user says and the session's events go in.

import { toolName, toolTarget } from "../../shared/tool-target.mjs";
import { Parts, shownValue } from "../parts.js";

/** Steps of a subagent that are kept for showing; older ones are counted. */
export const STEPS_KEPT = 100;

const SNAPSHOT_VERSION = 1;

/**
 * sending: the host has not said that it has it; sent: it has; unsure: the page was left before the host could say so
 * @typedef {"sending" | "sent" | "unsure"} Delivery
 *
 * @typedef {{ id: number, version: number }} Common
 * @typedef {Common & { kind: "user", text: string, inPlan: boolean, delivery: Delivery }} UserPart
 * @typedef {Common & { kind: "text", text: string }} TextPart
 * @typedef {Common & { kind: "tool", callId: string | undefined, name: string, target: string, status: string,
 *   args: string, result: string }} ToolPart
 * @typedef {Common & { kind: "subagent", parent: string | undefined, about: string,
 *   steps: { name: string, target: string }[], stepsDropped: number }} SubagentPart
 * @typedef {Common & { kind: "info", text: string, level: import("runwire/kit").InfoLevel }} InfoPart
 * @typedef {Common & { kind: "servers", names: string[] }} ServersPart
 * @typedef {Common & { kind: "end", how: "done" | "stopped" | "failed", text: string }} EndPart
 * @typedef {UserPart | TextPart | ToolPart | SubagentPart | InfoPart | ServersPart | EndPart} Part
 */

/** @extends {Parts<Part>} */
export class ChatModel extends Parts {
  /** The agent is at work, as far as is known: a turn may begin without a message, and one may answer several. */
  working = false;
  /** Turns that have ended. */
  turns = 0;
  /** What the user might say next. @type {string | undefined} */
  suggestion;
  /** The session's so far. @type {import("runwire/kit").SessionUsage | undefined} */
  usage;
  /** The agent was last told that plan mode is on. */
  toldOfPlan = false;

  /** @param {string} text @param {boolean} inPlan said in plan mode */
  say(text, inPlan) {
    this.working = true;
    this.suggestion = undefined;
    this.addPart({ kind: "user", text: shownValue(text), inPlan, delivery: "sending" });
  }

  /** The host has the oldest message that it had not. */
  sent() {
    const part = this.parts.find(({ kind, delivery }) => kind === "user" && delivery === "sending");
    if (!part) return;
    part.delivery = "sent";
    part.version++;
    this.toldOfPlan = part.inPlan;
  }

  /** @param {import("runwire/kit").AgentEvent} event */
  apply(event) {
    switch (event.type) {
      case "text":
        this.#work();
        this.addText(event.text);
        break;
      case "action":
        this.#work();
        this.#action(event);
        break;
      case "subagent-action":
        this.#work();
        this.#step(event);
        break;
      case "tool-result":
        this.#result(event);
        break;
      case "info":
        this.addPart({ kind: "info", text: shownValue(event.text), level: event.level });
        break;
      case "mcp-error":
        this.addPart({ kind: "servers", names: event.failedServers });
        break;
      case "turn-end":
        this.#end(event);
        break;
      case "prompt-suggestion":
        this.suggestion = event.suggestion;
        break;
    }
  }

  /** No more will come. */
  end() {
    this.working = false;
    this.suggestion = undefined;
    this.#giveUp();
  }

  #work() {
    this.working = true;
    this.suggestion = undefined;
  }

  #action({ toolName: name, input, toolUseId: callId }) {
    this.addPart({
      kind: "tool",
      callId,
      name: toolName(name),
      target: toolTarget(input),
      status: "running",
      args: shownValue(input),
      result: "",
    });
  }

  #result({ toolUseId, isError, text }) {
    const part = this.#call(toolUseId);
    // It may be so old that it is no longer kept.
    if (!part) return;
    part.result = shownValue(text);
    setStatus(part, isError ? "error" : "completed");
  }

  /** Nobody is at work on the calls any more. A result may still come, in a later turn. */
  #giveUp() {
    for (const part of this.parts) if (part.status === "running") setStatus(part, "unfinished");
  }

  /** The newest call of an id. @returns {ToolPart | undefined} */
  #call(callId) {
    return this.parts.findLast((part) => part.kind === "tool" && part.callId === callId);
  }

  #step({ toolName: name, input, parentToolUseId: parent }) {
    const part =
      this.parts.findLast((candidate) => candidate.kind === "subagent" && candidate.parent === parent) ??
      this.addPart({
        kind: "subagent",
        parent,
        about: this.#call(parent)?.target ?? "",
        steps: [],
        stepsDropped: 0,
      });
    part.steps.push({ name: toolName(name), target: toolTarget(input) });
    if (part.steps.length > STEPS_KEPT) {
      part.steps.shift();
      part.stepsDropped++;
    }
    part.version++;
  }

  #end(event) {
    this.working = false;
    this.turns++;
    this.usage = event.usage ?? this.usage;
    this.#giveUp();
    this.addPart({ kind: "end", ...endingOf(event) });
  }

  /** All of it, as JSON would have it; {@link ChatModel.from} makes the same model of it. */
  snapshot() {
    const { parts, partsDropped, working, turns, suggestion, usage, toldOfPlan } = this;
    const version = SNAPSHOT_VERSION;
    return { version, parts, partsDropped, working, turns, suggestion, usage, toldOfPlan };
  }

  /** @param {any} snapshot @returns {ChatModel | undefined} nothing if it is of another version of the page */
  static from(snapshot) {
    if (snapshot?.version !== SNAPSHOT_VERSION) return undefined;
    const model = new ChatModel();
    const { version, ...rest } = snapshot;
    Object.assign(model, rest);
    for (const part of model.parts) if (part.delivery === "sending") part.delivery = "unsure";
    return model;
  }
}

function setStatus(part, status) {
  part.status = status;
  part.version++;
}

/** An interruption is told as an error without a text. @param {import("runwire/kit").TurnEndEvent} event */
function endingOf({ status, failed, errorText, resultText }) {
  if (!failed) return { how: "done", text: "" };
  const text = errorText || resultText || "";
  if (text === "" && status === "error_during_execution") return { how: "stopped", text };
  return { how: "failed", text: shownValue(text || "The turn failed") };
}
