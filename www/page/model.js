// What is known of a run, as plain data: messages go in, views read it and look at version numbers for what changed.

import { RunningChecksum } from "../shared/checksum.mjs";
import { toolName, toolTarget } from "../shared/tool-target.mjs";
import { Activity } from "./activity.js";
import { fits, Parts, shownValue } from "./parts.js";

/** Calls kept for showing; of parts see `parts.js`. */
export const TOOLS_KEPT = 200;

const SNAPSHOT_VERSION = 2;

/**
 * @typedef {{ id: number, version: number, at: number, kind: "text", text: string }} TextPart
 * @typedef {{ id: number, version: number, at: number, kind: "thinking", text: string, ms: number, open: boolean }} ThinkingPart
 * @typedef {{ id: number, version: number, at: number, kind: "tool", tool: number }} ToolPart
 * @typedef {{ id: number, version: number, at: number, kind: "note" | "warning" | "user", text: string }} NotePart
 * @typedef {TextPart | ThinkingPart | ToolPart | NotePart} Part
 * @typedef {{ id: number, version: number, callId: string, name: string, target: string, status: string, lane: number,
 *   began: number, ended: number | undefined, args: string, result: string }} Tool
 */

/** @extends {Parts<Part>} */
export class RunModel extends Parts {
  /** The newest calls, oldest first. @type {Tool[]} */
  tools = [];
  toolsDropped = 0;
  toolCounts = { running: 0, completed: 0, error: 0, unfinished: 0 };
  events = 0;
  checksum = new RunningChecksum();
  warnings = 0;
  tokens = 0;
  activity = new Activity();
  #nextTool = 0;
  /** Calls under way, by their own id, which is anything. @type {Map<string, Tool>} */
  #running = new Map();
  /** The end of what is in each lane of the timeline. @type {number[]} */
  #lanes = [];

  /**
   * @param {import("runwire").SDKMessage} message
   * @param {number} at milliseconds since the run was first followed
   */
  apply(message, at) {
    this.events++;
    this.activity.add(message.type, at);
    switch (message.type) {
      case "assistant":
        this.#endThinking(at);
        for (const block of message.message.content) {
          if (block.type !== "text") this.#note("note", `${block.name} was asked for`, at);
          else this.#text(block.text, at);
        }
        break;
      case "thinking":
        this.#thinking(message, at);
        break;
      case "tool_call":
        this.#endThinking(at);
        this.#toolCall(message, at);
        break;
      case "status":
        if (message.message) this.#note("note", message.message, at);
        break;
      case "user":
        this.#note("user", message.message.content.map((block) => block.text).join(""), at);
        break;
      case "task":
        if (message.text) this.#note("note", message.text, at);
        break;
      case "usage":
        this.tokens += message.usage.totalTokens;
        break;
      case "unknown":
        this.#note("note", `An event of an unknown kind: ${message.event}`, at);
        break;
    }
  }

  /** @param {import("runwire").RunWarning} warning @param {number} at */
  warn({ message, excerpt }, at) {
    this.warnings++;
    this.#note("warning", excerpt ? `${message}: ${excerpt}` : message, at);
  }

  /** Nothing more will come: what has not ended by now never will. @param {number} at */
  end(at) {
    this.#endThinking(at);
    for (const tool of this.#running.values()) this.#endTool(tool, "unfinished", at);
  }

  /** @param {string} text @param {number} at */
  #text(text, at) {
    this.checksum.update(text);
    this.addText(text, { at });
  }

  #thinking({ text, thinking_duration_ms: ms }, at) {
    let last = this.parts.at(-1);
    if (last?.kind !== "thinking" || !last.open || !fits(last, text)) {
      this.#endThinking(at);
      last = this.addPart({ kind: "thinking", text: "", ms: 0, open: true, at });
    }
    last.text += text;
    last.ms = ms ?? at - last.at;
    last.version++;
  }

  #endThinking(at) {
    const last = this.parts.at(-1);
    if (last?.kind !== "thinking" || !last.open) return;
    last.open = false;
    last.ms ||= at - last.at;
    last.version++;
  }

  #toolCall({ call_id: callId, name, status, args, result }, at) {
    const known = this.#running.get(callId);
    const tool = known ?? this.#addTool({ callId, name, args }, at);
    if (status === "running") {
      if (known) return;
      this.#running.set(callId, tool);
      this.toolCounts.running++;
      return;
    }
    // A call whose beginning was never told has not been counted as running.
    if (!known) this.toolCounts.running++;
    tool.result = shownValue(result);
    this.#endTool(tool, status, at);
  }

  #endTool(tool, status, at) {
    this.#running.delete(tool.callId);
    this.toolCounts.running--;
    this.toolCounts[status]++;
    this.#lanes[tool.lane] = at;
    tool.status = status;
    tool.ended = at;
    tool.version++;
    const part = this.parts.findLast((candidate) => candidate.kind === "tool" && candidate.tool === tool.id);
    if (part) part.version++;
  }

  #addTool({ callId, name, args }, at) {
    const lane = freeLane(this.#lanes, at);
    this.#lanes[lane] = Number.POSITIVE_INFINITY;
    const tool = {
      id: this.#nextTool++,
      version: 0,
      callId,
      name: toolName(name),
      target: toolTarget(args),
      status: "running",
      lane,
      began: at,
      ended: undefined,
      args: shownValue(args),
      result: "",
    };
    this.tools.push(tool);
    if (this.tools.length > TOOLS_KEPT) {
      this.tools.shift();
      this.toolsDropped++;
    }
    this.addPart({ kind: "tool", tool: tool.id, at });
    return tool;
  }

  /** The call of a part, unless it is no longer kept. @param {number} id @returns {Tool | undefined} */
  tool(id) {
    return this.tools[id - this.toolsDropped];
  }

  #note(kind, text, at) {
    this.#endThinking(at);
    this.addPart({ kind, text: shownValue(text), at });
  }

  /** All of it, as JSON would have it; {@link RunModel.from} makes the same model of it. */
  snapshot() {
    const { parts, partsDropped, tools, toolsDropped, toolCounts, events, checksum, warnings, tokens } = this;
    return {
      version: SNAPSHOT_VERSION,
      ...{ parts, partsDropped, tools, toolsDropped, toolCounts, events, checksum, warnings, tokens },
      activity: this.activity,
      running: [...this.#running.keys()],
    };
  }

  /** @param {any} snapshot @returns {RunModel | undefined} nothing if it is of another version of the page */
  static from(snapshot) {
    if (snapshot?.version !== SNAPSHOT_VERSION) return undefined;
    const model = new RunModel();
    const { version, running, checksum, activity, ...rest } = snapshot;
    Object.assign(model, rest);
    model.checksum = new RunningChecksum(checksum);
    model.activity = new Activity(activity);
    model.#nextTool = model.toolsDropped + model.tools.length;
    for (const tool of model.tools) {
      if (running.includes(tool.callId) && tool.ended === undefined) model.#running.set(tool.callId, tool);
      model.#lanes[tool.lane] = tool.ended ?? Number.POSITIVE_INFINITY;
    }
    return model;
  }
}

/** The lowest lane that is free; a call that never ends keeps its own for good. */
function freeLane(lanes, at) {
  for (let lane = 0; lane < lanes.length; lane++) if ((lanes[lane] ?? 0) <= at) return lane;
  return lanes.length;
}
